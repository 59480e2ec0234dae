"""Bodies of tools and resources: each runs in a span, by its policy and within its time limit.

A body has its own task. A caller that waits for its answer may give up; then the body's policy decides what becomes of
it (docs/interruption.md §8). In an agent the core decides, in a silent run, and the timeline records it. A participant
that is no agent has no core and uses the same policy table.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import anyio
import msgspec

from ._runner import Runner
from ._tasks.cancel_guard import guarded
from ._tasks.job import current_job
from ._tasks.run_context import current_context
from ._tasks.tasks import Starter
from .exchange import rpc
from .exchange.mcp import ToolFailed
from .exchange.rpc import ToolError
from .execution.ending import GRACE
from .execution.interrupt import Interrupt
from .execution.policy import TABLE
from .execution.spans import Declaration
from .run import Run

log = logging.getLogger(__name__)

MOST = 16  # bodies that are left at work after their limit, unless an agent says otherwise

Sleep = Callable[[int], Awaitable[None]]


class Body:
    """One call of a tool, or reading of a resource. `decision` is the decision about its cancellation, if any."""

    def __init__(self, name: str, declared: Declaration) -> None:
        self.name = name
        self.declared = declared
        self.decision: dict[str, Any] | None = None
        self.over = anyio.Event()
        self.scope = anyio.CancelScope()
        self.run: Run | None = None
        self.was_ended = False
        self.value: Any = None
        self.error: Exception | None = None

    @property
    def is_stopping(self) -> bool:
        """True if it is to end before it is done."""
        return self.scope.cancel_called or (self.run is not None and self.run.stopping)


class Bodies:
    """Runs bodies. At most `most` may outlast their limits; beyond that nothing begins."""

    def __init__(self, tasks: Starter, *, sleep: Sleep, runner: Runner | None, most: int = MOST) -> None:
        self._tasks = tasks
        self._sleep = sleep
        self._runner = runner
        self._most = most
        self._left: set[Body] = set()

    async def result(self, body: Body, work: Callable[[], Awaitable[Any]]) -> Any:
        """Run the work and return its result. Raises what it raises.

        Raises `ToolError` if it was ended or there is no room, and `ToolFailed` if it has not ended within its limit.
        In that case it goes on: nothing is killed.
        """
        if len(self._left) >= self._most:
            raise ToolError(rpc.BUSY, f"{len(self._left)} calls are still at work after their time limits.")
        job = current_job()
        with contextlib.nullcontext() if job is None else job.holding():
            self._tasks.start_soon(self._carry_out, body, work)
            with anyio.CancelScope(shield=True):  # the body ends by its policy, and its caller learns what came of it
                await self._wait(body)
        limit = f"{(body.declared.limit or 0) / 1000:g} s"
        if not body.over.is_set():
            self._left.add(body)
            log.warning("%s has not ended within %s and goes on", body.name, limit)
            raise ToolFailed(
                f"{body.name} has not ended within {limit}. It goes on; whether it will have been done is not known."
            )
        if body.error is not None:
            raise body.error
        if body.was_ended and body.decision is not None:
            raise ToolError(rpc.REQUEST_CANCELLED, f"{body.name} was cancelled.", data=body.decision)
        if body.was_ended:
            raise ToolError(rpc.REQUEST_CANCELLED, f"{body.name} was ended before it was done.")
        return body.value

    def cancel(self, body: Body, interrupt: Interrupt) -> None:
        """Cancel a body for its caller, as the policy table decides."""
        if body.run is None and self._runner is not None:  # it has not begun
            body.decision = {"class": "cancel", "status": "stopping", "outcome": "stopped"}
            body.scope.cancel()
        elif body.run is not None and self._runner is not None:
            body.decision = self._runner.interrupt(msgspec.structs.replace(interrupt, run=body.run.run_id))
        else:
            rule = TABLE[("cancel", body.declared.effective)]
            body.decision = {"class": "cancel", "status": rule.status, "outcome": rule.outcome}
            body.decision["policy_applied"] = body.declared.effective
            if rule.directive == "end":
                body.scope.cancel()

    async def _carry_out(self, body: Body, work: Callable[[], Awaitable[Any]]) -> None:
        try:
            with body.scope:
                async with AsyncExitStack() as spans:
                    if self._runner is not None:
                        run = Run(
                            self._runner, body.declared, current_context(), message=body.name, payload={}, silent=True
                        )
                        await spans.enter_async_context(run)
                        body.run = run
                    body.value = await guarded(work())
        except Exception as error:
            body.error = error
        finally:
            body.was_ended = body.is_stopping
            self._left.discard(body)
            body.over.set()

    async def _wait(self, body: Body) -> None:
        """Wait until the body has ended, or its limit is over."""
        if body.declared.limit is None:
            await body.over.wait()
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._time_out, body, tasks.cancel_scope)
            await body.over.wait()
            tasks.cancel_scope.cancel()

    async def _time_out(self, body: Body, waiting: anyio.CancelScope) -> None:
        assert body.declared.limit is not None
        await self._sleep(body.declared.limit)
        if body.declared.effective != "non-interruptible":
            if self._runner is None:
                body.scope.cancel()
            await self._sleep(GRACE)  # an agent's core ends it, by the alert that its limit is
        waiting.cancel()
