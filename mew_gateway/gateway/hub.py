"""The hub: a tick takes what arrived on all connections, journals it in one commit, and sends what follows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import assert_never
from zlib import crc32

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import CorruptJournal, Fatal, MewError, Rejected, Unavailable
from mew_gateway.journal.base import Committed, Draft
from mew_gateway.protocol.codec import Sealer, peek, receive, tokens_of
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import HEARTBEAT, JOIN, URGENT
from mew_gateway.protocol.places import on_the_spot
from mew_gateway.space.effects import Close, Dismiss, Issue, Readmit, Terminate
from mew_gateway.space.events import Connected, DeadlinePassed, Disconnected, Received, Stalled
from mew_gateway.space.settings import SpaceSettings

from .activity import Activity
from .alarms import Alarms
from .asides import Frame, Reply, about_frame, is_frame, stream_of
from .clock import Clock
from .complaints import Complaints
from .inbox import Arrived, Inbox
from .issuing import Issuing
from .metrics import Counters
from .ports import Link, Loop, Store, Turns
from .posts import Accepted, Answer, Posts
from .rate import FLOOD, Meter, Window
from .resuming import Resuming
from .running import Running
from .seats import Seat, Seats
from .sockets.frames import Message
from .spaces import Outward, Spaces
from .stalls import Stalls

logger = logging.getLogger("mew.hub")

TOKENS_AT_ONCE = 4_096  # of JSON, in what a connection brings: 1 ms; what comes after has a turn of its own
_LONG = 65_536  # bytes of an envelope that always has one
_LONG_TOGETHER = 262_144  # bytes of messages: what comes after has one, too
MOST_REFUSED = 1_000  # messages of those that a connection brings at once; an answer takes 8 µs

_UNAVAILABLE = "Nothing is accepted now: the gateway stops, or its journal cannot be written. Send it again later."


def most_at_once(limits: GatewayLimits) -> int:
    """How many messages of a connection at once are a flood whatever they are: `MOST_REFUSED` of them would be."""
    return MOST_REFUSED + 2 * limits.envelopes_burst  # as many pass at most, and as many urgent ones


class Hub:
    """All connections and spaces of a process. One loop owns it; nothing here blocks but the journal's commit.

    `dismiss` is called with a space and a participant that was kicked, `readmit` when it may come back,
    `terminate` when its process is to end, within so many milliseconds; `draw_token` makes a token for somebody
    invited. `fail` is called when the journal turns out to be corrupt: nothing can be accepted any more, a person must
    look. `is_last` says whether the loop runs nothing else in this pass. `monotonic` gives seconds: by them
    stalls are noticed. What takes long is done in `turns`.
    """

    def __init__(
        self,
        *,
        open_journal: Callable[[Committed], Store],
        clock: Callable[[int], Clock],
        loop: Loop,
        turns: Turns,
        new_id: Callable[[], str],
        limits: GatewayLimits,
        counters: Counters,
        dismiss: Callable[[str, str], object],
        readmit: Callable[[str, str], object],
        terminate: Callable[[str, str, int], object],
        draw_token: Callable[[], str],
        fail: Callable[[MewError], object],
        is_last: Callable[[], bool] = lambda: False,
        monotonic: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._new_id = new_id
        self._limits = limits
        self._counters = counters
        self._dismiss = dismiss
        self._readmit = readmit
        self._terminate = terminate
        self._fail = fail
        self._seats = Seats(limits=limits, new_id=new_id)
        self._strangers = Window(limits.strangers)
        self.activity = Activity(counters)
        self.complaints = Complaints(
            self._seats,
            new_id=lambda: on_the_spot(self.spaces.position, new_id()),
            now=lambda: self.now,
            counters=counters,
            activity=self.activity,
        )
        self._draining = False
        self._posts = Posts()
        self._issuing = Issuing(draw_token)
        self.spaces = Spaces(
            open_journal=open_journal,
            links=self._seats.links,
            counters=counters,
            activity=self.activity,
            after=self._worked,
            refuse=self._refuse_event,
            refuse_frame=self._refuse_frame,
            perform=self._perform,
            posts=self._posts,
            issuing=self._issuing,
        )
        self._inbox = Inbox(
            self.spaces,
            loop=loop,
            resume=self._resume,
            refuse=self._give_back,
            now=lambda: self.now,
            healed=self._healed,
            fail=self._corrupt,
            is_last=is_last,
        )
        self._resuming = Resuming(
            self.spaces,
            self._seats,
            self._inbox,
            turns=turns,
            now=lambda: self.now,
            most_bytes=limits.outbox_bytes // 2,
        )
        self.stalls = Stalls(loop=loop, monotonic=monotonic, is_last=is_last, stalled=self._stalled)
        self._alarms = Alarms(self.spaces, loop=loop, stalls=self.stalls, now=lambda: self.now, due=self._pass_deadline)
        self._clock = clock(self.spaces.time)

    def start(self, settings: Mapping[str, SpaceSettings], *, draw_epoch: Callable[[], str]) -> None:
        """Bring the spaces up to their configuration; from here on connections may join. Raises `Unavailable`."""
        self.spaces.start(settings, now=self._clock.now(), draw_epoch=draw_epoch)
        states = [running.machine.state for _, running in self.spaces.items()]
        self._seats.last = max((state.last_connection for state in states), default=0)
        self.wake()

    def drain(self) -> None:
        """Take no new connections from here on."""
        self._draining = True

    def stop(self) -> None:
        """Journal that everybody left, keep a snapshot, let go of the journal."""
        for connection in list(self._seats):
            self.disconnect(connection)
        self._alarms.stop()
        self.stalls.stop()
        try:
            self._inbox.close()
            self.spaces.save()
        except (Unavailable, CorruptJournal) as error:
            logger.error("stopped without a snapshot: %s", error)
        self.spaces.close()

    @property
    def is_ready(self) -> bool:
        """Whether connections are taken and envelopes accepted."""
        return self.unready is None

    @property
    def unready(self) -> str | None:
        """Why nothing is taken now, as a sentence that anybody may read; None: it is."""
        if self._draining:
            return "The gateway stops."
        return None if self._inbox.fault is None else self._inbox.fault.reason

    @property
    def now(self) -> int:
        """The gateway's time, in milliseconds since the epoch."""
        return self._clock.now()

    @property
    def awake(self) -> int:
        """The gateway's time without that of its stalls: by it a peer's patience and ours are counted."""
        self.stalls.look()
        return self._clock.now() - self.stalls.total

    @property
    def sole_space(self) -> str | None:
        """The only space there is; None if there are several."""
        names = [name for name, _ in self.spaces.items()]
        return names[0] if len(names) == 1 else None

    @property
    def links(self) -> list[Link]:
        """The far ends of everybody who has joined."""
        return list(self._seats.links.values())

    def admit_connect(self, space: str, participant: str) -> None:
        """Count that an authenticated participant connects. Raises `Rejected` `rate_limited`.

        While nothing is taken nobody is counted: everybody comes back from that.
        """
        if self.unready is None:
            now = self._clock.now()
            try:
                self._seats.meter(space, participant, now).connect(now)
            except Rejected as rejected:
                self._note_refused(space, participant, rejected, JOIN)
                raise

    def admit_stranger(self) -> None:
        """Count a connection or a request that brings no valid token, as `admit_connect` does a participant's. Raises
        `Rejected` `rate_limited`."""
        if self.unready is None:
            try:
                self._strangers.count(self._clock.now(), message="Too many come without a valid token")
            except Rejected as rejected:
                self._counters.refused[rejected.code] += 1
                raise

    def connect(
        self, space: str, participant: str, link: Link, *, alias: str | None = None, after: str | None = None
    ) -> int:
        """Seat a connection of an authenticated participant, who calls itself `alias` on it; its number.

        It is given what the participant could see since the envelope `after`, behind its welcome. Raises `Fatal` 1012,
        4503 or 4009, `Rejected` `join_refused` for an alias it cannot have.
        """
        if (reason := self.unready) is not None:
            raise Fatal(1012, reason)
        if participant in self.spaces[space].machine.state.kicked:
            raise Fatal(4503, f"{participant} was removed from this space")
        aliases, now = self.spaces[space].aliases, self._clock.now()
        seat = self._seats.take(space, participant, link, aliases=aliases, alias=alias, now=now)
        if after is None:
            self._inbox.put(Draft(space, now, Connected(seat.connection, participant)))
        else:
            self._resuming.begin(seat, after)
        return seat.connection

    def _resume(self, draft: Draft) -> Draft:
        return self._resuming.resumed(draft)

    def receive(self, connection: int, messages: Sequence[Message], *, has_turn: bool = False) -> Sequence[Message]:
        """Take the messages that a connection brought at once; what is returned has to wait for another turn. Raises
        `Fatal` 4029: the rest is dropped.

        Envelopes that take long to decode are taken only with `has_turn`: one at least, and those after it while they
        are small.

        While a connection waits for what it missed, nothing is taken from it.

        What cannot be decoded or comes too fast is answered here, and not journalled (docs/protocol.md §2).
        """
        self.stalls.look()
        if self._resuming.waits(connection):
            return messages
        seat, now = self._seats[connection], self._clock.now()
        arrived: list[Arrived] = []
        refused = tokens = taken_up = size = 0
        try:
            for data, is_text in messages:
                size += len(data)
                if is_frame(data):
                    taken_up += 1
                    taken: Arrived | None = self._frame(seat, data, now, is_text=is_text)
                else:
                    if len(data) > _LONG and not has_turn:
                        break
                    own = self._tokens(data, seat.meter, now)
                    if own > TOKENS_AT_ONCE and not has_turn:
                        break
                    taken_up += 1
                    tokens += own
                    taken = self._draft(seat, data, now, tokens=own)
                if taken is not None:
                    arrived.append(taken)
                    refused += isinstance(taken, Reply)
                    if refused == MOST_REFUSED:
                        raise Fatal(4029, f"flooding: {refused} messages that came at once were refused")
                if tokens > TOKENS_AT_ONCE or size > _LONG_TOGETHER:
                    break
        finally:
            self._counters.received += taken_up
            (self._inbox.put if has_turn else self._inbox.take)(*arrived, size=size)
        if len(self._inbox) >= self._limits.inbox:
            self._inbox.pause(seat.link)
        return messages[taken_up:]

    def _draft(self, seat: Seat, data: bytes, now: int, *, tokens: int) -> Draft | Reply | None:
        """What an envelope becomes, or the refusal, in its place among what the connection is sent; None for a
        heartbeat, which needs nothing. Raises `Fatal` 4029."""
        try:
            envelope, sealed = self._admit(data, seat.sealer, seat.meter, now, tokens=tokens)
        except Rejected as rejected:
            return self.complaints.reply(seat, rejected)
        if envelope.kind == HEARTBEAT and envelope.sender == seat.participant:
            return None
        return Draft(seat.space, now, Received(seat.participant, seat.connection, crc32(data), sealed, envelope))

    def _frame(self, seat: Seat, data: bytes, now: int, *, is_text: bool) -> Frame | Reply:
        """A stream's frame, or its refusal. Raises `Fatal` 4029."""
        try:
            seat.meter.admit(len(data), now, urgent=False, correlation=None)
            return Frame(seat.space, seat.participant, seat.connection, stream_of(data), data, is_text)
        except Rejected as rejected:
            return self.complaints.reply(seat, about_frame(rejected, data))

    def post(self, space: str, participant: str, data: bytes, answer: Answer) -> None:
        """Take an envelope that an authenticated participant posted over HTTP: no connection is needed or made.

        `answer` is called once, when it was handled or refused. Raises `Rejected` for what never reaches the journal.
        """
        self.stalls.look()
        now = self._clock.now()
        self._counters.received += 1
        try:
            envelope, sealed = self._admit_post(space, participant, data, now)
        except Rejected as rejected:
            self._note_refused(space, participant, rejected)
            raise
        if envelope.kind == HEARTBEAT and envelope.sender == participant:
            answer(Accepted(envelope.id, envelope.ts))
            return
        event = Received(participant, 0, crc32(data), sealed, envelope)
        self._posts.expect(space, event, answer)
        self._inbox.put(Draft(space, now, event), size=len(data))

    def _admit_post(self, space: str, participant: str, data: bytes, now: int) -> tuple[Envelope, bytes]:
        self._check_open()
        sealer = Sealer(sender=participant, new_id=self._new_id, aliases=self.spaces[space].aliases)
        try:
            meter = self._seats.meter(space, participant, now)
            return self._admit(data, sealer, meter, now, tokens=self._tokens(data, meter, now))
        except Fatal as flood:
            raise _slowed(flood) from None

    def _note_refused(self, space: str, participant: str, rejected: Rejected, kind: str | None = None) -> None:
        """Count and log a refusal that is answered over HTTP."""
        self._counters.refused[rejected.code] += 1
        self.activity.refused(space, participant, rejected.code, kind)

    def _check_open(self) -> None:
        """Whoever has no connection to wait on is told at once that nothing is taken. Raises `Rejected`."""
        if not self.is_ready or len(self._inbox) >= self._limits.inbox:
            raise Rejected("journal_unavailable", _UNAVAILABLE)

    def _tokens(self, data: bytes, meter: Meter, now: int) -> int:
        """What decoding a message may take; 0 for a long one that is refused whatever its tokens are: counting takes
        2 to 10 ms a megabyte."""
        if len(data) > _LONG and not meter.affords(len(data), now, tokens=0) and peek(data)[1] not in URGENT:
            return 0
        return tokens_of(data, most=self._limits.json_tokens)

    def _admit(self, data: bytes, sealer: Sealer, meter: Meter, now: int, *, tokens: int) -> tuple[Envelope, bytes]:
        """An envelope and the bytes to journal. Raises `Rejected`; `Fatal` 4029 for a flood, of garbage too.

        What is too much is not decoded: only its id and its kind are looked for.
        """
        size, most = len(data), self._limits.json_tokens
        if tokens > most:
            id, _ = peek(data)
            meter.admit(size, now, urgent=False, correlation=id)
            message = f"The JSON has more than {most} brackets, commas and colons."
            raise Rejected("too_complex", message, correlation=id, limit=most)
        is_counted = not meter.affords(size, now, tokens=tokens)
        if is_counted:
            id, kind = peek(data)
            meter.admit(size, now, urgent=kind in URGENT, correlation=id, tokens=tokens)
        try:
            envelope, sealed = receive(data, sealer, now=now, depth=self._limits.json_depth)
        except Rejected as rejected:
            if not is_counted:
                meter.admit(size, now, urgent=False, correlation=rejected.correlation, tokens=tokens)
            raise
        if not is_counted:
            meter.admit(size, now, urgent=envelope.kind in URGENT, correlation=envelope.id, tokens=tokens)
        if envelope.kind == JOIN:  # refused here: the journal must not have its token
            raise Rejected("reserved_kind", "You have joined already.", correlation=envelope.id)
        return envelope, sealed

    def frames_left(self, connection: int) -> int:
        """How many control frames and short fragments a connection may bring now, of those of its participant."""
        return self._seats[connection].meter.frames(self._clock.now())

    def spend_frames(self, connection: int, frames: int) -> None:
        """A connection brought so many."""
        self._seats[connection].meter.spend(frames=frames)

    def disconnect(self, connection: int, *, unread: int = 0) -> None:
        """A connection ended, amid a message of which `unread` bytes had come. Idempotent."""
        seat = self._seats.leave(connection)
        if seat is None:
            return
        if unread:
            seat.meter.waste(unread)
        self.spaces[seat.space].aliases.release(connection)
        if self._resuming.left(connection):
            return
        self._inbox.left(connection)
        self._inbox.put(Draft(seat.space, self._clock.now(), Disconnected(connection)))

    def wake(self) -> None:
        """Look at every space's deadline: hand in the `DeadlinePassed` of those that are due, time the others."""
        self._alarms.look()

    def trim(self) -> None:
        """Let go of what is kept for those who are not here and would be the same made anew."""
        self._seats.forget_rested(self._clock.now())

    def _worked(self, name: str, running: Running) -> None:
        self._alarms.follow(name, running)
        self._inbox.wake()  # somebody who resumes may have waited for this

    def _stalled(self, milliseconds: int) -> None:
        """Nothing was read for so long: said before what is read now."""
        logger.warning(
            "The gateway stood still for %.1f s: what had arrived is read before a wait ends.", milliseconds / 1000
        )
        self._counters.stalls += 1
        self._counters.stalled += milliseconds
        if self._inbox.fault is not None:
            return  # it is a part of the outage
        now = self._clock.now()
        waiting = [name for name, running in self.spaces.items() if running.machine.state.interrupts]
        self._inbox.put(*(Draft(name, now, Stalled(milliseconds)) for name in waiting))

    def _healed(self, milliseconds: int) -> list[Draft]:
        """The journal can be written again: each space in which anything is timed is told for how long it could not."""
        now = self._clock.now()
        timed = [name for name, running in self.spaces.items() if running.machine.deadline is not None]
        return [Draft(name, now, Stalled(milliseconds, refused=True)) for name in timed]

    def _pass_deadline(self, name: str) -> None:
        if self._inbox.fault is None:  # else it is timed anew behind the outage, which may have moved it
            self._inbox.put(Draft(name, self._clock.now(), DeadlinePassed()))

    def _perform(self, space: str, effect: Outward) -> None:
        """What a space wants done in the world around it."""
        match effect:
            case Close():
                link = self._seats.links.get(effect.connection)
                if link is not None:
                    link.close(effect.code, effect.reason)
            case Issue():
                self._inbox.put(Draft(space, self._clock.now(), self._issuing.draw(effect)))
            case Dismiss():
                self._resuming.expel(space, effect.participant)
                self._dismiss(space, effect.participant)
            case Terminate():
                self._terminate(space, effect.participant, effect.limit)
            case Readmit():
                self._readmit(space, effect.participant)
            case _:
                assert_never(effect)

    def post_frame(self, space: str, participant: str, data: bytes, *, is_text: bool) -> None:
        """Deliver a stream's frame that an authenticated participant posted over HTTP. Raises `Rejected`."""
        now = self._clock.now()
        self._counters.received += 1
        try:
            self._check_open()
            try:
                self._seats.meter(space, participant, now).admit(len(data), now, urgent=False, correlation=None)
            except Fatal as flood:
                raise _slowed(flood) from None
            self.spaces.stream(Frame(space, participant, 0, stream_of(data), data, is_text))
        except Rejected as rejected:
            self._counters.refused[rejected.code] += 1
            raise

    def _give_back(self, one: Arrived) -> bool:
        """Tell a sender, or who has just come, that nothing can be taken now; False for what needs no answer."""
        match one:
            case Reply():
                self.complaints.send(one)
            case Frame():
                self.complaints.tell(one.connection, Rejected("journal_unavailable", _UNAVAILABLE))
            case Draft(event=Received() as event):
                self._refuse_event(one.space, event, Rejected("journal_unavailable", _UNAVAILABLE))
            case Draft(event=Connected() as event):
                link = self._seats.links.get(event.connection)
                if link is not None:
                    link.close(1012, self.unready or "")
            case Draft(event=DeadlinePassed()):
                pass  # as above
            case _:
                return False
        return True

    def _corrupt(self, error: MewError) -> None:
        self._draining = True
        self._fail(error)

    def _refuse_event(self, space: str, event: Received, rejected: Rejected) -> None:
        if event.connection == 0:
            self._counters.refused[rejected.code] += 1
            self._posts.refuse(space, event, rejected)
            return
        rejected.correlation = event.envelope.id
        self.complaints.tell(event.connection, rejected)

    def _refuse_frame(self, frame: Frame, rejected: Rejected) -> None:
        """Answer a frame that the space refuses, in its place among what the connection is sent."""
        seat = self._seats.get(frame.connection)
        if seat is not None:
            data = self.complaints.compose(rejected, to=(seat.name,))
            self.spaces[frame.space].fanout.put((seat.connection,), data)


def _slowed(flood: Fatal) -> Rejected:
    """What a flood is to whoever has no connection that could be closed."""
    return Rejected("rate_limited", f"Too fast: {flood.reason}.", retry_after_ms=FLOOD)
