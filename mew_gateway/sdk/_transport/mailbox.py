"""Bounded queue of received items for one reader; a reader that is too slow gets an error."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, Self, TypeVar

from mew_gateway.errors import MewError

T = TypeVar("T")


class TooSlow(MewError):
    """More items arrived than the mailbox holds, so some are missing. Read faster, or start again."""


class Mailbox(Generic[T]):
    """Async iterator of what is `put`. It holds items up to `limit`, each counted by `size`.

    When the limit is exceeded it takes no more: the reader gets the items that are held, then `TooSlow`.
    """

    def __init__(self, *, limit: int, size: Callable[[T], int] = lambda _: 1) -> None:
        self._limit = limit
        self._size = size
        self._held = 0
        self._items: deque[T] = deque()
        self._changed = asyncio.Event()
        self._over = False
        self._error: MewError | None = None

    def put(self, item: T) -> None:
        """Add an item. Never waits."""
        if self._over:
            return
        if self._held + self._size(item) > self._limit:
            self.end(TooSlow(f"More than {self._limit} arrived while nothing was read."))
            return
        self._held += self._size(item)
        self._items.append(item)
        self._changed.set()

    def end(self, error: MewError | None = None) -> None:
        """End the mailbox: the reader gets the remaining items, then the error if there is one."""
        if not self._over:
            self._over, self._error = True, error
            self._changed.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        while not self._items:
            if self._over:
                if self._error is not None:
                    raise self._error
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        item = self._items.popleft()
        self._held -= self._size(item)
        return item
