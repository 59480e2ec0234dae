"""Input that waits for its tick, from all connections to all spaces, in the order it came.

A batch is what one tick takes: up to `TICK` arrivals and `TICK_BYTES` of their messages, or one of any size. If more
waits, urgent kinds come first (`urgent_first`). A connection that resumes is the first of a batch of its own: what it
missed is looked up when everything before it has been handled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

import msgspec

from mew_gateway.errors import Unavailable
from mew_gateway.protocol.kinds import URGENT
from mew_gateway.space.events import Connected, Received

from .batch import Arrival, Frame, Item, Reply
from .interfaces import Link

TICK = 128  # arrivals at most: some 5 ms; then the loop looks at its sockets
TICK_BYTES = 1_048_576  # bytes of their envelopes at most, or one envelope: a commit of some 3 ms


class Inbox:
    """The queue between the connections and the tick, and the connections that are not read while it is full.

    `fault` says why nothing is taken out of it: the journal cannot be written. None: it took the latest batch.
    """

    def __init__(self) -> None:
        self.fault: Unavailable | None = None
        self._waiting: list[Arrival] = []
        self._size = 0  # bytes of their messages at most
        self._resuming: set[int] = set()  # connections that wait and are to be given what they missed
        self._paused: list[Link] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, *arrivals: Arrival, size: int = 0) -> None:
        """Queue arrivals. `size` is how many bytes of messages they have."""
        self._waiting += arrivals
        self._size += size

    def put_resuming(self, item: Item, connection: int) -> None:
        """Queue a `Connected` whose missed envelopes are looked up when everything before it has been handled."""
        self._resuming.add(connection)
        self._waiting.append(item)

    def forget(self, connection: int) -> None:
        """Forget that a connection resumes; it has ended."""
        self._resuming.discard(connection)

    def forget_all(self) -> None:
        """Forget all connections that resume."""
        self._resuming.clear()

    def next_resuming(self) -> Item | None:
        """Return the `Connected` that a batch would begin with and that resumes; None if there is none."""
        return self._waiting[0] if self._waiting and self._resumes(self._waiting[0]) else None

    def resume_next(self, item: Item) -> None:
        """Replace what `next_resuming` returned: `item` has what the connection missed, or nothing to be given."""
        assert isinstance(item.event, Connected)
        self._waiting[0] = item
        self._resuming.discard(item.event.connection)

    def take(self, *, most: int = TICK) -> list[Arrival]:
        """Take the next batch out: up to the next connection that resumes, the urgent kinds first if there is more."""
        waiting = self._waiting
        end = len(waiting)
        if self._resuming:
            end = next((nth for nth, one in enumerate(waiting) if self._resumes(one)), end)
        fits = self._fitting(min(end, most))
        if fits < end:
            first = 1 if isinstance(waiting[0], Item) and isinstance(waiting[0].event, Connected) else 0
            waiting[first:end] = urgent_first(waiting[first:end])  # a resuming connection misses nothing of it
            end = self._fitting(min(end, most))
        taken, self._waiting = waiting[:end], waiting[end:]
        self._size = self._size - sum(map(_size_of, taken)) if self._waiting else 0
        return taken

    def give_back(self, batch: Sequence[Arrival]) -> None:
        """Put a batch back that could not be journalled, before everything else."""
        self._waiting[:0] = batch
        self._size += sum(map(_size_of, batch))

    def drop(self, is_answered: Callable[[Arrival], bool]) -> None:
        """Keep only the arrivals for which `is_answered` returns False. It is asked about each, in order."""
        self._waiting = [one for one in self._waiting if not is_answered(one)]
        self._size = sum(map(_size_of, self._waiting))

    def postpone(self, now: int, before: Sequence[Item]) -> None:
        """Give everything that waits a later time, `now` in milliseconds, and put `before` before it: times in the
        journal never run back."""
        later = (msgspec.structs.replace(one, time=now) if isinstance(one, Item) else one for one in self._waiting)
        self._waiting = [*before, *later]

    def pause(self, link: Link) -> None:
        """Read nothing more from a peer until the next batch is taken."""
        link.pause_reading()
        self._paused.append(link)

    def resume_reading(self) -> None:
        """Read all peers again."""
        paused, self._paused = self._paused, []
        for link in paused:
            link.resume_reading()

    def _fitting(self, end: int) -> int:
        """Return how many of the first `end` are taken together: of `TICK_BYTES` at most, or one."""
        if self._size > TICK_BYTES:
            size = 0
            for nth in range(end):
                size += _size_of(self._waiting[nth])
                if size > TICK_BYTES and nth:
                    return nth
        return end

    def _resumes(self, one: Arrival) -> TypeGuard[Item]:
        event = one.event if isinstance(one, Item) else None
        return isinstance(event, Connected) and event.connection in self._resuming


def urgent_first(waiting: Sequence[Arrival]) -> list[Arrival]:
    """Put urgent kinds first, in their order, unless something else of their sender waits before them.

    Times in the journal never run back: what overtakes gets the time of the first that it overtakes.
    """
    urgent: list[Arrival] = []
    others: list[Arrival] = []
    senders: set[object] = set()
    time: int | None = None
    for one in waiting:
        sender = _sender_of(one)
        if isinstance(one, Item) and _is_urgent(one) and senders.isdisjoint(sender):
            urgent.append(one if time is None else msgspec.structs.replace(one, time=time))
            continue
        others.append(one)
        senders.update(sender)
        if time is None and isinstance(one, Item):
            time = one.time
    return urgent + others


def _size_of(one: Arrival) -> int:
    """Return the bytes of the message in it."""
    if not isinstance(one, Item):
        return len(one.data)
    return len(one.event.data) if isinstance(one.event, Received) else 0


def _is_urgent(item: Item) -> bool:
    return isinstance(item.event, Received) and item.event.envelope.kind in URGENT


def _sender_of(one: Arrival) -> tuple[object, ...]:
    """Return who sent it: a participant, a connection, or both."""
    if isinstance(one, Reply):
        return (one.connection,)
    if isinstance(one, Frame):
        return ((one.space, one.participant),)
    match one.event:
        case Received(participant=participant, connection=connection):
            return ((one.space, participant), connection) if connection else ((one.space, participant),)
        case Connected(participant=participant):
            return ((one.space, participant),)
        case _:
            return ()
