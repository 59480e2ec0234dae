"""Both journals, behind one fixture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from mew_gateway.journal.base import Record
from mew_gateway.journal.envelope_ids import id_of, id_of_event
from mew_gateway.journal.memory import MemoryJournal
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.space.events import Received

Opener = Callable[[], MemoryJournal | SqliteJournal]


@pytest.fixture(params=["memory", "sqlite"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens a journal of either sort, and closes what it opened."""
    opened: list[MemoryJournal | SqliteJournal] = []

    def opening() -> MemoryJournal | SqliteJournal:
        journal = (
            MemoryJournal()
            if request.param == "memory"
            else SqliteJournal(str(tmp_path / "journal.db"), synchronous="normal")
        )
        opened.append(journal)
        return journal

    yield opening
    for journal in opened:
        journal.close()


def places(found: Iterable[Record]) -> list[int]:
    """The positions of records."""
    return [record.entry.position for record in found]


def named(found: Iterable[Record], id: str) -> list[int]:
    """The positions of those records that really have an envelope of that id."""
    return [record.entry.position for record in found if has(record, id)]


def has(record: Record, id: str) -> bool:
    """Whether an envelope of that id is in a record."""
    event = record.entry.event
    own = [id_of_event(event)] if isinstance(event, Received) else []
    return id in [*own, *(id_of(output.data) for output in record.outputs)]
