"""Span as its body sees it: thoughts, boundaries, pauses, checkpoints, and the exceptions that end it.

A body runs in `async with` of a `Span` (or `Run`, the root). The runner delivers directives from any thread: `deliver`
stores one, `wake` applies it in the agent's loop. A body obeys at its boundaries (`thought`, `boundary`, `checkpoint`,
`check`): there it pauses, or gets `Interrupted` or `Lost`. With an await directive its task is cancelled once at its
current await.

Invariants: the block swallows its own end (`Interrupted`, `Lost`, its own cancellation) and nothing else. An
irreversible span is shielded from cancellation within its limit. Inner spans end before outer ones.
"""

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

from ._runner import BodyEffect, Runner
from .exchange.mcp import ToolResult
from .exchange.requests import Refused
from .execution import checkpoint_state
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

_FENCED = ("fenced", "halted", "sequence_closed")  # codes by which the gateway refuses a run that must end
_STATE_BYTES = 1 << 20  # of a checkpoint
LAST_WORDS = 2_000  # milliseconds for a conclusion to leave

_current: ContextVar[Span | None] = ContextVar("span", default=None)


def current_span() -> Span | None:
    """Return the span of the calling task, or of a thread that it started."""
    return _current.get()


class RunStopped(BaseException):
    """A span must end now. Not an `Exception`: an `except Exception` around a model's call must not swallow it."""

    def __init__(self, span: Span, why: str) -> None:
        super().__init__(why)
        self.span = span


class Interrupted(RunStopped):
    """The span was stopped: `interrupt` says by whom, how and what to do instead."""

    def __init__(self, span: Span, interrupt: Interrupt) -> None:
        super().__init__(span, f"{interrupt.sender} interrupted {span.span_id} ({interrupt.class_}).")
        self.interrupt = interrupt


class Lost(RunStopped):
    """The gateway does not know the run (any more), for the reason `code`: it is unseen and cannot be stopped."""

    def __init__(self, span: Span, code: str) -> None:
        super().__init__(span, f"{span.run_id} is gone ({code}).")
        self.code = code


class _PauseDue(Exception):
    """A span must pause before the envelope or frame that was about to leave."""

    def __init__(self, span: Span) -> None:
        super().__init__(span.span_id)
        self.span = span


class Span:
    """Part of a run, with its own policy (docs/interruption.md §1). Made by `Span.span` and by capabilities:

            async with run.span(policy="checkpointed", kind="act") as span:
                span.state["done"] = 3
                await span.checkpoint()

    `state` is a dict of JSON. A rollback restores it as it was at the last checkpoint, or at the beginning. `answers`
    are the answers to clarifications for which the span paused.
    """

    def __init__(
        self, runner: Runner, run_id: str, declared: Declaration, *, parent: Span | None, name: str | None = None
    ) -> None:
        self.span_id = runner.new_id()
        self.run_id = run_id
        self.state: dict[str, Any] = {}
        self.answers: list[Any] = []
        self.is_pausable = False  # its body can be paused at any of its awaits
        self._runner = runner
        self._declared = validated(declared)
        self._parent = parent
        self._name = name
        self._directive: End | Lose | None = None
        self._pause: Pause | None = None
        self._held = False
        self._applied: End | Lose | None = None
        self._stopped = False
        self._woken = anyio.Event()
        self._directed = anyio.Event()
        self._shield = anyio.CancelScope(shield=declared.side_effect == "irreversible")
        self._task: asyncio.Task[Any] | None = None  # while its body runs
        self._cancelling = 0
        self._cut = False
        self._token: Token[Span | None] | None = None

    @property
    def id(self) -> str:
        """The span's id."""
        return self.span_id

    @property
    def policy(self) -> Policy:
        """The policy in effect."""
        return self._declared.effective

    @property
    def is_shielded(self) -> bool:
        """True while it cannot be cancelled: it is irreversible, and within its limit."""
        return self._shield.shield

    @property
    def was_stopped(self) -> bool:
        """True if it was stopped: the result of its body is not wanted any more."""
        return self._stopped

    @property
    def stopping(self) -> bool:
        """True if the next boundary is the last. A body may check it, from any thread, to get there sooner."""
        return self._directive is not None

    async def thought(self, message: str, **payload: Any) -> None:
        """Send a thought, and reach the boundary after it, where an interrupt takes hold.

        The thought is still sent if the ack of the interrupt left room for it. Then `Interrupted` (or `Lost`) is
        raised, here and at every further boundary. Without a connection it waits for one, up to the client's patience,
        then raises `Disconnected`.
        """
        await self._reach(message, payload)

    async def boundary(self) -> None:
        """Reach a boundary without a thought: here the span may stop or pause."""
        await self._reach(None, {})

    async def write(self, stream: Stream, chunk: Chunk) -> None:
        """Write a frame of a stream, as `Stream.write`, unless the span must end: then raise `Interrupted` or `Lost`.

        While the span must pause, it waits. So no frame is sent after the ack of an interrupt, where the gateway would
        refuse it (docs/protocol.md §5).
        """
        await self.hold()
        await self._unless_pausing(lambda: stream.write(chunk, check=self._check_writing, under=self._runner.lock))

    async def checkpoint(self) -> str:
        """Record `state` durably, as the point to roll back to. Return the checkpoint's id. This is a boundary, too.

        Raises `TypeError` if the state is not JSON.
        """
        id, state = self._runner.new_id(), self._snapshot()
        self._obey()
        await self._runner.perform(CheckpointReached(self.run_id, self.span_id, id, state))
        await self.boundary()
        return id

    async def sleep(self, seconds: float) -> None:
        """Wait, by the client's clock, until the time is over or the span is `stopping` or must pause.

        With 0 or less it returns at once.
        """
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._until_directed, tasks.cancel_scope)
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
        """Call a tool of another participant in this span. A call that is not allowed is proposed, and waits for
        approval.

        The call has the run as its `context`, and the wait is a boundary: an interrupt that stops the span withdraws
        the call. `timeout` is in milliseconds. Raises as `Participant.call`.
        """
        token = _current.set(self)
        try:
            participant = self._runner.participant
            return await participant.call(target, tool, arguments, timeout=timeout, propose=propose)
        finally:
            _current.reset(token)

    async def waiting(self, work: Coroutine[Any, Any, T]) -> T:
        """Await some work as at a boundary.

        If the span must end, the work is cancelled and `Interrupted` or `Lost` raised. If the span must pause, it
        pauses while the work goes on.
        """
        task = asyncio.ensure_future(work)
        try:
            await self._reach(None, {}, task)
            return await task
        finally:
            task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.gather(task, return_exceptions=True)

    async def thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking code in its own thread, while the agent's loop goes on.

        The thread cannot be stopped: long work should check `stopping`, or call `check`. A span that must end at once
        does not wait for it.
        """
        self._obey()
        return await anyio.to_thread.run_sync(lambda: work(*args, **kwargs), abandon_on_cancel=True)

    def check(self) -> None:
        """Boundary for code that cannot await, in any thread: raise `Interrupted` or `Lost` if the span must end."""
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
        """Return a span within this one, for `async with`. `limit` is in seconds. Raises `Misdeclared`."""
        declared = Declaration(policy, kind, side_effect, milliseconds(limit), foreground, interruptible)
        return self.child(declared, name=name)

    def child(self, declared: Declaration, *, name: str | None = None) -> Span:
        """Return a span within this one, as `span` does."""
        return Span(self._runner, self.run_id, declared, parent=self, name=name)

    def conclude(self, message: str | None = None, *, outcome: str | None = None, **payload: Any) -> None:
        """Set the content of the run's conclusion, as `Run.conclude`."""
        if self._parent is not None:
            self._parent.conclude(message, outcome=outcome, **payload)

    @property
    def has_concluded(self) -> bool:
        """True if the content of the run's conclusion is set."""
        return self._parent is not None and self._parent.has_concluded

    def belongs_to(self, runner: Runner) -> bool:
        """Return true if it is a span of this runner's agent."""
        return self._runner is runner

    # Called by the runner.

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
        if self._applied is not self._directive:
            match self._directive:
                case End(how="back", state=state):
                    self.state.clear()
                    self.state.update(state or {})
                    self._cancel()
                case End(how="await"):
                    self._cancel()
        self._applied = self._directive
        if self.is_pausable and self.pauses_now:
            self._report_paused()  # its body is at an await and will pause when that returns
        if self._directive is not None or self._pause is not None:
            self._directed.set()
        else:
            self._directed = anyio.Event()
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
        self._shield.__enter__()
        self._token = _current.set(self if self._is_current else None)
        if self._declared.limit is not None and self._shield.shield:
            asyncio.get_running_loop().call_later(self._declared.limit / 1000, self._unshield)
        if isinstance(self._directive, End) and self._directive.how != "boundary":
            asyncio.get_running_loop().call_soon(self._cancel)  # directed before its body began
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        assert self._token is not None
        _current.reset(self._token)
        self._shield.__exit__(kind, error, trace)
        mine = self._was_cut(error) or (error is not None and self._is_mine(error))
        await self._end("interrupted" if mine or (self._stopped and error is None) else ending_of(error), error)
        self._runner.detach(self)
        if mine and self._parent is not None:
            self._parent._obey()  # inner spans end first: now it must end
        return mine

    async def hold(self) -> None:
        """Wait while the span must pause. Raises `Interrupted` or `Lost` if it must end."""
        while self._pause is not None and self._directive is None:
            self._report_paused()
            if self._pause is not None and self._directive is None:
                await self._woken.wait()
        self._held = False
        self._obey()

    @property
    def pauses_now(self) -> bool:
        """True if it must pause now, at any await."""
        return self._pause is not None and self._pause.how == "await" and self._directive is None

    def _cancel(self) -> None:
        """Cancel its body once, at its current await (the loop is the caller); the body may await again to clean up."""
        if self._task is not None and not self._cut:
            self._cut = self._stopped = True
            self._task.cancel()

    def _was_cut(self, error: BaseException | None) -> bool:
        """Return true if only this span cancelled the body. From now on nothing cancels it."""
        task, self._task = self._task, None
        assert task is not None
        others = self._cut and task.uncancel() > self._cancelling
        return self._cut and not others and isinstance(error, asyncio.CancelledError)

    def _unshield(self) -> None:
        """End the shield: the limit of an irreversible span is over."""
        self._shield.shield = False

    def _report_paused(self) -> None:
        if not self._held:
            self._held = True
            kept = self._snapshot() if self.policy == "checkpointed" else {}
            with contextlib.suppress(NotRunning):  # the core treats it as ended
                self._runner.answer(Held(self.run_id, self.span_id, self._runner.new_id(), kept))

    async def _reach(
        self, message: str | None, payload: dict[str, Any], work: asyncio.Future[Any] | None = None
    ) -> None:
        """Reach a boundary, which lasts as long as the `work`."""
        try:
            event = BoundaryReached(self.run_id, self.span_id, self._runner.new_id(), message, payload)
            if message is None:
                await self._runner.perform(event)
            else:
                await self._unless_pausing(lambda: self._runner.think(event, check=self._check_thinking))
            await checkpoint()
            self._obey()
            await self.hold()
            while work is not None and not work.done():
                await self._done_or_directed(work)
                self._obey()
                await self.hold()
        except NotRunning:
            self._obey()  # the core treats it as ended
            raise
        finally:
            await self._leave()

    async def _unless_pausing(self, say: Callable[[], Awaitable[None]]) -> None:
        """Call `say`; if a span must pause before it leaves (`_PauseDue`), pause and repeat."""
        while True:
            try:
                await say()
            except _PauseDue as due:
                await due.span.hold()
            else:
                return

    @property
    def _is_current(self) -> bool:
        """True if calls within it belong to it."""
        return True

    def _check_thinking(self) -> None:
        """Raise `_PauseDue` before a thought, unless the pause is at the boundary after it."""
        for span in self._ancestors():
            if span.pauses_now:
                raise _PauseDue(span)

    def _check_writing(self) -> None:
        self._obey()
        for span in self._ancestors():
            if span.pauses_now or (span is self and span._pause is not None):
                raise _PauseDue(span)

    def _ancestors(self) -> Iterator[Span]:
        span: Span | None = self
        while span is not None:
            yield span
            span = span._parent

    async def _done_or_directed(self, work: asyncio.Future[Any]) -> None:
        directed = asyncio.ensure_future(self._directed.wait())
        try:
            await asyncio.wait((work, directed), return_when=asyncio.FIRST_COMPLETED)
        finally:
            directed.cancel()

    async def _until_directed(self, sleeping: anyio.CancelScope) -> None:
        await self._directed.wait()
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
        except Stopping as stopping:  # it has no directive yet, because other spans within it are open
            self._parent._stopped = True
            raise Interrupted(self._parent, stopping.interrupt) from None

    async def _give_up(self, error: BaseException) -> None:
        """Handle a span that could not begin."""

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
        """Return true if the error is our own stop and nothing else; task groups in the body wrap it."""
        if isinstance(error, BaseExceptionGroup):
            return error.split(lambda one: self._is_stop(one))[1] is None
        return self._is_stop(error)

    def _is_stop(self, error: BaseException) -> bool:
        """Return true for our own stop, or for a refusal that it caused before we noticed it."""
        if isinstance(error, Refused):
            return self._directive is not None and error.code in _FENCED
        return isinstance(error, RunStopped) and error.span is self

    def _snapshot(self) -> dict[str, Any]:
        """Return a copy of the state. Raises `TypeError` or `ValueError` if it could not be restored."""
        checkpoint_state.check(self.state, "state")
        encoded = msgspec.json.encode(self.state)
        if len(encoded) > _STATE_BYTES:
            raise ValueError(f"The state has {len(encoded)} bytes; a checkpoint holds {_STATE_BYTES}.")
        copy: dict[str, Any] = msgspec.json.decode(encoded)
        return copy


def milliseconds(seconds: float | None) -> int | None:
    """Convert a limit in seconds to milliseconds. Raises `Misdeclared` if it is invalid."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise Misdeclared(f"A limit is a number of seconds, not {seconds!r}.")
    return max(1, round(seconds * 1000))


def ending_of(error: BaseException | None) -> Ending:
    """Return how a body ended that raised this error, or none."""
    if error is None:
        return "returned"
    # Groups of failures are failures; what is no Exception (cancellation, an outer span's stop) cancels.
    return "failed" if isinstance(error, Exception) else "cancelled"
