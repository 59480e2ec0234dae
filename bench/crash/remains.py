"""What a killed gateway left on the disk: its journal, read from a copy so that the next life finds all as it was."""

from __future__ import annotations

import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.crash.record import Verdict
from mew_gateway.gateway.broker.spaces.replay import by_space
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.space.events import Received
from mew_gateway.space.machine import Space


class Pending(NamedTuple):
    """An interrupt that waits for its ack, or for the conclusion that was promised.

    `returning`: until then its target, if absent, had time to come back (`mew_gateway.space.outages`). All in ms.
    """

    space: str
    id: str
    accepted_at: int
    acked_at: int | None
    deadline: int | None
    conclusion_due: int | None
    returning: int


class Remains:
    """The entries of all lives so far."""

    def __init__(self) -> None:
        self._position = self._time = 0
        self.envelopes: dict[tuple[str, str], list[int]] = {}  # by space and id, the CRC-32 of each

    def read(self, journal: Path) -> tuple[Verdict, list[Pending]]:
        """Take in what was written since, check that it is in order, and see which interrupts are pending in it."""
        found = Verdict()
        with _copied(journal) as copy:
            for entry in copy.read(self._position):
                if entry.position != self._position + 1:
                    found.lines.append(f"the journal goes on with {entry.position} behind {self._position}")
                if entry.time < self._time:
                    found.lines.append(f"the entry {entry.position} is older than the one before it")
                self._position, self._time = entry.position, entry.time
                if isinstance(entry.event, Received):
                    digests = self.envelopes.setdefault((entry.space, entry.event.envelope.id), [])
                    digests.append(zlib.crc32(entry.event.data))
            return found, list(_pending(copy))


def _pending(journal: SqliteJournal) -> Iterator[Pending]:
    """From the snapshot and the entries behind it, as the next life will see it."""
    snapshot = journal.latest()
    if snapshot is None:
        return
    spaces = {name: Space.restored(parts) for name, parts in by_space(snapshot.states).items()}
    for entry in journal.read(snapshot.position):
        spaces[entry.space].handle(entry.event, entry.time)
    for name, space in spaces.items():
        for one in space.state.interrupts.values():
            yield Pending(
                name,
                one.id,
                accepted_at=one.accepted_at,
                acked_at=None if one.ack is None else one.ack.at,
                deadline=one.deadline,
                conclusion_due=one.conclusion_due,
                returning=space.state.returning,
            )


@contextmanager
def _copied(journal: Path) -> Iterator[SqliteJournal]:
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        for file in (journal, journal.with_name(f"{journal.name}-wal")):
            shutil.copyfile(file, Path(folder, file.name))
        copy = SqliteJournal(str(Path(folder, journal.name)), synchronous="normal")
        try:
            yield copy
        finally:
            copy.close()
