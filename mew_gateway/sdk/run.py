"""A run: one burst of reasoning that everybody sees and, if its policy allows, somebody may stop."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Any, Self

import anyio
import msgspec
from anyio.lowlevel import checkpoint

from .client import FRAME_BYTES
from .execution.effects import Lose, Stop
from .execution.events import Began, BoundaryLeft, BoundaryReached, Ended, Ending
from .execution.interrupt import Interrupt
from .execution.policy import Policy
from .execution.runs import NotRunning
from .runner import Runner

log = logging.getLogger(__name__)

_LAST_WORDS = 2_000  # milliseconds for a conclusion to leave, whoever is in a hurry
_ENVELOPE = 4_096  # bytes of a frame that are not the payload
_LEVELS = 48  # of JSON; the gateway takes 64 in an envelope


class RunStopped(BaseException):
    """A run must end now. Not an `Exception`: `except Exception` around a model's call must not swallow it."""

    def __init__(self, run: Run, why: str) -> None:
        super().__init__(why)
        self.run = run


class Interrupted(RunStopped):
    """Somebody stopped the run: `interrupt` says who, how and what for instead."""

    def __init__(self, run: Run, interrupt: Interrupt) -> None:
        super().__init__(run, f"{interrupt.sender} interrupted {run.id} ({interrupt.class_}).")
        self.interrupt = interrupt


class Lost(RunStopped):
    """The gateway does not have the run (any more), for the reason `code`: nobody hears it, nobody could stop it."""

    def __init__(self, run: Run, code: str) -> None:
        super().__init__(run, f"{run.id} is gone ({code}).")
        self.code = code


class Run:
    """A reasoning sequence seen from inside (docs/interruption.md §1). Made by `Agent.run`:

        async with self.run(message="thinking", policy="soft-stop") as run:
            await run.thought("first this")
            run.conclude("the answer")

    Whatever happens in the body, one conclusion ends it. `Interrupted` and `Lost` of this run end the block
    silently; every other exception passes on.
    """

    def __init__(self, runner: Runner, began: Began) -> None:
        self.id = began.run
        self._runner = runner
        self._began = began
        self._directive: Stop | Lose | None = None
        self._told = anyio.Event()
        self._stopped = False
        self._message: str | None = None
        self._outcome: str | None = None
        self._payload: dict[str, Any] = {}

    @property
    def policy(self) -> Policy:
        """How the run takes an interruption."""
        return self._began.policy

    @property
    def stopping(self) -> bool:
        """Whether the next `thought` will be the last: a body may look, to come to it sooner."""
        return self._directive is not None

    async def sleep(self, seconds: float) -> None:
        """Wait, but not once the run is `stopping`."""
        with anyio.move_on_after(seconds):
            await self._told.wait()

    async def thought(self, message: str, **payload: Any) -> None:
        """Say a thought. Here is the boundary where an interrupt takes hold: the thought still goes out, then
        `Interrupted` (or `Lost`) is raised, here and at every further thought, which then stays unsaid.

        While there is no connection it waits for one, up to the client's patience, then raises `Disconnected`.
        A body must await something often: an interrupt is answered only while the loop runs.
        """
        try:
            await self._runner.perform(BoundaryReached(self.id, self._runner.new_id(), message, payload))
            await checkpoint()
            self._obey()
        finally:
            await self._runner.perform(BoundaryLeft(self.id))

    def conclude(self, message: str | None = None, *, outcome: str | None = None, **payload: Any) -> None:
        """What the conclusion will say when the block ends; the last call counts.

        `outcome` None leaves the word to how the block ends: completed, interrupted, failed or cancelled.
        `partial` in the payload overrides the guess that only a block which came to its end is whole. Raises
        `ValueError` for more than a frame holds, `TypeError` for what is no JSON: here, where the body can still
        do something about it, for a conclusion that the gateway refuses would leave the run open.
        """
        if not isinstance(message, str | None) or not isinstance(outcome, str | None):
            raise TypeError("The message and the outcome of a conclusion are strings.")
        encoded = msgspec.json.encode(payload)
        if len(encoded) + len(message or "") > FRAME_BYTES - _ENVELOPE:
            raise ValueError(f"A conclusion of {len(encoded)} bytes does not fit a frame of {FRAME_BYTES}.")
        if not _is_shallow(payload, _LEVELS):
            raise ValueError(f"The payload of a conclusion has at most {_LEVELS} levels.")
        self._message, self._outcome, self._payload = message, outcome, msgspec.json.decode(encoded)

    async def __aenter__(self) -> Self:
        self._runner.attach(self.id, self._be_told)
        try:
            await self._runner.perform(self._began)
        except NotRunning:  # used twice: the first use is not ours to end
            raise
        except BaseException as error:
            await self._end(_ending(error))
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        mine = error is not None and self._is_mine(error)
        await self._end("interrupted" if mine or (self._stopped and error is None) else _ending(error))
        return mine

    async def _end(self, how: Ending) -> None:
        with anyio.CancelScope(shield=True):
            await self._runner.perform(
                Ended(self.id, self._runner.new_id(), how, self._message, self._outcome, self._payload),
                patience=_LAST_WORDS,
            )

    def _be_told(self, directive: Stop | Lose) -> None:
        self._directive = directive
        self._told.set()

    def _obey(self) -> None:
        match self._directive:
            case Stop(interrupt=interrupt):
                self._stopped = True
                raise Interrupted(self, interrupt)
            case Lose(code=code):
                self._stopped = True
                raise Lost(self, code)

    def _is_mine(self, error: BaseException) -> bool:
        """Whether this is our own stop, and nothing else: task groups in the body wrap it."""
        if isinstance(error, BaseExceptionGroup):
            return error.split(lambda one: isinstance(one, RunStopped) and one.run is self)[1] is None
        return isinstance(error, RunStopped) and error.run is self


def _ending(error: BaseException | None) -> Ending:
    if error is None:
        return "returned"
    # Groups of failures are failures; what is no Exception (cancellation, an outer run's stop) cancels.
    return "failed" if isinstance(error, Exception) else "cancelled"


def _is_shallow(value: Any, levels: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return not isinstance(value, list | tuple) or (levels > 0 and all(_is_shallow(one, levels - 1) for one in value))
