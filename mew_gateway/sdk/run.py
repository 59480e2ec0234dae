"""Run: a visible reasoning sequence of an agent, and its root span."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self

import anyio
import msgspec

from ._runner import Runner
from ._tasks.job import current_job
from ._tasks.run_context import RunContext
from .client import FRAME_BYTES
from .execution.events import Began, Ended, Ending, Failure
from .execution.runs import NotRunning
from .execution.spans import Declaration
from .span import LAST_WORDS, Span, ending_of

log = logging.getLogger(__name__)

_ENVELOPE = 4_096  # bytes of a frame that are not the payload
_TYPE, _MESSAGE = 100, 500  # characters of an exception that a conclusion contains
_enclosing: ContextVar[str | None] = ContextVar("enclosing", default=None)  # the silent run around
_LEVELS = 48  # of JSON; the gateway takes 64 in an envelope


class Run(Span):
    """A reasoning sequence seen from inside, and its root span (docs/interruption.md §1). Made by `Agent.run`:

        async with self.run(message="thinking", policy="soft-stop") as run:
            await run.thought("first this")
            run.conclude("the answer")

    Whatever happens in the body, one conclusion ends it. `Interrupted` and `Lost` of this run end the block
    silently; every other exception passes on.

    A `silent` one is the body of a tool: on the agent's timeline, not on the wire, and no capability is part of it.
    """

    def __init__(
        self,
        runner: Runner,
        declared: Declaration,
        context: RunContext,
        *,
        message: str | None = None,
        payload: Mapping[str, Any],
        tells_errors: bool = True,
        silent: bool = False,
    ) -> None:
        super().__init__(runner, runner.new_id(), declared, parent=None)
        self.state = dict(context.state or {})
        self._context = context
        self._about = message
        self._start = dict(payload)
        self._tells_errors = tells_errors
        self._is_silent = silent
        self._open = contextlib.ExitStack()
        self._concluded = False
        self._message: str | None = None
        self._outcome: str | None = None
        self._payload: dict[str, Any] = {}

    @property
    def id(self) -> str:
        """The run's id: the `context` of all its envelopes."""
        return self.run_id

    def conclude(self, message: str | None = None, *, outcome: str | None = None, **payload: Any) -> None:
        """Set the content of the conclusion, which is sent when the block ends; the last call counts.

        `outcome` None derives it from how the block ends: completed, interrupted, failed or cancelled. `partial` in the
        payload overrides the default, which is false only if the block came to its end. Raises `ValueError` if it does
        not fit a frame, `TypeError` if it is not JSON: here the body can still react, while a conclusion that the
        gateway refuses would leave the run open.
        """
        if not isinstance(message, str | None) or not isinstance(outcome, str | None):
            raise TypeError("The message and the outcome of a conclusion are strings.")
        if not isinstance(payload.get("partial", False), bool):
            raise TypeError("Whether a conclusion is partial is True or False.")
        encoded = msgspec.json.encode(payload)
        if len(encoded) + len(message or "") > FRAME_BYTES - _ENVELOPE:
            raise ValueError(f"A conclusion of {len(encoded)} bytes does not fit a frame of {FRAME_BYTES}.")
        if not _is_shallow(payload, _LEVELS):
            raise ValueError(f"The payload of a conclusion has at most {_LEVELS} levels.")
        self._message, self._outcome, self._payload = message, outcome, msgspec.json.decode(encoded)
        self._concluded = True

    @property
    def has_concluded(self) -> bool:
        """True if `conclude` was called."""
        return self._concluded

    async def __aenter__(self) -> Self:
        job = current_job()
        with contextlib.ExitStack() as opened:
            if job is not None:
                opened.enter_context(job.holding())
            await super().__aenter__()
            if self._is_silent:
                token = _enclosing.set(self.run_id)
                opened.callback(_enclosing.reset, token)
            self._open = opened.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        with self._open:
            return await super().__aexit__(kind, error, trace)

    @property
    def _is_current(self) -> bool:
        return not self._is_silent

    async def _begin(self) -> None:
        began = Began(
            self.run_id,
            self.span_id,
            self._runner.new_id(),
            self._declared,
            self._about,
            self._context.correlation_id,
            self._start,
            self._context.user,
            self._context.caused_by,
            self._snapshot(),
            self._is_silent,
            _enclosing.get(),
            self._context.invitation,
        )
        await self._runner.perform(began)

    async def _give_up(self, error: BaseException) -> None:
        if self._runner.is_open(self.run_id) and not isinstance(error, NotRunning):
            await self._end(ending_of(error), error)

    async def _end(self, how: Ending, error: BaseException | None) -> None:
        with anyio.CancelScope(shield=True):
            failure = (
                _failure_of(error, with_message=self._tells_errors) if how == "failed" and error is not None else None
            )
            try:
                ended = Ended(self.run_id, how, self._message, self._outcome, self._payload, error=failure)
                await self._runner.perform(ended, patience=LAST_WORDS)
            except NotRunning:
                log.debug("%s had ended before its body did", self.run_id)


def _failure_of(error: BaseException, *, with_message: bool) -> Failure:
    """Describe an exception for a conclusion; of a group the first one. Without `with_message` only its class."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    try:
        message = str(error) if with_message else ""
    except Exception:  # raised by a foreign `__str__`
        message = ""
    encodable = message[:_MESSAGE].encode(errors="replace").decode()
    return Failure(type(error).__name__[:_TYPE], encodable)


def _is_shallow(value: Any, levels: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return not isinstance(value, list | tuple) or (levels > 0 and all(_is_shallow(one, levels - 1) for one in value))
