"""Implementations of the broker's interfaces: asyncio's event loop, and random ids."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

import uuid_utils

from .auth.token_file import draw_token


class AsyncioLoop:
    """An `interfaces.Loop` on asyncio's loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.call_soon = loop.call_soon
        self.call_later = loop.call_later
        self.time = time.monotonic
        ready = getattr(loop, "_ready", None)  # asyncio's own list of callbacks; other loops have none
        self.is_last: Callable[[], bool] = (lambda: not ready) if isinstance(ready, deque) else (lambda: False)


class RandomIds:
    """An `interfaces.Ids` that draws UUIDs and tokens."""

    def new_id(self) -> str:
        """Return a UUIDv7."""
        return str(uuid_utils.uuid7())

    def epoch(self) -> str:
        """Return twelve hexadecimal digits."""
        return uuid_utils.uuid7().hex[:12]

    def token(self) -> str:
        """Return a new random token."""
        return draw_token()
