"""What has arrived and is not journalled yet, and the ticks that take it on: one commit each (docs/architecture.md)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeGuard

import msgspec

from mew_gateway.errors import CorruptJournal, MewError, Unavailable
from mew_gateway.journal.base import Draft
from mew_gateway.protocol.kinds import URGENT
from mew_gateway.space.events import Connected, Received

from .asides import Aside, Frame, Reply
from .ports import Link, Loop, Timer
from .spaces import Spaces

logger = logging.getLogger("mew.hub")

TICK = 128  # events at most: some 5 ms; then the loop looks at its sockets
TICK_BYTES = 1_048_576  # bytes of their envelopes at most, or one envelope: a commit of some 3 ms
_RETRY = 1.0  # seconds between tries while the journal cannot be written

Arrived: TypeAlias = Draft | Aside


class Inbox:
    """Everything in the order it came, from all connections to all spaces.

    While the journal cannot be written, `refuse` is called with each of what waits; what it does not answer (who left)
    is kept. When it can be written again, all that waits is taken on then, behind what `healed` returns for an outage
    of so many milliseconds; `now` is the gateway's time. `fail` is called when the journal turns out to be corrupt.
    `resume` looks up what a connection that resumes has missed, and may raise `Unavailable`. `is_last` is asked whether
    the loop has nothing else to run before it looks at its sockets again.
    """

    def __init__(
        self,
        spaces: Spaces,
        *,
        loop: Loop,
        resume: Callable[[Draft], Draft],
        refuse: Callable[[Arrived], bool],
        now: Callable[[], int],
        healed: Callable[[int], Sequence[Draft]],
        fail: Callable[[MewError], object],
        is_last: Callable[[], bool],
    ) -> None:
        self._spaces = spaces
        self._loop = loop
        self._resume = resume
        self._refuse = refuse
        self._now = now
        self._healed = healed
        self._fail = fail
        self._is_last = is_last
        self._waiting: list[Arrived] = []
        self._size = 0  # bytes of them at most
        self._resuming: set[int] = set()  # connections that wait and are to be given what they missed
        self._paused: list[Link] = []
        self._ticking = False
        self._retry: Timer | None = None
        self._fault: Unavailable | None = None
        self._failed_at = 0  # when it began

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def fault(self) -> Unavailable | None:
        """Why the journal cannot be written; None: it took the latest tick."""
        return self._fault

    def put(self, *arrived: Arrived, size: int = 0) -> None:
        """Take these with the next tick, in their order. `size` is how many bytes of messages they are."""
        self._waiting += arrived
        self._size += size
        if not self._ticking:
            self.wake()

    def take(self, *arrived: Arrived, size: int = 0) -> None:
        """As `put`, from the callback of a socket and never from within a tick: with one at once, where nothing would
        join it (docs/decisions/0021)."""
        is_alone = bool(arrived) and not self._waiting and self._fault is None and self._is_last()
        self._waiting += arrived
        self._size += size
        if is_alone:
            try:
                self._run()
            except Exception:  # a mistake of ours: the loop would log it, and not end whoever's socket this is
                logger.exception("a tick failed")
        else:
            self.wake()

    def put_resuming(self, draft: Draft, connection: int) -> None:
        """Take a `Connected` that names the last envelope it had: what it missed is looked up behind all before it."""
        self._resuming.add(connection)
        self.put(draft)

    def left(self, connection: int) -> None:
        """Nobody is there any more to be given anything."""
        self._resuming.discard(connection)

    def pause(self, link: Link) -> None:
        """Read nothing more from a peer until there is room."""
        link.pause_reading()
        self._paused.append(link)

    def wake(self) -> None:
        """Have a tick, if anything waits."""
        if self._waiting and not self._ticking and self._fault is None:
            self._ticking = True
            self._loop.call_soon(self._run)

    def close(self) -> None:
        """Take what waits, at once and for the last time. Raises `Unavailable` or `CorruptJournal`."""
        if self._retry is not None:
            self._retry.cancel()
        self._resuming.clear()
        self._tick(most=len(self._waiting))
        while self._waiting:
            self._tick(most=len(self._waiting))

    def _run(self) -> None:
        self._ticking = False
        try:
            self._tick()
            self._spaces.save_when_due()
            if self._spaces.is_idle:  # else the commit wakes it
                self.wake()
        except Unavailable as error:
            self._suspend(error)
        except CorruptJournal as error:
            self._fail(error)

    def _tick(self, *, most: int = TICK) -> None:
        """Journal, handle, deliver. Raises `Unavailable` with nothing of what waits lost."""
        arrived = self._take(most)
        try:
            self._spaces.submit(arrived)
        except Unavailable:
            self._waiting[:0] = arrived
            self._size += sum(map(_size_of, arrived))
            raise
        self._resume_reading()

    def _take(self, most: int) -> list[Arrived]:
        """What comes next: up to the next connection that resumes, which is the first of a tick of its own; of more
        than `most`, or than `TICK_BYTES`, the urgent ones first. Raises `Unavailable`."""
        waiting = self._waiting
        if waiting and self._resumes(waiting[0]):
            if not self._spaces.is_idle:
                return []
            waiting[0] = self._resumed(waiting[0])
        end = len(waiting)
        if self._resuming:
            end = next((nth for nth, one in enumerate(waiting) if self._resumes(one)), end)
        fits = self._fitting(min(end, most))
        if fits < end:
            first = 1 if isinstance(waiting[0], Draft) and isinstance(waiting[0].event, Connected) else 0
            waiting[first:end] = urgent_first(waiting[first:end])  # who resumes misses nothing of it
            end = self._fitting(min(end, most))
        taken, self._waiting = waiting[:end], waiting[end:]
        self._size = self._size - sum(map(_size_of, taken)) if self._waiting else 0
        return taken

    def _fitting(self, end: int) -> int:
        """How many of the first `end` are taken together: of `TICK_BYTES` at most, or one."""
        if self._size > TICK_BYTES:
            size = 0
            for nth in range(end):
                size += _size_of(self._waiting[nth])
                if size > TICK_BYTES and nth:
                    return nth
        return end

    def _resumes(self, one: Arrived) -> TypeGuard[Draft]:
        event = one.event if isinstance(one, Draft) else None
        return isinstance(event, Connected) and event.connection in self._resuming

    def _resumed(self, draft: Draft) -> Draft:
        assert isinstance(draft.event, Connected)
        try:
            found = self._resume(draft)
        except Unavailable:
            self._spaces.try_journal()
            found = self._resumed_or_not(draft)
        self._resuming.discard(draft.event.connection)
        return found

    def _resumed_or_not(self, draft: Draft) -> Draft:
        """The journal can be written, a part of it perhaps not be read: that is no reason to hold everybody up."""
        try:
            return self._resume(draft)
        except Unavailable as error:
            logger.error("Somebody is not given what it missed: %s", error)
            return draft

    def _suspend(self, error: Unavailable) -> None:
        """Nothing was accepted: tell the senders, keep who left, and try again soon."""
        if self._fault is None:
            self._failed_at = self._now()
        if self._fault is None or self._fault.reason != error.reason:
            logger.error("%s Nothing is accepted until that is mended; it is tried every second.", error)
        self._fault = error
        self._waiting = [one for one in self._waiting if not self._refuse(one)]
        self._size = sum(map(_size_of, self._waiting))
        self._resume_reading()  # whoever is not read cannot answer a ping
        self._retry = self._loop.call_later(_RETRY, self._try_again)

    def _try_again(self) -> None:
        self._retry = None
        try:
            self._spaces.try_journal()
        except Unavailable as error:
            self._suspend(error)
        except CorruptJournal as error:
            self._fail(error)
        else:
            self._fault = None
            logger.warning("The journal can be written again.")
            now = self._now()
            self._waiting = [*self._healed(now - self._failed_at), *(_taken_at(now, one) for one in self._waiting)]
            self._run()

    def _resume_reading(self) -> None:
        paused, self._paused = self._paused, []
        for link in paused:
            link.resume_reading()


def _taken_at(now: int, one: Arrived) -> Arrived:
    """The same, at a later time: times in the journal never run back."""
    return msgspec.structs.replace(one, time=now) if isinstance(one, Draft) else one


def urgent_first(waiting: Sequence[Arrived]) -> list[Arrived]:
    """The same with what is urgent in front, in its order, as far as nothing else of its sender waits before it.

    Times in the journal never run back: what overtakes has the time of the first that it overtakes.
    """
    ahead: list[Arrived] = []
    behind: list[Arrived] = []
    senders: set[object] = set()
    time: int | None = None
    for one in waiting:
        sender = _sender_of(one)
        if isinstance(one, Draft) and _is_urgent(one) and senders.isdisjoint(sender):
            ahead.append(one if time is None else msgspec.structs.replace(one, time=time))
            continue
        behind.append(one)
        senders.update(sender)
        if time is None and isinstance(one, Draft):
            time = one.time
    return ahead + behind


def _size_of(one: Arrived) -> int:
    """Bytes of the message in it."""
    if not isinstance(one, Draft):
        return len(one.data)
    return len(one.event.data) if isinstance(one.event, Received) else 0


def _is_urgent(draft: Draft) -> bool:
    return isinstance(draft.event, Received) and draft.event.envelope.kind in URGENT


def _sender_of(one: Arrived) -> tuple[object, ...]:
    """Whose it is: a participant, or a connection, or both."""
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
