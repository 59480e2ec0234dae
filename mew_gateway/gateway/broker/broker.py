"""The broker: takes what all connections send, and has it journalled, handled and delivered, a batch at a time.

The life of a batch is `_tick`, three steps in this order:

    entries = self.engine.append(batch)     # durable: one commit
    result = self.engine.apply(entries)     # pure: deliveries, replies, answers to posts, requests
    self._carry_out(result)                 # one write a connection

Around it: `connect`, `receive`, `post` and `disconnect` put arrivals into the inbox and schedule a tick. While the
journal cannot be written, senders get an error and nothing is accepted; `journal_retry` tries again every second.

One event loop owns the broker. Nothing here blocks but the journal's commit.
Where to go next: `ingress` (what a message must pass), `spaces.engine` (what an entry does), `inbox` (what waits).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import assert_never

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import CorruptJournal, Fatal, Rejected, Unavailable
from mew_gateway.protocol.kinds import JOIN
from mew_gateway.space.effects import Close, Dismiss, Issue, Readmit, Terminate
from mew_gateway.space.events import Connected, DeadlinePassed, DeliveredLate, Disconnected, Received, Stalled
from mew_gateway.space.settings import SpaceSettings

from .activity_log import Activity
from .batch import (
    Answer,
    Arrival,
    Delivery,
    Failure,
    Frame,
    FrameDelivery,
    FrameRefusal,
    Item,
    Message,
    Post,
    Reply,
    Request,
    Result,
)
from .clock import Clock
from .deadline_timers import DeadlineTimers
from .error_replies import ErrorReplies
from .inbox import TICK, Inbox
from .ingress import Ingress
from .interfaces import Ids, Link, Loop, Supervisor, Turns
from .journal_retry import JournalRetry
from .metrics import Counters
from .rate_limiter import Window
from .resuming_connections import Resuming
from .sessions import Sessions
from .spaces.engine import Engine
from .spaces.invite_tokens import issued
from .stalls import Stalls

logger = logging.getLogger("mew.broker")

_LATE = 50  # milliseconds between an entry and its delivery that shorten no deadline
_UNAVAILABLE = "Nothing is accepted now: the gateway stops, or its journal cannot be written. Send it again later."


class Broker:
    """All connections and spaces of a process. `turns` runs long work in pieces."""

    def __init__(
        self,
        *,
        engine: Engine,
        sessions: Sessions,
        clock: Clock,
        loop: Loop,
        turns: Turns,
        ids: Ids,
        limits: GatewayLimits,
        counters: Counters,
        supervisor: Supervisor,
    ) -> None:
        self.engine = engine
        self._sessions = sessions
        self._clock = clock
        self._loop = loop
        self._ids = ids
        self._limits = limits
        self._counters = counters
        self._supervisor = supervisor
        self._inbox = Inbox()
        self._strangers = Window(limits.strangers)
        self._is_draining = False
        self._is_scheduled = False  # a tick
        self.activity = Activity(counters)
        self.error_replies = ErrorReplies(
            sessions=sessions, engine=engine, clock=clock, ids=ids, counters=counters, activity=self.activity
        )
        self._ingress = Ingress(sessions=sessions, ids=ids, limits=limits, error_replies=self.error_replies)
        self._resuming = Resuming(
            engine,
            sessions,
            self._inbox,
            turns=turns,
            clock=clock,
            found=self._schedule,
            most_bytes=limits.outbox_bytes // 2,
        )
        self._journal_retry = JournalRetry(
            engine,
            self._inbox,
            loop=loop,
            clock=clock,
            give_back=self._give_back,
            carry_out=self._carry_out,
            resume=self._run,
            fail=self._fail,
        )
        self.stalls = Stalls(loop=loop, turns=turns, stalled=self._stalled)
        self._timers = DeadlineTimers(engine, loop=loop, stalls=self.stalls, clock=clock, due=self._pass_deadline)
        engine.on_commit(self._wake)

    # Start and stop.

    def start(self, settings: Mapping[str, SpaceSettings]) -> None:
        """Bring the spaces up to their configuration. From here on connections may join. Raises `Unavailable`."""
        items = self.engine.start(settings, now=self._clock.now(), ids=self._ids)
        self._carry_out(self.engine.apply(self.engine.append(items)))
        self.engine.rest(settings)
        self.engine.save()
        states = [runtime.machine.state for _, runtime in self.engine.items()]
        self._sessions.last = max((state.last_connection for state in states), default=0)
        self.check_deadlines()

    def drain(self) -> None:
        """Take no new connections from here on."""
        self._is_draining = True

    def stop(self) -> None:
        """Journal the leaves, keep a snapshot, close the journal."""
        for connection in list(self._sessions):
            self.disconnect(connection)
        self._timers.stop()
        self.stalls.stop()
        self._journal_retry.stop()
        self._inbox.forget_all()
        try:
            self._tick(most=len(self._inbox))
            while self._inbox:
                self._tick(most=len(self._inbox))
            self.engine.save()
        except (Unavailable, CorruptJournal) as error:
            logger.error("stopped without a snapshot: %s", error)
        self.engine.close()

    @property
    def is_ready(self) -> bool:
        """True if connections are taken and envelopes accepted."""
        return self.unready is None

    @property
    def unready(self) -> str | None:
        """The reason why no input is accepted now, a sentence without secrets; None if it is accepted."""
        if self._is_draining:
            return "The gateway stops."
        return None if self._inbox.fault is None else self._inbox.fault.reason

    @property
    def now(self) -> int:
        """The gateway's time, in milliseconds since the epoch."""
        return self._clock.now()

    @property
    def awake(self) -> int:
        """The gateway's time without that of its stalls, in milliseconds: peers' time-outs are counted by it."""
        self.stalls.look()
        return self._clock.now() - self.stalls.total

    @property
    def sole_space(self) -> str | None:
        """The id of the only space; None if there are several."""
        names = [name for name, _ in self.engine.items()]
        return names[0] if len(names) == 1 else None

    @property
    def links(self) -> list[Link]:
        """The peers of all connections that have joined."""
        return list(self._sessions.links.values())

    # Connections and posts put arrivals into the inbox.

    def admit_connect(self, space: str, participant: str) -> None:
        """Count that an authenticated participant connects. Raises `Rejected` `rate_limited`.

        While no input is accepted nothing is counted: all participants reconnect after that.
        """
        if self.unready is None:
            now = self._clock.now()
            try:
                self._sessions.limiter(space, participant, now).connect(now)
            except Rejected as rejected:
                self._note_refused(space, participant, rejected, JOIN)
                raise

    def admit_stranger(self) -> None:
        """Count a connection or a request without a valid token, as `admit_connect` does a participant's. Raises
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
        """Open a session of an authenticated participant, who calls itself `alias` on it. Return its number.

        After its welcome it is given what the participant could see since the envelope `after`. Raises `Fatal` 1012,
        4503 or 4009, `Rejected` `join_refused` for an alias it cannot have.
        """
        if (reason := self.unready) is not None:
            raise Fatal(1012, reason)
        if participant in self.engine[space].machine.state.kicked:
            raise Fatal(4503, f"{participant} was removed from this space")
        aliases, now = self.engine[space].aliases, self._clock.now()
        session = self._sessions.open(space, participant, link, aliases=aliases, alias=alias, now=now)
        if after is None:
            self._put(Item(space, now, Connected(session.connection, participant)))
        else:
            self._resuming.begin(session, after)
        return session.connection

    def receive(self, connection: int, messages: Sequence[Message], *, has_turn: bool = False) -> Sequence[Message]:
        """Take the messages that a connection brought at once. Return those that have to wait for another turn.

        Messages that take long to decode are taken only with `has_turn` (`Ingress.take`). While a connection waits for
        what it missed, nothing is taken from it. Raises `Fatal` 4029: the rest is dropped.
        """
        self.stalls.look()
        if self._resuming.waits(connection):
            return messages
        session = self._sessions[connection]
        intake = self._ingress.take(session, messages, self._clock.now(), has_turn=has_turn)
        self._counters.received += intake.taken
        self._put_from_socket(intake.arrivals, intake.size, has_turn=has_turn)
        if intake.flood is not None:
            raise intake.flood
        if len(self._inbox) >= self._limits.inbox:
            self._inbox.pause(session.link)
        return messages[intake.taken :]

    def post(self, space: str, participant: str, data: bytes, answer: Answer) -> None:
        """Take an envelope that an authenticated participant posted over HTTP: no connection is needed or made.

        `answer` is called once, when it was handled or refused. Raises `Rejected` for input that never reaches the
        journal.
        """
        self.stalls.look()
        self._counters.received += 1
        aliases = self.engine[space].aliases
        try:
            self._check_open()
            item = self._ingress.post(space, participant, data, self._clock.now(), aliases=aliases, post=Post(answer))
        except Rejected as rejected:
            self._note_refused(space, participant, rejected)
            raise
        if item is not None:
            self._put(item, size=len(data))

    def post_frame(self, space: str, participant: str, data: bytes, *, is_text: bool) -> None:
        """Deliver a stream's frame that an authenticated participant posted over HTTP. Raises `Rejected`."""
        self._counters.received += 1
        try:
            self._check_open()
            frame = self._ingress.post_frame(space, participant, data, self._clock.now(), is_text=is_text)
            result = self.engine.frame(frame)
        except Rejected as rejected:
            self._counters.refused[rejected.code] += 1
            raise
        self._carry_out(result)

    def disconnect(self, connection: int, *, unread: int = 0) -> None:
        """Close the session of a connection that ended, amid a message of which `unread` bytes had come. Idempotent."""
        session = self._sessions.close(connection)
        if session is None:
            return
        if unread:
            session.limiter.waste(unread, self._clock.now())
        self.engine[session.space].aliases.release(connection)
        if self._resuming.left(connection):
            return
        self._inbox.forget(connection)
        self._put(Item(session.space, self._clock.now(), Disconnected(connection)))

    def frames_left(self, connection: int) -> int:
        """Return how many control frames and short fragments a connection may bring now, of its participant's."""
        return self._sessions[connection].limiter.frames(self._clock.now())

    def spend_frames(self, connection: int, frames: int) -> None:
        """Count the control frames and short fragments that a connection brought."""
        self._sessions[connection].limiter.spend(frames=frames)

    def check_deadlines(self) -> None:
        """Check every space's deadline: put in a `DeadlinePassed` if it is due, set its timer if it is not."""
        self._timers.check()

    def trim(self) -> None:
        """Forget the rate limiters of participants who are away and would get the same ones made anew."""
        self._sessions.forget_rested(self._clock.now())

    def _note_refused(self, space: str, participant: str, rejected: Rejected, kind: str | None = None) -> None:
        """Count and log a refusal that is answered over HTTP."""
        self._counters.refused[rejected.code] += 1
        self.activity.refused(space, participant, rejected.code, kind)

    def _check_open(self) -> None:
        """Raise `Rejected` if nothing is taken: a poster has no connection on which to wait."""
        if not self.is_ready or len(self._inbox) >= self._limits.inbox:
            raise Rejected("journal_unavailable", _UNAVAILABLE)

    def _put(self, *arrivals: Arrival, size: int = 0) -> None:
        self._inbox.put(*arrivals, size=size)
        self._schedule()

    def _put_from_socket(self, arrivals: Sequence[Arrival], size: int, *, has_turn: bool) -> None:
        """Put arrivals in, from the callback of a socket and never from within a tick: a lone one has a tick at once,
        because nothing would join it (docs/decisions/0021)."""
        is_alone = not has_turn and bool(arrivals) and not self._inbox and self._inbox.fault is None
        is_alone = is_alone and self._loop.is_last()
        self._inbox.put(*arrivals, size=size)
        if not is_alone:
            self._schedule()
            return
        try:
            self._run()
        except Exception:  # our mistake: the loop would log it, and must not end this socket for it
            logger.exception("a tick failed")

    # The tick.

    def _schedule(self) -> None:
        """Have a tick in the loop's next pass, if anything waits for one."""
        if self._inbox and self._inbox.fault is None:
            self._wake()

    def _wake(self) -> None:
        """Have a tick in the loop's next pass: something waits, or the journal has committed entries elsewhere."""
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._run)

    def _run(self) -> None:
        self._is_scheduled = False
        try:
            self._tick()
            self.engine.save_when_due()
        except Unavailable as error:
            self._journal_retry.suspend(error)
        except CorruptJournal as error:
            self._fail(error)
        else:
            if self.engine.is_idle:  # otherwise the journal's next commit schedules the tick
                self._schedule()

    def _tick(self, *, most: int = TICK) -> None:
        """Journal a batch, handle it, deliver what follows. Raises `Unavailable`, with the batch back in the inbox."""
        resuming = self._inbox.next_resuming()
        if resuming is None:
            batch = self._inbox.take(most=most)
        elif self.engine.is_idle:
            self._inbox.resume_next(self._resumed(resuming))
            batch = self._inbox.take(most=most)
        else:
            batch = []  # what it missed is known when everything before it has been handled
        try:
            entries = self.engine.append(batch)
        except Unavailable:
            self._inbox.give_back(batch)
            raise
        self._carry_out(self.engine.apply(entries))
        self._inbox.resume_reading()

    def _resumed(self, item: Item) -> Item:
        """Look up what a resuming connection missed. Raises `Unavailable` if the journal cannot be written.

        If only a part of the history cannot be read, the connection gets nothing again, and others are not delayed.
        """
        try:
            return self._resuming.resumed(item)
        except Unavailable:
            self._journal_retry.probe()
        try:
            return self._resuming.resumed(item)
        except Unavailable as error:
            logger.error("A connection is not given what it missed: %s", error)
            return item

    def _carry_out(self, result: Result) -> None:
        """Send the deliveries, one write a connection; answer posts; set deadline timers; do what spaces request."""
        self._counters.journalled += len(result.handled)
        self._counters.ticks += bool(result.handled)
        for entry, effects in result.handled:
            self.activity.observe(entry, effects)
        for failure in result.failures:
            self._report_failure(failure)
        for answer, outcome in result.answers:
            answer(outcome)
        for delivery in result.deliveries:
            if isinstance(delivery, Delivery):  # nearly all of them
                space, connections, data = delivery
                self.engine[space].fanout.put(connections, data)
                self._counters.delivered += len(connections)
            else:
                self._queue_frame(delivery)
        for name in result.touched:
            runtime = self.engine[name]
            runtime.fanout.flush()
            self._timers.follow(name, runtime)
        self._note_late(result)
        for request in result.requests:
            self._perform(request)
        if result.touched:  # a connection that resumes may have waited for this
            self._schedule()

    def _note_late(self, result: Result) -> None:
        """Tell the spaces whose deadlines began with an entry that its delivery was late.

        It is put into the inbox before any deadline that has passed meanwhile.
        """
        if not result.handled:
            return
        now = self._clock.now()
        if now - min(entry.time for entry, _ in result.handled) <= _LATE:
            return
        first, last = result.handled[0][0].position, result.handled[-1][0].position
        for name in result.touched:
            if self.engine[name].machine.is_late(now, first=first, last=last, most=_LATE):
                self._put(Item(name, now, DeliveredLate(first, last)))

    def _queue_frame(self, delivery: FrameDelivery | FrameRefusal) -> None:
        """Queue a stream's frame for its connections, or the refusal for its sender; `Fanout.flush` writes it."""
        if isinstance(delivery, FrameDelivery):
            fanout = self.engine[delivery.space].fanout
            fanout.put_frame(delivery.connections, delivery.data, is_text=delivery.is_text)
            self._counters.frames += 1
            self._counters.delivered += len(delivery.connections)
            return
        frame = delivery.frame
        if (session := self._sessions.get(frame.connection)) is not None:
            data = self.error_replies.compose(delivery.rejected, to=(session.name,))
            self.engine[frame.space].fanout.put((session.connection,), data)

    def _report_failure(self, failure: Failure) -> None:
        mistake = Rejected("internal_error", "The gateway made a mistake; its log says which.")
        self._refuse(failure.event, failure.post, mistake)

    def _perform(self, request: Request) -> None:
        """Do what a space requests of the world around it."""
        space, effect, post = request
        match effect:
            case Close():
                link = self._sessions.links.get(effect.connection)
                if link is not None:
                    link.close(effect.code, effect.reason)
            case Issue():
                token = self._ids.token()
                self._put(Item(space, self._clock.now(), issued(effect, token), token=token, post=post))
            case Dismiss():
                self._resuming.expel(space, effect.participant)
                self._supervisor.dismiss(space, effect.participant)
            case Terminate():
                self._supervisor.terminate(space, effect.participant, effect.limit)
            case Readmit():
                self._supervisor.readmit(space, effect.participant)
            case _:
                assert_never(effect)

    # Deadlines and stalls become events.

    def _pass_deadline(self, name: str) -> None:
        if self._inbox.fault is None:  # otherwise it is timed anew after the outage, which may have moved it
            self._put(Item(name, self._clock.now(), DeadlinePassed()))

    def _stalled(self, milliseconds: int) -> None:
        """Tell the spaces in which somebody may be late that nothing was read for so long, before anything is read."""
        logger.warning(
            "The gateway stood still for %.1f s: what had arrived is read before a wait ends.", milliseconds / 1000
        )
        self._counters.stalls += 1
        self._counters.stalled += milliseconds
        if self._inbox.fault is not None:
            return  # it is a part of the outage
        now = self._clock.now()
        states = {name: runtime.machine.state for name, runtime in self.engine.items()}
        waiting = [name for name, state in states.items() if state.interrupts or state.absent]
        self._put(*(Item(name, now, Stalled(milliseconds)) for name in waiting))

    # Input that is not accepted.

    def _give_back(self, arrival: Arrival) -> bool:
        """Reply to an arrival that nothing is accepted now. Return False if the arrival has to be kept."""
        match arrival:
            case Reply():
                self.error_replies.send(arrival)
            case Frame():
                self.error_replies.send_now(arrival.connection, Rejected("journal_unavailable", _UNAVAILABLE))
            case Item(event=Received() as event):
                self._refuse(event, arrival.post, Rejected("journal_unavailable", _UNAVAILABLE))
            case Item(event=Connected() as event):
                link = self._sessions.links.get(event.connection)
                if link is not None:
                    link.close(1012, self.unready or "")
            case Item(event=DeadlinePassed()):
                pass  # it is timed anew after the outage
            case _:
                return False
        return True

    def _refuse(self, event: Received, post: Post | None, rejected: Rejected) -> None:
        """Answer an envelope that no space could answer."""
        if post is not None:
            self._counters.refused[rejected.code] += 1
            post.refuse(event.envelope, rejected)
            return
        rejected.correlation = event.envelope.id
        self.error_replies.send_now(event.connection, rejected)

    def _fail(self, error: CorruptJournal) -> None:
        self._is_draining = True
        self._supervisor.fail(error)
