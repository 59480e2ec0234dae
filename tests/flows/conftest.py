"""Processes with flows in them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..kit.workers import Workers, serving


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Starts processes with flows (worker.py)."""
    with serving("tests.flows.worker") as started:
        yield started
