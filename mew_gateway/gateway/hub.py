"""The hub: a tick takes what arrived on all connections, journals it in one commit, and sends what follows."""

from __future__ import annotations

import logging
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import CorruptJournal, Fatal, MewError, Rejected, Unavailable
from mew_gateway.journal.base import Committed, Draft
from mew_gateway.protocol.codec import Sealer, encode, receive
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.kinds import HEARTBEAT, URGENT
from mew_gateway.space.events import Connected, DeadlinePassed, Disconnected, Received
from mew_gateway.space.settings import SpaceSettings

from .clock import Clock
from .fanout import header
from .metrics import Counters
from .ports import Link, Loop, Store, Timer
from .rate import Meter
from .spaces import Running, Spaces

logger = logging.getLogger("mew.hub")

_UNAVAILABLE = "The journal cannot be written: nothing was accepted. Send it again later."
_RETRY = 1.0  # seconds between tries while the journal cannot be written


class Seat:
    """A connection that joined: whose it is, and in which space."""

    __slots__ = ("link", "meter", "participant", "sealer", "space")

    def __init__(self, *, link: Link, space: str, participant: str, meter: Meter, sealer: Sealer) -> None:
        self.link = link
        self.space = space
        self.participant = participant
        self.meter = meter
        self.sealer = sealer


class Hub:
    """All connections and spaces of a process. One loop owns it; nothing here blocks but the journal's commit.

    `fail` is called when the journal turns out to be corrupt: nothing can be accepted any more, a person must look.
    """

    def __init__(
        self,
        *,
        open_journal: Callable[[Committed], Store],
        clock: Callable[[int], Clock],
        loop: Loop,
        new_id: Callable[[], str],
        limits: GatewayLimits,
        counters: Counters,
        fail: Callable[[MewError], object],
    ) -> None:
        self._loop = loop
        self._new_id = new_id
        self._limits = limits
        self._counters = counters
        self._fail = fail
        self._seats: dict[int, Seat] = {}
        self._held: Counter[tuple[str, str]] = Counter()
        self._meters: dict[tuple[str, str], Meter] = {}
        self._links: dict[int, Link] = {}
        self._paused: list[Link] = []
        self._inbox: list[Draft] = []
        self._connection = 0
        self._ticking = self._draining = False
        self._retry: Timer | None = None
        self.spaces = Spaces(
            open_journal=open_journal,
            links=self._links,
            counters=counters,
            after=self._rearm,
            refuse=self._refuse_event,
        )
        self._clock = clock(self.spaces.time)

    def start(self, settings: Mapping[str, SpaceSettings], *, draw_epoch: Callable[[], str]) -> None:
        """Bring the spaces up to their configuration; from here on connections may join. Raises `Unavailable`."""
        self.spaces.start(settings, now=self._clock.now(), draw_epoch=draw_epoch)
        states = [running.machine.state for _, running in self.spaces.items()]
        self._connection = max((state.last_connection for state in states), default=0)
        self.wake()

    def drain(self) -> None:
        """Take no new connections from here on."""
        self._draining = True

    def stop(self) -> None:
        """Journal that everybody left, keep a snapshot, let go of the journal."""
        for connection in list(self._seats):
            self.disconnect(connection)
        for timer in (self._retry, *(running.timer for _, running in self.spaces.items())):
            if timer is not None:
                timer.cancel()
        try:
            self._tick()
            self.spaces.save()
        except (Unavailable, CorruptJournal) as error:
            logger.error("stopped without a snapshot: %s", error)
        self.spaces.close()

    @property
    def is_ready(self) -> bool:
        """Whether connections are taken and envelopes accepted."""
        return not self._draining and self._retry is None

    @property
    def now(self) -> int:
        """The gateway's time, in milliseconds since the epoch."""
        return self._clock.now()

    @property
    def links(self) -> list[Link]:
        """The far ends of everybody who has joined."""
        return list(self._links.values())

    def connect(self, space: str, participant: str, link: Link) -> int:
        """Seat a connection of an authenticated participant; its number. Raises `Fatal` 1012 or 4009."""
        if not self.is_ready:
            raise Fatal(1012, "the gateway is not taking connections now")
        who = (space, participant)
        if self._held[who] >= self._limits.connections_per_participant:
            raise Fatal(4009, f"{participant} has {self._held[who]} connections, the most allowed")
        if len(self._seats) >= self._limits.connections:
            raise Fatal(4009, "the gateway has its maximum of connections")
        self._connection += 1
        self._held[who] += 1
        self._seats[self._connection] = Seat(
            link=link,
            space=space,
            participant=participant,
            meter=self._meter(who),
            sealer=Sealer(sender=participant, new_id=self._new_id),
        )
        self._links[self._connection] = link
        self._enqueue(Draft(space, self._clock.now(), Connected(self._connection, participant)))
        return self._connection

    def receive(self, connection: int, messages: Sequence[bytes]) -> None:
        """Take the messages that a connection brought at once. Raises `Fatal` 4029: the rest is dropped.

        What cannot be decoded or comes too fast is answered here, and not journalled (docs/protocol.md §2).
        """
        seat, now = self._seats[connection], self._clock.now()
        depth, admit = self._limits.json_depth, seat.meter.admit
        self._counters.received += len(messages)
        for data in messages:
            try:
                envelope, sealed = receive(data, seat.sealer, now=now, depth=depth)
            except Rejected as rejected:
                self._refuse_undecodable(seat, rejected, len(data), now)
                continue
            try:
                admit(len(data), now, urgent=envelope.kind in URGENT, correlation=envelope.id)
            except Rejected as rejected:
                self._refuse(seat, rejected)
                continue
            if envelope.kind == HEARTBEAT and envelope.sender == seat.participant:
                continue
            event = Received(seat.participant, connection, zlib.crc32(data), sealed, envelope)
            self._enqueue(Draft(seat.space, now, event))
        if len(self._inbox) >= self._limits.inbox:
            seat.link.pause_reading()
            self._paused.append(seat.link)

    def disconnect(self, connection: int) -> None:
        """A connection ended. Idempotent."""
        seat = self._seats.pop(connection, None)
        if seat is None:
            return
        del self._links[connection]
        who = (seat.space, seat.participant)
        self._held[who] -= 1
        if not self._held[who]:
            del self._held[who]
        self._enqueue(Draft(seat.space, self._clock.now(), Disconnected(connection)))

    def wake(self) -> None:
        """Look at every space's deadline: hand in the `DeadlinePassed` of those that are due, time the others."""
        for name, running in self.spaces.items():
            self._check_deadline(name, running)

    def _rearm(self, name: str, running: Running) -> None:
        if running.machine.deadline != running.armed:
            self._check_deadline(name, running)

    def _check_deadline(self, name: str, running: Running) -> None:
        if running.timer is not None:
            running.timer.cancel()
            running.timer = None
        deadline, now = running.machine.deadline, self._clock.now()
        running.armed = deadline
        if deadline is None:
            return
        if deadline <= now:
            running.armed = None  # whatever it leaves, the next deadline is timed anew
            self._enqueue(Draft(name, now, DeadlinePassed()))
        else:
            delay = (deadline - now) / 1000
            running.timer = self._loop.call_later(delay, lambda: self._check_deadline(name, running))

    def _meter(self, who: tuple[str, str]) -> Meter:
        limits = self._limits
        meter = self._meters.get(who)
        if meter is None:
            meter = self._meters[who] = Meter(
                per_second=limits.envelopes_per_second,
                burst=limits.envelopes_burst,
                bytes_per_second=limits.bytes_per_second,
                frame_bytes=limits.frame_bytes,
                now=self._clock.now(),
            )
        return meter

    def _enqueue(self, draft: Draft) -> None:
        self._inbox.append(draft)
        if not self._ticking and self._retry is None:
            self._ticking = True
            self._loop.call_soon(self._run_tick)

    def _run_tick(self) -> None:
        self._ticking = False
        try:
            self._tick()
            self.spaces.save_when_due()
        except Unavailable as error:
            self._suspend(error)
        except CorruptJournal as error:
            self._draining = True
            self._fail(error)

    def _tick(self) -> None:
        """Journal, handle, deliver. Raises `Unavailable` with the inbox as it was."""
        drafts, self._inbox = self._inbox, []
        try:
            self.spaces.submit(drafts)
        except Unavailable:
            self._inbox[:0] = drafts
            raise
        self._resume_reading()

    def _resume_reading(self) -> None:
        paused, self._paused = self._paused, []
        for link in paused:
            link.resume_reading()

    def _suspend(self, error: Unavailable) -> None:
        """Nothing was accepted: tell the senders, keep who came and went, and try again soon."""
        logger.error("the journal cannot be written: %s", error)
        waiting, self._inbox = self._inbox, []
        for draft in waiting:
            if isinstance(draft.event, Received):
                self._refuse_event(draft.event, Rejected("journal_unavailable", _UNAVAILABLE))
            else:
                self._inbox.append(draft)
        self._resume_reading()  # whoever is not read cannot answer a ping
        self._retry = self._loop.call_later(_RETRY, self._try_again)

    def _try_again(self) -> None:
        self._retry = None
        self._run_tick()

    def _refuse_event(self, event: Received, rejected: Rejected) -> None:
        seat = self._seats.get(event.connection)
        if seat is not None:
            rejected.correlation = event.envelope.id
            self._refuse(seat, rejected)

    def _refuse_undecodable(self, seat: Seat, rejected: Rejected, size: int, now: int) -> None:
        """It counts against the rate too, and a flood of it ends the connection. Raises `Fatal` 4029."""
        try:
            seat.meter.admit(size, now, urgent=False, correlation=rejected.correlation)
        except Rejected as too_fast:
            rejected = too_fast
        self._refuse(seat, rejected)

    def _refuse(self, seat: Seat, rejected: Rejected) -> None:
        """Answer on the spot what never reaches the journal."""
        self._counters.refused[rejected.code] += 1
        data = encode(
            id=self._new_id(),
            now=self._clock.now(),
            sender=GATEWAY,
            kind="system/error",
            payload={"error": rejected.code, "message": rejected.message, **rejected.details},
            to=(seat.participant,),
            correlation_id=() if rejected.correlation is None else (rejected.correlation,),
        )
        seat.link.write(header(len(data)) + data)
