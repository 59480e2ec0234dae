"""The core's hands: does what the core says, on the wire and to the bodies of runs, from any thread."""

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
from ._transport.link import Disconnected, Stopped
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

ForAgent: TypeAlias = Follow | Talk | Classify | Attend | Halt | Release
ForBody: TypeAlias = End | Pause | Resume | Lose

_DECISION = ("class", "status", "outcome", "policy", "reason_code")
_ON_WIRE = {"policy": "policy_applied"}
_ANSWER = 10_000  # milliseconds for an ack or a conclusion to leave


class Body(Protocol):
    """What carries out a span."""

    span_id: str
    run_id: str

    def tell(self, directive: ForBody) -> None:
        """What it is to do: only to be noted, for it may come from any thread."""

    def wake(self) -> None:
        """Do it, in the agent's loop."""


class Caller(Protocol):
    """What calls the tools of others."""

    async def call(
        self, target: str, tool: str, arguments: dict[str, Any] | None = None, *, timeout: int, propose: bool
    ) -> ToolResult:
        """Call one; as `Participant.call`."""


class Runner:
    """Asks the core, one question at a time, and performs what it says.

    An event is decided, recorded and its answers put into the client's line with nothing in between, whichever thread
    brought it: the receive loop in the wire's thread (`IoThread`), or a body in the agent's loop.
    """

    def __init__(
        self,
        client: Client,
        recorder: Recorder,
        tasks: Starter,
        *,
        participant: Caller,
        perform: Callable[[ForAgent], None],
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
        self._context = copy_context()  # what begins because of a span does not begin within it
        self._bodies: dict[str, Body] = {}
        self._performing: set[asyncio.Task[None]] = set()
        self._one_over = anyio.Event()  # a run
        self._now = 0
        self._alarm: int | None = None

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while something is decided: what is put into the client's line under it overtakes no ack."""
        return self._lock

    def new_id(self) -> str:
        """A fresh envelope id."""
        return self._client.new_id()

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return self._client.now()

    async def sleep(self, milliseconds: int) -> None:
        """Wait, by the client's clock."""
        await self._client.sleep(milliseconds)

    def knows(self, run: str) -> bool:
        """Whether a run of that id is open, or has ended lately."""
        return self._core.knows(run)

    def is_open(self, run: str) -> bool:
        """Whether a run of that id is open."""
        return run in self._core.state.runs

    def is_following(self, interrupt: Interrupt) -> bool:
        """Whether an interrupt's input is still to be handled after its run."""
        return (interrupt.sender, interrupt.id) in self._core.state.following

    @property
    def is_halted(self) -> bool:
        """Whether an emergency stands."""
        return bool(self._core.state.halts)

    @property
    def has_focus(self) -> bool:
        """Whether there is something that words may interrupt."""
        return self._core.state.focused() is not None

    def attach(self, body: Body) -> None:
        """Tell a body what it is to do, from before its span begins until that has ended."""
        self._bodies[body.span_id] = body

    def detach(self, body: Body) -> None:
        """Tell it nothing any more."""
        self._bodies.pop(body.span_id, None)

    def answer(self, event: Event) -> None:
        """Handle an event whose answers must leave at once. From any thread; waits for nothing."""
        with self._lock:
            for said in self._decide(event):
                self._put(said)

    def interrupt(self, interrupt: Interrupt) -> dict[str, Any]:
        """Have an interrupt decided that no envelope answers; what was decided, as an ack would tell it."""
        notes = self._effects(Interrupted(interrupt, self.new_id(), self.now()))
        decided = (one for one in notes if isinstance(one, Note) and one.kind == "decided")
        told: dict[str, Any] = next((one.data for one in decided if one.cause_id == interrupt.id), {})
        return {_ON_WIRE.get(key, key): value for key, value in told.items() if key in _DECISION}

    async def order(self, order: Literal["restart", "shut-down", "removed"], interrupt: Interrupt) -> None:
        """Interrupt every run, and wait until each has ended, by its policy and at the latest when its time is over."""
        with self._lock:
            runs = list(self._core.state.runs)
            self.answer(Ordered(order, interrupt, self.now()))
        while any(run in self._core.state.runs for run in runs):
            await self._one_over.wait()

    async def perform(self, event: Event, *, patience: int | None = None) -> None:
        """Handle an event of a body or of the gateway. Raises what the core raises, and what sending raises.

        With `patience` (milliseconds for each envelope) it never raises for want of a connection: what did not get
        through is said again by the core when the gateway shows that it misses it.
        """
        for said in self._decide(event):
            if patience is None:
                await self._send(said)
            else:
                await self._try_to_send(said, patience)

    async def think(self, event: BoundaryReached, *, check: Callable[[], None]) -> None:
        """A thought: decided only when it can leave, so that no ack overtakes it. Raises `Disconnected`, and what
        `check` raises when it is about to be decided. In a run that says nothing more it needs no connection."""
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
                return ()  # too late to matter, and nothing is added to a trace that may be sealed
            if isinstance(event, Began):
                self._recorder.check()
            if isinstance(event, Ended):
                event = msgspec.structs.replace(event, timeline=self._recorder.head)
            self._now = max(self._now, self._client.now())
            effects = self._handled(event)
            for effect in effects:
                self._do(effect)
            if any(isinstance(effect, Note) and effect.kind == "run_concluded" for effect in effects):
                self._at_home(self._tell_one_over)
            self._set_alarm()
        return effects

    def _tell_one_over(self) -> None:
        self._one_over.set()
        self._one_over = anyio.Event()

    def _handled(self, event: Event) -> tuple[Effect, ...]:
        try:
            effects = self._core.handle(event, self._now)
            self._recorder.record(event, effects, self._now)
        except MewError:  # refused: nothing has changed
            raise
        except BaseException:  # a body at the end of its stack, mostly: what is on record may not be all
            self._recorder.miss()
            raise
        return effects

    def _do(self, effect: Effect) -> None:
        match effect:
            case Send() | Note():
                pass
            case End() | Pause() | Resume():
                self._tell([body for body in (self._bodies.get(effect.span),) if body is not None], effect)
            case Lose():
                self._tell([self._bodies[span] for span in effect.spans if span in self._bodies], effect)
            case _:
                self._at_home(partial(self._start, effect))

    def _start(self, effect: ForAgent) -> None:
        """In a task: beside sniffio, anyio makes nothing in a bare callback of the loop."""
        task = self._loop.create_task(self._performed(effect))
        self._performing.add(task)
        task.add_done_callback(self._performing.discard)

    async def _performed(self, effect: ForAgent) -> None:
        self._perform(effect)

    def _tell(self, bodies: Sequence[Body], directive: ForBody) -> None:
        for body in bodies:
            body.tell(directive)
            self._at_home(body.wake)

    def _at_home(self, call: Callable[[], None]) -> None:
        """In the agent's loop: soon, and behind the answers."""
        try:
            self._loop.call_soon_threadsafe(call, context=self._context)
        except RuntimeError:  # the loop has closed: there is nobody to tell
            log.debug("the agent's loop has ended")

    def _put(self, said: Send) -> None:
        """At once, whatever this loop does next; and no conclusion overtakes it (docs/interruption.md §1)."""
        if self._io_thread is not None:
            self._io_thread.post(self._encoded(said))
        else:
            self._tasks.start_soon(self._try_to_send, said, _ANSWER)

    def _set_alarm(self) -> None:
        deadline = self._core.deadline
        if deadline is None or (self._alarm is not None and self._alarm <= deadline):
            return
        self._alarm = deadline
        wait = max(0, deadline - self._now)
        if self._io_thread is not None:
            self._io_thread.call_later(wait, self._ring)
        else:
            self._tasks.start_soon(self._ring_after, wait)

    async def _ring_after(self, milliseconds: int) -> None:
        await self._client.sleep(milliseconds)
        self._ring()

    def _ring(self) -> None:
        with self._lock:
            self._alarm = None
            deadline = self._core.deadline
            if deadline is not None and deadline <= max(self._now, self._client.now()):
                self.answer(TimePassed())
            else:
                self._set_alarm()

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
            log.warning("%s %s did not go out: %s", said.kind, said.id, str(error) or "no connection")
