"""What nobody may cut short: awaited to its end, whoever gives up on it meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Sheltered(Generic[T]):
    """A coroutine in a task of its own, which a cancellation of whoever awaits it does not reach.

    `given_up` says, when it is over, whether there was one; it is then the caller's to raise it. Once `holds` says no,
    a cancellation cuts it short after all.
    """

    def __init__(self, body: Coroutine[Any, Any, T], *, holds: Callable[[], bool]) -> None:
        self._task = asyncio.ensure_future(body)
        self._holds = holds
        self.given_up = False

    async def result(self) -> T:
        """What the coroutine returns or raises."""
        while not self._task.done():
            try:
                await asyncio.shield(self._task)
            except asyncio.CancelledError:
                if self._task.done():
                    break
                if not self._holds():
                    self._task.cancel()
                    raise
                self.given_up = True
            except BaseException:
                break
        return self._task.result()
