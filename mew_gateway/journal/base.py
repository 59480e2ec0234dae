"""The interface of a journal. Implementations: `memory`, `sqlite`; later an ordered log on other machines.

The order is the contract: an event is journalled first, handled second, delivered third (docs/architecture.md).
`append` writes events and returns the entries that are durable, in order. A local journal returns the entries of these
events. A log that commits elsewhere returns what it has by then, hands the rest out by `poll`, and calls the function
given to `on_commit` when there is something to poll. Nothing above this interface may assume which.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, takewhile
from typing import NamedTuple, Protocol

import msgspec

from mew_gateway.space.events import Event, Received

from .retention import Released

AT_ONCE = 1 << 20  # bytes of records, or of entries, that are read at once, where they are more than one


class Draft(msgspec.Struct, frozen=True, gc=False):
    """An event on its way into the journal. `time` is the gateway's, in milliseconds since the epoch."""

    space: str
    time: int
    event: Event


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A journalled event. `position` counts all spaces' entries together and only ever grows, from 1."""

    position: int
    space: str
    time: int
    event: Event


class Output(NamedTuple):
    """An envelope of the gateway's own, the `nth` that the entry at `position` gave rise to.

    `audience` is who may see it later (None: everybody); `refusal` marks the answer to a refused envelope. Without
    `data` it stands for the entry's own envelope: where that went in between, and to whom if not to all.
    """

    position: int
    nth: int
    space: str
    data: bytes
    audience: tuple[str, ...] | None
    refusal: bool


class Snapshot(NamedTuple):
    """The state of every space after the entry at `position`; `time` is that entry's.

    `states` are parts (`SPACE/PART`) as bytes; None, where one is saved, lets go of a part.
    """

    position: int
    time: int
    states: Mapping[str, bytes | None]


class Record(NamedTuple):
    """One entry of a space's history with the gateway's own envelopes that followed from it, in order."""

    entry: Entry
    outputs: tuple[Output, ...]

    @property
    def size(self) -> int:
        """Bytes of the envelopes in it."""
        event = self.entry.event
        own = len(event.data) if isinstance(event, Received) else 0
        return own + sum(len(output.data) for output in self.outputs)


def fitting(sizes: Iterable[int], limit: int) -> int:
    """How many of those with these sizes in bytes are read at once: `AT_ONCE` together, or one that has more."""
    within = takewhile(lambda total: total <= AT_ONCE, accumulate(sizes))
    return min(limit, max(1, sum(1 for _ in within)))


class Journal(Protocol):
    """An ordered, durable log of events. Not thread-safe: one loop owns it."""

    def append(self, drafts: Sequence[Draft], outputs: Sequence[Output]) -> Sequence[Entry]:
        """Append the drafts in order, and record outputs of earlier entries, in one commit. Return the entries that
        are durable and were not returned before, in order.

        Raises `Unavailable` when nothing was written; then none of the drafts ever appears, and the outputs may be
        given again. Recording an output twice changes nothing.
        """

    def record(self, outputs: Sequence[Output]) -> None:
        """Record outputs of earlier entries in a commit of their own. Raises `Unavailable`, as `append` does."""

    def poll(self) -> Sequence[Entry]:
        """Return the entries that have become durable since the last `append` or `poll`: none of a local journal."""
        return ()

    def on_commit(self, wake: Callable[[], object]) -> None:
        """Call `wake` when `poll` has something to return: never, of a local journal."""
        del wake

    def read(self, after: int) -> Iterator[Entry]:
        """The entries behind a position, in order. Raises `CorruptJournal`."""

    def latest(self) -> Snapshot | None:
        """The newest snapshot, or None."""

    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; it replaces the one before. Parts not named in it are kept as they were: they have not
        changed since. Raises `Unavailable`."""

    def close(self) -> None:
        """Let go of the store. Idempotent."""


class History(Protocol):
    """What a space's record says, read back from the journal: a projection, never a second truth.

    Records are big or small: fewer than `limit` come where they have more than `AT_ONCE` bytes. None come at the end.
    """

    def records(self, space: str, *, after: int = 0, limit: int = 1000) -> Sequence[Record]:
        """Up to `limit` records of one space behind a position, in order."""

    def before(self, space: str, *, position: int | None = None, limit: int = 1000) -> Sequence[Record]:
        """Up to `limit` records of one space that end before a position (None: at the newest), in order."""

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        """The records of a space that may have an envelope of that id, newest or oldest first, each read when asked
        for. It may have been refused, or only resemble it: whoever asks has to look."""

    @property
    def size(self) -> int:
        """Bytes that the journal takes, without what was deleted and is free to be filled again."""

    @property
    def pruned(self) -> int:
        """The position up to which entries were deleted: what is held from before it has gaps."""

    def retain(self, space: str, ids: Iterable[str]) -> None:
        """Never delete the record of these, interrupts and sequences (`retention.sequence_of`): as durable as the next
        commit."""

    def prune(self, *, older_than: int, limit: int, open_ids: Mapping[str, Collection[str]] | None = None) -> int:
        """Look at up to `limit` entries from before a time, never those after the latest snapshot, and delete them and
        their outputs, but for what `retention.judged` keeps: what is retained, what has to do with `open_ids` (by
        space), and conclusions that hold the head of an agent's timeline. Returns how many were looked at."""

    def release(self, *, most: int, limit: int) -> Released | None:
        """While all that `prune` has kept takes more than `most` bytes, delete up to `limit` of the oldest entries of
        the participant who has most of it. Returns what was deleted; None if nothing had to be."""
