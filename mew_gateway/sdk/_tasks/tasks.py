"""Tasks in the background: they end with their owner."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol, TypeAlias

from anyio.abc import TaskGroup

# What a handler does: called once, awaited to its end.
Work: TypeAlias = Callable[[], Awaitable[None]]


class Starter(Protocol):
    """Starts tasks: `Group`, or `Tasks`."""

    def start_soon(self, work: Callable[..., Coroutine[Any, Any, Any]], /, *args: Any) -> object:
        """Start `work(*args)`."""


class Group:
    """A task group of anyio that starts tasks from anywhere in its loop.

    By itself, where sniffio is installed, it starts none in a callback of the loop: no task, no library to be seen.
    A group that is cancelled starts nothing: anyio would leave such a task to turn in its first checkpoint for ever.
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
    """Tasks that are cancelled by `aclose`. What they run must see to its own errors."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start_soon(self, work: Callable[..., Coroutine[Any, Any, Any]], /, *args: Any) -> None:
        """As `Starter.start_soon`."""
        task = asyncio.create_task(work(*args))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def aclose(self) -> None:
        """Cancel what runs, and wait until it is over. Idempotent."""
        running = [task for task in self._running if task is not asyncio.current_task()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
