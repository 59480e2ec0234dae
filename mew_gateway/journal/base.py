"""The interface of a journal (`Journal`) and of the history that is read back from it (`History`).

The order is the contract: an event is journalled first, handled second, delivered third (docs/architecture.md).
`append` writes events and returns the entries that are durable, in order. A local journal returns the entries of these
events. A log that commits elsewhere returns those that are durable by then, hands out the rest by `poll`, and calls the
function given to `on_commit` when there is something to poll. Code above this interface must not assume which.

A start loads the newest snapshot (`latest`) and replays the entries after it (`read`). Entries before it may be deleted
(`prune`), except those that `retention` keeps.

Implementations: `memory`, `sqlite`. Where to go next: `sqlite`, then `database` (commits and errors), `retention` (what
is kept), `fingerprint_index` (finding an id).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, takewhile
from typing import NamedTuple, Protocol

import msgspec

from mew_gateway.space.events import Event, Received

from .retention import Released

READ_BYTES = 1 << 20  # bytes of records, or of entries, that are read at once; a single larger one is read too


class Draft(msgspec.Struct, frozen=True, gc=False):
    """An event to be appended. `time` is the gateway's, in milliseconds since the epoch."""

    space: str
    time: int
    event: Event


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A journalled event. `position` counts the entries of all spaces together, from 1, and never decreases."""

    position: int
    space: str
    time: int
    event: Event


class Output(NamedTuple):
    """An envelope that the gateway composed: the `nth` that followed from the entry at `position`.

    `audience` are the participants that may read it later (None: all); `refusal` marks the answer to a refused
    envelope. Without `data` it stands for the entry's own envelope, in the place where that was delivered and with its
    audience.
    """

    position: int
    nth: int
    space: str
    data: bytes
    audience: tuple[str, ...] | None
    refusal: bool


class Snapshot(NamedTuple):
    """The state of every space after the entry at `position`; `time` is that entry's.

    `states` are parts (`SPACE/PART`) as bytes. In a snapshot to be saved, None deletes a part.
    """

    position: int
    time: int
    states: Mapping[str, bytes | None]


class Record(NamedTuple):
    """One entry of a space's history with the gateway's envelopes that followed from it, in order."""

    entry: Entry
    outputs: tuple[Output, ...]

    @property
    def size(self) -> int:
        """The size of its envelopes, in bytes."""
        event = self.entry.event
        own = len(event.data) if isinstance(event, Received) else 0
        return own + sum(len(output.data) for output in self.outputs)


def count_fitting(sizes: Iterable[int], limit: int) -> int:
    """Return how many items of these sizes (bytes) are read at once: `READ_BYTES` together, or one larger item."""
    within = takewhile(lambda total: total <= READ_BYTES, accumulate(sizes))
    return min(limit, max(1, sum(1 for _ in within)))


class Journal(Protocol):
    """An ordered, durable log of events. Not thread-safe: one event loop owns it."""

    def append(self, drafts: Sequence[Draft], outputs: Sequence[Output]) -> Sequence[Entry]:
        """Append the drafts in order and record outputs of earlier entries, in one commit.

        Returns the entries that are durable and were not returned before, in order. Raises `Unavailable` if nothing was
        written; then none of the drafts ever appears, and the outputs may be given again. Recording an output twice
        changes nothing.
        """

    def record(self, outputs: Sequence[Output]) -> None:
        """Record outputs of earlier entries in a commit of their own. Raises `Unavailable`, as `append` does."""

    def poll(self) -> Sequence[Entry]:
        """Return the entries that have become durable since the last `append` or `poll`. A local journal has none."""
        return ()

    def on_commit(self, wake: Callable[[], object]) -> None:
        """Call `wake` when `poll` has something to return. A local journal never calls it."""
        del wake

    def read(self, after: int) -> Iterator[Entry]:
        """Yield the entries after a position, in order. Raises `CorruptJournal`."""

    def latest(self) -> Snapshot | None:
        """Return the newest snapshot, or None."""

    def save(self, snapshot: Snapshot) -> None:
        """Save a snapshot in place of the last one. Raises `Unavailable`.

        Parts that are not named in it are kept as they are: they have not changed since.
        """

    def close(self) -> None:
        """Close the journal. Idempotent."""


class History(Protocol):
    """The history of a space, read back from the journal: a projection, never a second source of truth.

    A read returns fewer records than `limit` if they have more than `READ_BYTES` together, and none only at the end.
    """

    def records(self, space: str, *, after: int = 0, limit: int = 1000) -> Sequence[Record]:
        """Return up to `limit` records of one space after a position, in order."""

    def before(self, space: str, *, position: int | None = None, limit: int = 1000) -> Sequence[Record]:
        """Return up to `limit` records of one space that end before a position (None: at the newest), in order."""

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        """Yield the records of a space that may have an envelope of that id, newest or oldest first, reading each when
        needed.

        The envelope may have been refused, or have another id with the same fingerprint: the caller has to check.
        """

    @property
    def size(self) -> int:
        """The size of the journal in bytes, without freed space that will be reused."""

    @property
    def pruned(self) -> int:
        """The position up to which entries were deleted: what is kept before it has gaps."""

    def retain(self, space: str, ids: Iterable[str]) -> None:
        """Never delete the records of these interrupts and sequences (`retention.sequence_subject`).

        It is as durable as the next commit.
        """

    def prune(self, *, older_than: int, limit: int, open_ids: Mapping[str, Collection[str]] | None = None) -> int:
        """Delete old entries and their outputs, except those that `retention.judge` keeps.

        Returns how many were examined.

        Examined are up to `limit` entries from before a time, never those after the latest snapshot. Kept is what is
        retained, what concerns `open_ids` (by space), and conclusions that hold the head of an agent's timeline.
        """

    def release(self, *, most: int, limit: int) -> Released | None:
        """If all that `prune` has kept takes more than `most` bytes, delete the oldest of it that belongs to one
        participant.

        That is the participant with most of it, and up to `limit` of its entries. Returns what was deleted; None if
        nothing had to be.
        """
