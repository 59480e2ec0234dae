"""A span in the hands of its body: where it thinks aloud, may be stopped, paused, and put back to a checkpoint."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

import anyio
import anyio.to_thread
import msgspec
from anyio.lowlevel import checkpoint

from . import _json_check as plain
from ._runner import BodyEffect, Runner
from .exchange.mcp import ToolResult
from .exchange.requests import Refused
from .execution.effects import End, Lose, Pause, Resume
from .execution.events import (
    BoundaryLeft,
    BoundaryReached,
    CheckpointReached,
    Ending,
    Held,
    SpanBegan,
    SpanEnded,
)
from .execution.interrupt import Interrupt
from .execution.policy import Policy
from .execution.runs import NotRunning, Stopping
from .execution.spans import Declaration, Kind, Misdeclared, SideEffect, validated
from .streams import Chunk, Stream

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_FENCED = ("fenced", "halted", "sequence_closed")  # why the gateway refuses what a run does that is to end
_STATE_BYTES = 1 << 20  # of a checkpoint
LAST_WORDS = 2_000  # milliseconds for a conclusion to leave, whoever is in a hurry

_current: ContextVar[Span | None] = ContextVar("span", default=None)


def current() -> Span | None:
    """The span that the calling task, or thread of one, is within."""
    return _current.get()


class RunStopped(BaseException):
    """A span must end now. Not an `Exception`: `except Exception` around a model's call must not swallow it."""

    def __init__(self, span: Span, why: str) -> None:
        super().__init__(why)
        self.span = span


class Interrupted(RunStopped):
    """Somebody stopped the span: `interrupt` says who, how and what for instead."""

    def __init__(self, span: Span, interrupt: Interrupt) -> None:
        super().__init__(span, f"{interrupt.sender} interrupted {span.span_id} ({interrupt.class_}).")
        self.interrupt = interrupt


class Lost(RunStopped):
    """The gateway does not have the run (any more), for the reason `code`: nobody hears it, nobody could stop it."""

    def __init__(self, span: Span, code: str) -> None:
        super().__init__(span, f"{span.run_id} is gone ({code}).")
        self.code = code


class _Held(Exception):
    """A span is to pause before something is said that was about to be."""

    def __init__(self, span: Span) -> None:
        super().__init__(span.span_id)
        self.span = span


class Span:
    """Part of a run, with a policy of its own (docs/interruption.md §1). Made by `Span.span` and by capabilities:

        async with run.span(policy="checkpointed", kind="act") as span:
            span.state["done"] = 3
            await span.checkpoint()

    `state` is a dict of JSON: a roll back puts it to what it was at the last checkpoint, or at the beginning.
    `answers` is what the span has been told while it paused for a clarification.
    """

    def __init__(
        self, runner: Runner, run_id: str, declared: Declaration, *, parent: Span | None, name: str | None = None
    ) -> None:
        self.span_id = runner.new_id()
        self.run_id = run_id
        self.state: dict[str, Any] = {}
        self.answers: list[Any] = []
        self.holds_anywhere = False  # its body can be held at any of its awaits
        self._runner = runner
        self._declared = validated(declared)
        self._parent = parent
        self._name = name
        self._directive: End | Lose | None = None
        self._pause: Pause | None = None
        self._held = False
        self._obeyed: End | Lose | None = None
        self._stopped = False
        self._woken = anyio.Event()
        self._told = anyio.Event()
        self._shelter = anyio.CancelScope(shield=declared.side_effect == "irreversible")
        self._task: asyncio.Task[Any] | None = None  # while its body is at work
        self._cancelling = 0
        self._cut = False
        self._token: Token[Span | None] | None = None

    @property
    def id(self) -> str:
        """The span's id."""
        return self.span_id

    @property
    def policy(self) -> Policy:
        """How the span takes an interruption."""
        return self._declared.effective

    @property
    def is_sheltered(self) -> bool:
        """Whether nobody may cut it short: it is irreversible, and within its limit."""
        return self._shelter.shield

    @property
    def was_stopped(self) -> bool:
        """Whether somebody has stopped it: what its body gives then is not wanted any more."""
        return self._stopped

    @property
    def stopping(self) -> bool:
        """Whether the next boundary will be the last: a body may look, from any thread, to come to it sooner."""
        return self._directive is not None

    async def thought(self, message: str, **payload: Any) -> None:
        """Say a thought. Here is the boundary where an interrupt takes hold: the thought still goes out, if the answer
        to the interrupt left room for it, then `Interrupted` (or `Lost`) is raised, here and at every further boundary.

        While there is no connection it waits for one, up to the client's patience, then raises `Disconnected`.
        """
        await self._reach(message, payload)

    async def boundary(self) -> None:
        """A boundary without a thought: here the span may stop or pause."""
        await self._reach(None, {})

    async def write(self, stream: Stream, chunk: Chunk) -> None:
        """Write a frame of a stream, as `Stream.write` does, unless the span is to end: then nothing is written and
        `Interrupted` (or `Lost`) raised; while it is to pause it waits. So no frame leaves behind the answer to an
        interrupt, where the gateway would refuse it (docs/protocol.md §5).
        """
        await self.hold()
        await self._when_going(lambda: stream.write(chunk, check=self._check_writing, under=self._runner.lock))

    async def checkpoint(self) -> str:
        """Keep `state` as the point to go back to, and durably; the checkpoint's id. A boundary, too.

        Raises `TypeError` for a state that is no JSON.
        """
        id, state = self._runner.new_id(), self._snapshot()
        self._obey()
        await self._runner.perform(CheckpointReached(self.run_id, self.span_id, id, state))
        await self.boundary()
        return id

    async def sleep(self, seconds: float) -> None:
        """Wait, by the client's clock, but not once the span is `stopping` or is to pause. A time that is over already
        (0 or less) returns at once."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._until_told, tasks.cancel_scope)
            await self._runner.sleep(max(0, round(seconds * 1000)))
            tasks.cancel_scope.cancel()

    async def call(
        self,
        target: str,
        tool: str,
        arguments: dict[str, Any] | None = None,
        *,
        timeout: int = 300_000,
        propose: bool = False,
    ) -> ToolResult:
        """Call somebody's tool in this span; what we may not call is proposed, and waits for somebody's approval.

        The call has the run as its `context`, and the wait is a boundary: an interrupt that stops the span withdraws
        the call. `timeout` in milliseconds. Raises as `Participant.call` does.
        """
        token = _current.set(self)
        try:
            participant = self._runner.participant
            return await participant.call(target, tool, arguments, timeout=timeout, propose=propose)
        finally:
            _current.reset(token)

    async def waiting(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for something as at a boundary: if the span is to end it is cancelled, and `Interrupted` or `Lost`
        raised; if it is to pause, it pauses while the work goes on."""
        task = asyncio.ensure_future(work)
        try:
            await self._reach(None, {}, task)
            return await task
        finally:
            task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.gather(task, return_exceptions=True)

    async def thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking code in a thread of its own, while the agent's loop goes on.

        It is asked to stop, not made to: long work looks at `stopping`, or calls `check`. A span that is to end at
        once leaves it behind.
        """
        self._obey()
        return await anyio.to_thread.run_sync(lambda: work(*args, **kwargs), abandon_on_cancel=True)

    def check(self) -> None:
        """A boundary for code that cannot await, in any thread: raises `Interrupted` or `Lost` if it is to end."""
        self._obey()

    def span(
        self,
        *,
        policy: Policy = "non-interruptible",
        kind: Kind = "think",
        side_effect: SideEffect = "none",
        limit: float | None = None,
        foreground: bool = True,
        interruptible: bool | None = None,
        name: str | None = None,
    ) -> Span:
        """A span within this one, to be used as `async with`. `limit` is in seconds. Raises `Misdeclared`."""
        declared = Declaration(policy, kind, side_effect, milliseconds(limit), foreground, interruptible)
        return self.part(declared, name=name)

    def part(self, declared: Declaration, *, name: str | None = None) -> Span:
        """A span within this one, as `span` makes it."""
        return Span(self._runner, self.run_id, declared, parent=self, name=name)

    def conclude(self, message: str | None = None, *, outcome: str | None = None, **payload: Any) -> None:
        """What the run's conclusion will say: as `Run.conclude`."""
        if self._parent is not None:
            self._parent.conclude(message, outcome=outcome, **payload)

    @property
    def has_concluded(self) -> bool:
        """Whether it is settled what the run's conclusion will say."""
        return self._parent is not None and self._parent.has_concluded

    def belongs_to(self, runner: Runner) -> bool:
        """Whether it is a span of the agent that the runner is for."""
        return self._runner is runner

    # Told by the runner.

    def deliver(self, directive: BodyEffect) -> None:
        """Store a directive, as `SpanBody.deliver`."""
        match directive:
            case Pause():
                self._pause = directive
            case Resume():
                self._pause, self._held = None, False
                self.answers += [] if directive.answer is None else [directive.answer]
            case End() | Lose():
                self._directive, self._pause = directive, None

    def wake(self) -> None:
        """Apply the directive, as `SpanBody.wake`."""
        if self._obeyed is not self._directive:
            match self._directive:
                case End(how="back", state=state):
                    self.state.clear()
                    self.state.update(state or {})
                    self._cancel()
                case End(how="await"):
                    self._cancel()
        self._obeyed = self._directive
        if self.holds_anywhere and self.pauses_anywhere:
            self._say_held()  # its body is at an await: when that comes through, it goes no further
        if self._directive is not None or self._pause is not None:
            self._told.set()
        else:
            self._told = anyio.Event()
        self._woken.set()
        self._woken = anyio.Event()

    # As a block.

    async def __aenter__(self) -> Self:
        self._runner.attach(self)
        try:
            await self._begin()
        except BaseException as error:
            self._runner.detach(self)
            await self._give_up(error)
            raise
        self._task = asyncio.current_task()
        assert self._task is not None
        self._cancelling = self._task.cancelling()
        self._shelter.__enter__()
        self._token = _current.set(self if self._is_current else None)
        if self._declared.limit is not None and self._shelter.shield:
            asyncio.get_running_loop().call_later(self._declared.limit / 1000, self._expose)
        if isinstance(self._directive, End) and self._directive.how != "boundary":
            asyncio.get_running_loop().call_soon(self._cancel)  # told before its body began: at its first await
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        assert self._token is not None
        _current.reset(self._token)
        self._shelter.__exit__(kind, error, trace)
        mine = self._was_cut(error) or (error is not None and self._is_mine(error))
        await self._end("interrupted" if mine or (self._stopped and error is None) else ending_of(error), error)
        self._runner.detach(self)
        if mine and self._parent is not None:
            self._parent._obey()  # leaves first: now it is its turn
        return mine

    async def hold(self) -> None:
        """Where a body is to pause, wait here until it may go on. Raises `Interrupted` or `Lost` if it is to end."""
        while self._pause is not None and self._directive is None:
            self._say_held()
            if self._pause is not None and self._directive is None:
                await self._woken.wait()
        self._held = False
        self._obey()

    @property
    def pauses_anywhere(self) -> bool:
        """Whether it is to pause now, wherever it is."""
        return self._pause is not None and self._pause.how == "await" and self._directive is None

    def _cancel(self) -> None:
        """Its body is at an await, for this is called by the loop: it is cancelled there, once, so that it can await
        again to tidy up."""
        if self._task is not None and not self._cut:
            self._cut = self._stopped = True
            self._task.cancel()

    def _was_cut(self, error: BaseException | None) -> bool:
        """Whether the body was cancelled by us, and by nobody else; from here on nothing cancels it."""
        task, self._task = self._task, None
        assert task is not None
        others = self._cut and task.uncancel() > self._cancelling
        return self._cut and not others and isinstance(error, asyncio.CancelledError)

    def _expose(self) -> None:
        """The time limit of what nobody may cut short is over."""
        self._shelter.shield = False

    def _say_held(self) -> None:
        if not self._held:
            self._held = True
            kept = self._snapshot() if self.policy == "checkpointed" else {}
            with contextlib.suppress(NotRunning):  # it was taken for ended
                self._runner.answer(Held(self.run_id, self.span_id, self._runner.new_id(), kept))

    async def _reach(
        self, message: str | None, payload: dict[str, Any], work: asyncio.Future[Any] | None = None
    ) -> None:
        """A boundary, which lasts as long as the `work`."""
        try:
            event = BoundaryReached(self.run_id, self.span_id, self._runner.new_id(), message, payload)
            if message is None:
                await self._runner.perform(event)
            else:
                await self._when_going(lambda: self._runner.think(event, check=self._check_thinking))
            await checkpoint()
            self._obey()
            await self.hold()
            while work is not None and not work.done():
                await self._done_or_told(work)
                self._obey()
                await self.hold()
        except NotRunning:
            self._obey()  # it was taken for ended
            raise
        finally:
            await self._leave()

    async def _when_going(self, say: Callable[[], Awaitable[None]]) -> None:
        """Say something; where this span, or one that it is within, is to pause before it leaves (`_Held`), behind
        that."""
        while True:
            try:
                await say()
            except _Held as held:
                await held.span.hold()
            else:
                return

    @property
    def _is_current(self) -> bool:
        """Whether what is called within it is part of it."""
        return True

    def _check_thinking(self) -> None:
        """A thought still leaves where the pause is at the boundary behind it."""
        for span in self._outwards():
            if span.pauses_anywhere:
                raise _Held(span)

    def _check_writing(self) -> None:
        self._obey()
        for span in self._outwards():
            if span.pauses_anywhere or (span is self and span._pause is not None):
                raise _Held(span)

    def _outwards(self) -> Iterator[Span]:
        span: Span | None = self
        while span is not None:
            yield span
            span = span._parent

    async def _done_or_told(self, work: asyncio.Future[Any]) -> None:
        told = asyncio.ensure_future(self._told.wait())
        try:
            await asyncio.wait((work, told), return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()

    async def _until_told(self, sleeping: anyio.CancelScope) -> None:
        await self._told.wait()
        sleeping.cancel()

    async def _leave(self) -> None:
        try:
            await self._runner.perform(BoundaryLeft(self.run_id, self.span_id))
        except NotRunning:
            log.debug("%s has ended", self.span_id)

    async def _begin(self) -> None:
        assert self._parent is not None
        self._parent._obey()
        began = SpanBegan(self.run_id, self.span_id, self._parent.span_id, self._declared, self._name, self._snapshot())
        try:
            await self._runner.perform(began)
        except Stopping as stopping:  # it is not told yet: something else goes on within it
            self._parent._stopped = True
            raise Interrupted(self._parent, stopping.interrupt) from None

    async def _give_up(self, error: BaseException) -> None:
        """It could not begin."""

    async def _end(self, how: Ending, error: BaseException | None) -> None:  # noqa: ARG002
        with anyio.CancelScope(shield=True):
            try:
                await self._runner.perform(SpanEnded(self.run_id, self.span_id, how))
            except NotRunning:
                log.debug("%s had ended before its body did", self.span_id)

    def _obey(self) -> None:
        match self._directive:
            case End(interrupt=Interrupt(source="gateway", rule=code)):
                self._stopped = True
                raise Lost(self, code)
            case End(interrupt=interrupt):
                self._stopped = True
                raise Interrupted(self, interrupt)
            case Lose(code=code):
                self._stopped = True
                raise Lost(self, code)

    def _is_mine(self, error: BaseException) -> bool:
        """Whether this is our own stop, and nothing else: task groups in the body wrap it."""
        if isinstance(error, BaseExceptionGroup):
            return error.split(lambda one: self._is_stop(one))[1] is None
        return self._is_stop(error)

    def _is_stop(self, error: BaseException) -> bool:
        """Our own stop, or what the gateway refused on account of it: it may have acted before we looked."""
        if isinstance(error, Refused):
            return self._directive is not None and error.code in _FENCED
        return isinstance(error, RunStopped) and error.span is self

    def _snapshot(self) -> dict[str, Any]:
        """A copy of the state. Raises `TypeError` and `ValueError` for what could not be put back as it is."""
        plain.check(self.state, "state")
        encoded = msgspec.json.encode(self.state)
        if len(encoded) > _STATE_BYTES:
            raise ValueError(f"The state has {len(encoded)} bytes; a checkpoint holds {_STATE_BYTES}.")
        copy: dict[str, Any] = msgspec.json.decode(encoded)
        return copy


def milliseconds(seconds: float | None) -> int | None:
    """A limit in seconds, as the core wants it. Raises `Misdeclared` for what is none."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise Misdeclared(f"A limit is a number of seconds, not {seconds!r}.")
    return max(1, round(seconds * 1000))


def ending_of(error: BaseException | None) -> Ending:
    """How a body ended that raised this, or nothing."""
    if error is None:
        return "returned"
    # Groups of failures are failures; what is no Exception (cancellation, an outer span's stop) cancels.
    return "failed" if isinstance(error, Exception) else "cancelled"
