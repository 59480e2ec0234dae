"""A disk for the databases of a test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from .faulty_disk import Disk, faulty_disk


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """The disk of every SQLite database that the test opens. No power is cut: what is synced need not be."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    with faulty_disk() as found:
        yield found
