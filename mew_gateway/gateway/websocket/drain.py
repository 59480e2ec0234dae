"""The end of all connections when the gateway stops: told 1012 a few at a time, then cut (docs/architecture.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

GOODBYE = 1012, "the gateway restarts: come back soon"
AT_ONCE = 50  # connections told at once: whoever comes back does not come with all the others
PAUSE = 0.02  # seconds between them
PATIENCE = 2.0  # seconds for peers to answer the close frame


class Leaving(Protocol):
    """A connection that is to end."""

    def close(self, code: int, reason: str) -> None:
        """Tell the peer, and wait for its answer."""

    def abort(self) -> None:
        """End it without another word."""


async def drain_connections(
    open: Collection[Leaving], *, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> None:
    """Close every connection, and abort those that are still `open` when the patience with them is over.

    Nobody may be let in any more: who comes meanwhile is not told.
    """
    everybody = list(open)
    for at in range(0, len(everybody), AT_ONCE):
        for connection in everybody[at : at + AT_ONCE]:
            connection.close(*GOODBYE)
        await sleep(PAUSE)
    for _ in range(round(PATIENCE / PAUSE)):
        if not open:
            return
        await sleep(PAUSE)
    for connection in list(open):
        connection.abort()
