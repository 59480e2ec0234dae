"""Handlers of an agent as tasks: limited in number, and independent when one fails."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Hashable

import anyio

from ._tasks.cancel_guard import guarded
from ._tasks.job import Job, begin
from ._tasks.tasks import Starter, Work
from ._transport.reconnect import Disconnected, Stopped
from .execution.runs import Halted
from .span import RunStopped

log = logging.getLogger(__name__)


class Handlers:
    """Runs handlers as tasks: `at_once` at a time. `offer` refuses a handler when `waiting` more are waiting.

    While they are held (`hold`) no handler begins; those that have begun go on.
    """

    def __init__(self, tasks: Starter, *, at_once: int = 16, waiting: int = 256) -> None:
        self._tasks = tasks
        self._places = anyio.Semaphore(at_once)
        self._room = at_once + waiting
        self._jobs: list[Job] = []
        self._held: set[str] = set()
        self._released = anyio.Event()

    def offer(self, name: str, work: Work, *, key: Hashable | None = None) -> bool:
        """Start a handler. Return false if there is no room. `name` is for the log; its `key` can end it."""
        if len(self._jobs) >= self._room:
            return False
        self.start(name, work, key=key)
        return True

    def start(self, name: str, work: Work, *, key: Hashable | None = None) -> None:
        """Start a handler that must not be refused."""
        job = Job(key)
        self._jobs.append(job)
        self._tasks.start_soon(self._run, name, work, job)

    def hold(self, why: str) -> None:
        """Let no handler begin until this reason is released."""
        self._held.add(why)

    def release(self, why: str) -> None:
        """Remove a reason, and let waiting handlers begin if it was the last."""
        self._held.discard(why)
        if not self._held:
            self._released.set()
            self._released = anyio.Event()

    def drop(self, key: Hashable) -> None:
        """End the handlers with this key that have not begun."""
        self._end(lambda job: job.key == key and not job.begun)

    async def end_all(self, *, after: Awaitable[None]) -> None:
        """End all handlers and wait for their end.

        A handler with open runs is cancelled when they have ended, or when `after` is done.
        """
        jobs = self._jobs.copy()
        for job in jobs:
            job.end()
        await after
        for job in jobs:
            job.scope.cancel()
            await job.over.wait()

    def _end(self, is_meant: Callable[[Job], bool]) -> None:
        for job in [job for job in self._jobs if is_meant(job)]:
            job.scope.cancel()

    async def _run(self, name: str, work: Work, job: Job) -> None:
        try:
            with job.scope:
                async with self._places:
                    while self._held:
                        await self._released.wait()
                    job.begun = True
                    begin(job)
                    await guard(name, work)
        finally:
            self._jobs.remove(job)
            job.over.set()


async def guard(name: str, work: Work) -> None:
    """Run a handler and log what it raises. Cancellation passes."""
    try:
        await guarded(work())
    except (Disconnected, Stopped, Halted) as error:
        log.warning("%s: %s", name, error)
    except RunStopped as error:
        log.error("%s: spoke for a run outside its `async with`: %s", name, error)
    except Exception:
        log.exception("%s failed", name)
