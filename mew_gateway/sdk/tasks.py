"""Tasks in the background: they end with their owner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol


class Starter(Protocol):
    """Starts tasks: a task group of anyio, or `Tasks`."""

    def start_soon(self, work: Callable[..., Coroutine[Any, Any, Any]], /, *args: Any) -> object:
        """Start `work(*args)`."""


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
