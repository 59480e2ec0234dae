"""Real processes with Fluxi in them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .workers import Workers, serving


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Starts processes, forked from one program."""
    with serving() as started:
        yield started
