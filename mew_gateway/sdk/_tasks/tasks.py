"""Background tasks that end with their owner."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol, TypeAlias

from anyio.abc import TaskGroup

# What a handler does: called once, awaited to its end.
Work: TypeAlias = Callable[[], Awaitable[None]]


class Starter(Protocol):
    """Starts tasks: `Group` or `Tasks`."""

    def start_soon(self, work: Callable[..., Coroutine[Any, Any, Any]], /, *args: Any) -> object:
        """Start `work(*args)` in a task."""


class Group:
    """Task group of anyio that can start tasks from anywhere in its loop.

    anyio's own group cannot start one in a callback of the loop if sniffio is installed: without a task no library is
    detected. A cancelled group starts nothing, because anyio would leave such a task in its first checkpoint forever.
    """

    def __init__(self, group: TaskGroup) -> None:
        self._group = group
        self._starting: set[asyncio.Task[None]] = set()

    def start_soon(self, work: Callable[..., Coroutine[Any, Any, Any]], /, *args: Any) -> None:
        """As `Starter.start_soon`."""
        if self._group.cancel_scope.cancel_called:
            return
        if asyncio.current_task() is not None:
            self._group.start_soon(work, *args)
            return
        starting = asyncio.get_running_loop().create_task(self._start(work, *args))
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)

    async def _start(self, work: Callable[..., Coroutine[Any, Any, Any]], /, *args: Any) -> None:
        if not self._group.cancel_scope.cancel_called:
            self._group.start_soon(work, *args)


class Tasks:
    """Tasks that `aclose` cancels. What they run must handle its own errors."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start_soon(self, work: Callable[..., Coroutine[Any, Any, Any]], /, *args: Any) -> None:
        """As `Starter.start_soon`."""
        task = asyncio.create_task(work(*args))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def aclose(self) -> None:
        """Cancel the running tasks and wait for their end. Idempotent."""
        running = [task for task in self._running if task is not asyncio.current_task()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
