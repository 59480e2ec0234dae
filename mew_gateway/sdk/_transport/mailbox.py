"""What has arrived for somebody who reads at his own pace: bounded, and an error for who is too slow."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, Self, TypeVar

from mew_gateway.errors import MewError

T = TypeVar("T")


class TooSlow(MewError):
    """More arrived than is held for a reader: something is missing from here on. Read faster, or begin anew."""


class Mailbox(Generic[T]):
    """An async iterator of what is `put`. It holds items up to `limit`, each counted by `size`.

    Beyond that it takes no more: its reader gets what is held, then `TooSlow`.
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
        """Something has arrived. Never waits."""
        if self._over:
            return
        if self._held + self._size(item) > self._limit:
            self.end(TooSlow(f"More than {self._limit} arrived while nobody read."))
            return
        self._held += self._size(item)
        self._items.append(item)
        self._changed.set()

    def end(self, error: MewError | None = None) -> None:
        """Nothing more will come; the reader is told the error, if there is one, when it has read the rest."""
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
