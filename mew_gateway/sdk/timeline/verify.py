"""Verify a timeline's chain: find entries that were changed, removed, added or moved.

A chain that was rewritten from some entry to its end is consistent again. Only a head that was recorded elsewhere, as
the gateway's journal does with each conclusion, reveals that (docs/timeline.md).

The algorithm walks along the chain and holds a window of entries ahead (`pool`) and of positions before. If the next
entry does not fit, it looks for the entry that does: in the pool (entries were moved or inserted), after an earlier
position (entries were inserted), or after a gap in the numbers (entries were removed). Otherwise the entry itself was
changed, and the entry after it shows whether its content or its hash was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from .entry import GENESIS, Entry, link

What: TypeAlias = Literal["changed", "missing", "added", "reordered"]

_WINDOW = 64  # how far away the rest of the chain is looked for after a fault, in entries


class Fault(msgspec.Struct, frozen=True):
    """A fault of the entry `seq`, with a sentence for a person."""

    seq: int
    what: What
    sentence: str


def faults(entries: Iterable[Entry], *, newest: int | None = None, after: Entry | None = None) -> Iterator[Fault]:
    """Return the faults of a timeline read from its start, or from after a trusted entry `after`, in the order found.

    `newest` is the highest `seq` ever given, if known: it reveals missing last entries.
    """
    walk = _Walk(iter(entries), newest, _Joint(GENESIS, 1) if after is None else _Joint(after.hash, after.seq + 1))
    while walk.pool:
        yield from walk.step()
    yield from walk.end()


class _Joint(NamedTuple):
    """A position in the chain: the hash that the next entry must follow (None: unknown), and its `seq`."""

    hash: str | None
    place: int
    seq: int = 0  # the entry's that the chain has come to; it says so itself, and may lie

    def takes(self, entry: Entry) -> bool:
        return self.hash is not None and link(self.hash, self.place, entry) == entry.hash

    def after(self, entry: Entry, hash: str | None) -> _Joint:
        return _Joint(hash, self.place + 1, entry.seq)


class _Walk:
    """One walk along a chain. `shift` is the offset of the entries' own `seq` after a renumbering."""

    def __init__(self, entries: Iterator[Entry], newest: int | None, start: _Joint) -> None:
        self._entries = entries
        self._newest = newest
        self._joints: deque[_Joint] = deque([start], maxlen=_WINDOW)
        self._shift = 0
        self._last = 0
        self.pool: deque[Entry] = deque()
        self._fill()

    def step(self) -> Iterator[Fault]:
        """Take one entry from the pool, or report why not."""
        first = self.pool[0]
        if self._joint.takes(first) and first.seq == self._expected:
            self._take(0, first.hash)
        elif (k := self._found(self._joint)) is not None:
            yield from self._take_from_behind(k)
        elif first.seq < self._expected:
            yield _added(first.seq)
            self._drop(0)
        elif (joint := next((one for one in reversed(self._joints) if one.takes(first)), None)) is not None:
            yield from self._go_back(joint)
        elif first.seq > self._expected:
            yield from self._cross(first)
        elif self._joint.hash is None:  # after an entry that lost its hash, this one cannot be checked
            self._take(0, first.hash)
        else:
            yield from self._mend(first)

    def end(self) -> Iterator[Fault]:
        """Report what is missing at the end, or exceeds it."""
        last = self._joint.place - 1
        if self._newest is not None and max(self._last, last) < self._newest:
            yield _missing(max(self._last, last) + 1, self._newest)
        elif self._newest is not None and last > self._newest:
            yield from (_added(seq + self._shift) for seq in range(self._newest + 1, last + 1))

    @property
    def _joint(self) -> _Joint:
        return self._joints[-1]

    @property
    def _expected(self) -> int:
        return self._joint.place + self._shift

    def _fill(self) -> None:
        self.pool.extend(islice(self._entries, _WINDOW - len(self.pool)))

    def _drop(self, k: int) -> None:
        self._last = max(self._last, self.pool[k].seq)
        del self.pool[k]
        self._fill()

    def _take(self, k: int, hash: str | None) -> None:
        """Take the entry at `k` of the pool as the next of the chain, which continues from `hash`."""
        self._joints.append(self._joint.after(self.pool[k], hash))
        self._drop(k)

    def _found(self, joint: _Joint) -> int | None:
        return next((k for k, entry in enumerate(self.pool) if joint.takes(entry)), None)

    def _take_from_behind(self, k: int) -> Iterator[Fault]:
        """Take the next entry of the chain, which is not in its place."""
        entry = self.pool[k]
        if entry.seq != self._expected:
            following = self._found(self._joint.after(entry, entry.hash))
            renumbered = k > 0 if following is None else self.pool[following].seq == entry.seq + 1
            if not (renumbered and k):
                yield Fault(entry.seq, "reordered", f"Entry {entry.seq} was written as entry {self._joint.place}.")
            if renumbered:
                for _ in range(k):  # what lies before it was put there, and the later entries renumbered
                    yield _added(self.pool[0].seq)
                    self._drop(0)
                k, self._shift = 0, entry.seq - self._joint.place
        self._take(k, entry.hash)

    def _go_back(self, joint: _Joint) -> Iterator[Fault]:
        """Handle a first entry that follows an earlier position: the entries taken in between were inserted."""
        added: list[Fault] = []
        while self._joint is not joint:
            added.append(_added(self._joints.pop().seq))
        yield from reversed(added)
        self._shift = self.pool[0].seq - joint.place
        self._take(0, self.pool[0].hash)

    def _cross(self, first: Entry) -> Iterator[Fault]:
        """Handle a gap in the numbers: continue after it."""
        missing = _missing(self._expected, first.seq - 1)
        self._leap(first.seq - self._shift)
        yield missing if self._joint.takes(first) else _unchecked(missing, first.seq)
        self._take(0, first.hash)

    def _leap(self, place: int) -> None:
        self._joints[-1] = self._joint._replace(place=place)

    def _mend(self, first: Entry) -> Iterator[Fault]:
        """Handle an entry in its place that does not fit: the entry after it shows why."""
        joint, seq = self._joint, first.seq
        following = self.pool[1] if len(self.pool) > 1 else None
        computed = link(str(joint.hash), joint.place, first)
        if following is None:
            if self._newest is None or joint.place <= self._newest:  # else the check of the end reports it
                yield Fault(seq, "changed", f"Entry {seq}, the last, does not follow from the rest: changed, or added.")
            self._take(0, first.hash)
        elif joint.after(first, first.hash).takes(following):
            yield Fault(seq, "changed", _unfollowing(seq))
            self._take(0, first.hash)
        elif joint.after(first, computed).takes(following):
            yield Fault(seq, "changed", f"The hash of entry {seq} was changed.")
            self._take(0, computed)
        elif lost := next((n for n in range(1, _WINDOW) if _follows(following, first, joint.place + n)), 0):
            yield _lost(seq, lost)
            self._shift -= lost
            self._leap(joint.place + lost)
            self._take(0, first.hash)
        else:
            yield _unchecked(Fault(seq, "changed", f"Entry {seq} and its hash were changed."), following.seq)
            self._take(0, None)


def _follows(entry: Entry, other: Entry, place: int) -> bool:
    """Return true if an entry follows another, if that one's `seq` were `place`."""
    return link(other.hash, place + 1, entry) == entry.hash


def _added(seq: int) -> Fault:
    return Fault(seq, "added", f"Entry {seq} was not written by the agent.")


def _unfollowing(seq: int) -> str:
    if seq == 1:
        return "Entry 1 was changed."
    return f"Entry {seq} does not follow from entry {seq - 1}: it was changed, or entry {seq - 1} with its hash."


def _missing(first: int, last: int) -> Fault:
    said = f"Entry {first} is missing." if first == last else f"Entries {first} to {last} are missing."
    return Fault(first, "missing", said)


def _lost(seq: int, count: int) -> Fault:
    said = "an entry is" if count == 1 else f"{count} entries are"
    return Fault(seq, "missing", f"Before entry {seq} {said} missing, and the later ones were renumbered.")


def _unchecked(fault: Fault, seq: int) -> Fault:
    return Fault(fault.seq, fault.what, f"{fault.sentence[:-1]}, so that entry {seq} cannot be checked.")
