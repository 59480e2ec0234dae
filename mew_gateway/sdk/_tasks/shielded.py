"""Shield: await a coroutine to its end, even if the caller is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Shielded(Generic[T]):
    """Coroutine in its own task, which a cancellation of the caller does not reach.

    `was_cancelled` says, when it is over, whether the caller was cancelled; the caller must then raise it. Once `holds`
    returns false, a cancellation ends the coroutine after all.
    """

    def __init__(self, body: Coroutine[Any, Any, T], *, holds: Callable[[], bool]) -> None:
        self._task = asyncio.ensure_future(body)
        self._holds = holds
        self.was_cancelled = False

    async def result(self) -> T:
        """Return what the coroutine returns; raise what it raises."""
        while not self._task.done():
            try:
                await asyncio.shield(self._task)
            except asyncio.CancelledError:
                if self._task.done():
                    break
                if not self._holds():
                    self._task.cancel()
                    raise
                self.was_cancelled = True
            except BaseException:
                break
        return self._task.result()
