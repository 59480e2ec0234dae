"""Runner: hands events to the core and performs its effects, from any thread.

One lock makes a step atomic: the core decides an event, the recorder writes it to the timeline, and the answers get
their place in the client's outgoing queue. So the order of decisions is the order on the wire. Events come from the I/O
thread (interrupts, deadlines) and from bodies in the agent's loop.

Effects go to three places: envelopes to the client, directives to spans (`SpanBody`), and the rest to the agent
(`Dispatcher.perform`). A thought is decided only when it can leave (`think`), so that no ack overtakes it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import copy_context
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

import anyio
import msgspec

from mew_gateway.errors import MewError

from ._tasks.tasks import Starter
from ._transport.io_thread.io_thread import IoThread
from ._transport.reconnect import Disconnected, Stopped
from .client import Client
from .exchange.mcp import ToolResult
from .execution.core import Core
from .execution.effects import (
    Attend,
    Classify,
    Effect,
    End,
    Follow,
    Halt,
    Lose,
    Note,
    Pause,
    Release,
    Resume,
    Send,
    Talk,
)
from .execution.events import (
    Accepted,
    Began,
    BoundaryReached,
    Clarified,
    Closed,
    Ended,
    Event,
    Interrupted,
    Ordered,
    TimePassed,
)
from .execution.interrupt import Interrupt
from .timeline.recorder import Recorder

log = logging.getLogger(__name__)

AgentEffect: TypeAlias = Follow | Talk | Classify | Attend | Halt | Release
BodyEffect: TypeAlias = End | Pause | Resume | Lose

_DECISION = ("class", "status", "outcome", "policy", "reason_code")
_ON_WIRE = {"policy": "policy_applied"}
_ANSWER = 10_000  # milliseconds for an ack or a conclusion to leave


class SpanBody(Protocol):
    """Body of an open span."""

    span_id: str
    run_id: str

    def deliver(self, directive: BodyEffect) -> None:
        """Store a directive. May be called from any thread."""

    def wake(self) -> None:
        """Apply the stored directive; called in the agent's loop."""


class ToolCaller(Protocol):
    """Interface that calls tools of other participants."""

    async def call(
        self, target: str, tool: str, arguments: dict[str, Any] | None = None, *, timeout: int, propose: bool
    ) -> ToolResult:
        """Call a tool, as `Participant.call`."""


class Runner:
    """Decides, records and performs, one event at a time (see the module)."""

    def __init__(
        self,
        client: Client,
        recorder: Recorder,
        tasks: Starter,
        *,
        participant: ToolCaller,
        perform: Callable[[AgentEffect], None],
        io_thread: IoThread | None = None,
    ) -> None:
        self.participant = participant
        self._core = Core()
        self._client = client
        self._recorder = recorder
        self._tasks = tasks
        self._perform = perform
        self._io_thread = io_thread
        self._lock = threading.RLock()
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()  # a task that a span causes must not run in its context
        self._bodies: dict[str, SpanBody] = {}
        self._performing: set[asyncio.Task[None]] = set()
        self._run_ended = anyio.Event()  # set each time a run has ended
        self._now = 0
        self._timer_due: int | None = None

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Lock that is held during a decision. What is queued under it overtakes no ack."""
        return self._lock

    def new_id(self) -> str:
        """Return a new envelope id."""
        return self._client.new_id()

    def now(self) -> int:
        """Return the time in milliseconds since the epoch."""
        return self._client.now()

    async def sleep(self, milliseconds: int) -> None:
        """Wait, by the client's clock."""
        await self._client.sleep(milliseconds)

    def knows(self, run: str) -> bool:
        """Return true if a run of that id is open, or ended recently."""
        return self._core.knows(run)

    def is_open(self, run: str) -> bool:
        """Return true if a run of that id is open."""
        return run in self._core.state.runs

    def is_following(self, interrupt: Interrupt) -> bool:
        """Return true if an interrupt's input is still to be handled after its run."""
        return (interrupt.sender, interrupt.id) in self._core.state.following

    @property
    def is_halted(self) -> bool:
        """True if an emergency is in force."""
        return bool(self._core.state.halts)

    @property
    def has_focus(self) -> bool:
        """True if there is a span that a chat may interrupt."""
        return self._core.state.focused() is not None

    def attach(self, body: SpanBody) -> None:
        """Send directives to a body, from before its span begins until it has ended."""
        self._bodies[body.span_id] = body

    def detach(self, body: SpanBody) -> None:
        """Send it no directives any more."""
        self._bodies.pop(body.span_id, None)

    def answer(self, event: Event) -> None:
        """Handle an event whose answers must leave at once. From any thread; waits for nothing."""
        with self._lock:
            for said in self._decide(event):
                self._post(said)

    def interrupt(self, interrupt: Interrupt) -> dict[str, Any]:
        """Decide an interrupt that no envelope answers. Return the decision, in the fields of an ack."""
        notes = self._effects(Interrupted(interrupt, self.new_id(), self.now()))
        decided = (one for one in notes if isinstance(one, Note) and one.kind == "decided")
        decision: dict[str, Any] = next((one.data for one in decided if one.cause_id == interrupt.id), {})
        return {_ON_WIRE.get(key, key): value for key, value in decision.items() if key in _DECISION}

    async def order(self, order: Literal["restart", "shut-down", "removed"], interrupt: Interrupt) -> None:
        """Interrupt every run, and wait until each has ended, by its policy or at the end of its time."""
        with self._lock:
            runs = list(self._core.state.runs)
            self.answer(Ordered(order, interrupt, self.now()))
        while any(run in self._core.state.runs for run in runs):
            await self._run_ended.wait()

    async def perform(self, event: Event, *, patience: int | None = None) -> None:
        """Handle an event of a body or of the gateway. Raises what the core raises, and what sending raises.

        With `patience` (milliseconds for each envelope) a missing connection is no error: the core sends again what the
        gateway shows to be missing.
        """
        for said in self._decide(event):
            if patience is None:
                await self._send(said)
            else:
                await self._try_to_send(said, patience)

    async def think(self, event: BoundaryReached, *, check: Callable[[], None]) -> None:
        """Decide and send a thought, only when it can leave, so that no ack overtakes it.

        Raises `Disconnected`, and what `check` raises just before the decision. In a mute run it needs no connection.
        """
        if self._core.state.is_mute(event.run):
            self._decide(event)
            return

        def decide() -> Sequence[bytes]:
            check()
            return [self._encoded(said) for said in self._decide(event)]

        await self._client.in_turn(decide, under=self._lock)

    def _decide(self, event: Event) -> list[Send]:
        return [effect for effect in self._effects(event) if isinstance(effect, Send)]

    def _effects(self, event: Event) -> tuple[Effect, ...]:
        with self._lock:
            if isinstance(event, Accepted | Clarified | Closed) and not self.is_open(event.run):
                return ()  # too late to matter; a sealed trace must not change
            if isinstance(event, Began):
                self._recorder.check()
            if isinstance(event, Ended):
                event = msgspec.structs.replace(event, timeline=self._recorder.head)
            self._now = max(self._now, self._client.now())
            effects = self._handled(event)
            for effect in effects:
                self._do(effect)
            if any(isinstance(effect, Note) and effect.kind == "run_concluded" for effect in effects):
                self._in_agent_loop(self._signal_run_ended)
            self._set_timer()
        return effects

    def _signal_run_ended(self) -> None:
        self._run_ended.set()
        self._run_ended = anyio.Event()

    def _handled(self, event: Event) -> tuple[Effect, ...]:
        try:
            effects = self._core.handle(event, self._now)
            self._recorder.record(event, effects, self._now)
        except MewError:  # refused: nothing has changed
            raise
        except BaseException:  # usually a body without stack left: the record may be incomplete
            self._recorder.miss()
            raise
        return effects

    def _do(self, effect: Effect) -> None:
        match effect:
            case Send() | Note():
                pass
            case End() | Pause() | Resume():
                self._deliver([body for body in (self._bodies.get(effect.span),) if body is not None], effect)
            case Lose():
                self._deliver([self._bodies[span] for span in effect.spans if span in self._bodies], effect)
            case _:
                self._in_agent_loop(partial(self._start, effect))

    def _start(self, effect: AgentEffect) -> None:
        """Run in a task: with sniffio installed, anyio cannot be used in a bare callback of the loop."""
        task = self._loop.create_task(self._performed(effect))
        self._performing.add(task)
        task.add_done_callback(self._performing.discard)

    async def _performed(self, effect: AgentEffect) -> None:
        self._perform(effect)

    def _deliver(self, bodies: Sequence[SpanBody], directive: BodyEffect) -> None:
        for body in bodies:
            body.deliver(directive)
            self._in_agent_loop(body.wake)

    def _in_agent_loop(self, call: Callable[[], None]) -> None:
        """Schedule a call in the agent's loop, after the answers."""
        try:
            self._loop.call_soon_threadsafe(call, context=self._context)
        except RuntimeError:  # the loop has closed
            log.debug("the agent's loop has ended")

    def _post(self, said: Send) -> None:
        """Queue an answer at once, whatever this loop does next; no conclusion overtakes it (docs/interruption.md
        §1)."""
        if self._io_thread is not None:
            self._io_thread.post(self._encoded(said))
        else:
            self._tasks.start_soon(self._try_to_send, said, _ANSWER)

    def _set_timer(self) -> None:
        deadline = self._core.deadline
        if deadline is None or (self._timer_due is not None and self._timer_due <= deadline):
            return
        self._timer_due = deadline
        wait = max(0, deadline - self._now)
        if self._io_thread is not None:
            self._io_thread.call_later(wait, self._fire)
        else:
            self._tasks.start_soon(self._fire_after, wait)

    async def _fire_after(self, milliseconds: int) -> None:
        await self._client.sleep(milliseconds)
        self._fire()

    def _fire(self) -> None:
        with self._lock:
            self._timer_due = None
            deadline = self._core.deadline
            if deadline is not None and deadline <= max(self._now, self._client.now()):
                self.answer(TimePassed())
            else:
                self._set_timer()

    def _encoded(self, said: Send) -> bytes:
        return self._client.encode(
            said.kind,
            said.payload,
            to=said.to,
            correlation_id=said.correlation_id,
            context=said.context,
            id=said.id,
            at=said.at,
        )[1]

    async def _send(self, said: Send) -> None:
        await self._client.send(
            said.kind,
            said.payload,
            to=said.to,
            correlation_id=said.correlation_id,
            context=said.context,
            id=said.id,
            at=said.at,
        )

    async def _try_to_send(self, said: Send, patience: int) -> None:
        try:
            with anyio.fail_after(patience / 1000):
                await self._send(said)
        except (TimeoutError, Disconnected, Stopped) as error:
            log.warning("%s %s was not sent: %s", said.kind, said.id, str(error) or "no connection")
