"""Drains all connections when the gateway stops: closed with 1012 in batches, then aborted (docs/architecture.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

GOODBYE = 1012, "the gateway restarts: come back soon"
AT_ONCE = 50  # connections closed at once: so clients do not all reconnect at the same moment
PAUSE = 0.02  # seconds between them
CLOSE_TIMEOUT = 2.0  # seconds for peers to answer the close frame


class Closable(Protocol):
    """A connection that can be closed."""

    def close(self, code: int, reason: str) -> None:
        """Send the peer a close frame, and wait for its answer."""

    def abort(self) -> None:
        """End the connection at once."""


async def drain_connections(
    open: Collection[Closable], *, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> None:
    """Close every connection, and abort those that are still `open` after `CLOSE_TIMEOUT`.

    The caller stops accepting before: connections that come meanwhile get no close frame.
    """
    connections = list(open)
    for at in range(0, len(connections), AT_ONCE):
        for connection in connections[at : at + AT_ONCE]:
            connection.close(*GOODBYE)
        await sleep(PAUSE)
    for _ in range(round(CLOSE_TIMEOUT / PAUSE)):
        if not open:
            return
        await sleep(PAUSE)
    for connection in list(open):
        connection.abort()
