"""The agent's tasks: so many at a time, so many waiting, and none that fails takes the others along."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskGroup

from .link import Disconnected, Stopped
from .run import RunStopped

log = logging.getLogger(__name__)

Work = Callable[[], Awaitable[None]]


class Handlers:
    """Runs handlers in a task group. `at_once` run at a time; `offer` refuses when `waiting` more are waiting."""

    def __init__(self, tasks: TaskGroup, *, at_once: int, waiting: int) -> None:
        self._tasks = tasks
        self._places = anyio.Semaphore(at_once)
        self._room = at_once + waiting
        self._held = 0

    def offer(self, name: str, work: Work) -> bool:
        """Start a handler, or say that there is no room. `name` is for the log."""
        if self._held >= self._room:
            return False
        self.start(name, work)
        return True

    def start(self, name: str, work: Work) -> None:
        """Start a handler that must not be refused."""
        self._held += 1
        self._tasks.start_soon(self._run, name, work)

    async def _run(self, name: str, work: Work) -> None:
        try:
            async with self._places:
                await guard(name, work)
        finally:
            self._held -= 1


async def guard(name: str, work: Work) -> None:
    """Run a handler and log what it raises. Cancellation passes."""
    try:
        await work()
    except (Disconnected, Stopped) as error:
        log.warning("%s: %s", name, error)
    except RunStopped as error:
        log.error("%s: spoke for a run outside its `async with`: %s", name, error)
    except Exception:
        log.exception("%s failed", name)
