"""Real processes with flows in them, and as many databases as a test wants."""

from __future__ import annotations

from ..fluxi.conftest import fresh  # noqa: F401
