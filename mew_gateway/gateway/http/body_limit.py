"""A request's body, bounded in bytes; how long it may take is bounded by `head` (docs/protocol.md §6)."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

_DRAINED = 4_194_304  # bytes
_PATIENCE = 1.0  # seconds


class Body:
    """What a client sends behind a request's head: read whole, or thrown away."""

    def __init__(self, request: Request, *, limit: int) -> None:
        self._pieces = request.stream()
        self._limit = limit

    async def read(self) -> bytes:
        """All of it. Raises `HTTPException` 413 over the limit, 400 if the client goes away."""
        pieces, size = [], 0
        try:
            async for piece in self._pieces:
                size += len(piece)
                if size > self._limit:
                    raise HTTPException(413, f"A body has at most {self._limit} bytes.")
                pieces.append(piece)
        except ClientDisconnect:
            raise HTTPException(400, "The body ends too early.") from None
        return b"".join(pieces)

    async def drain(self) -> bool:
        """Take what is left, within bounds: a client that is refused while it sends would never read why.

        Whether that was all. If not, the connection is of no further use.
        """
        left = _DRAINED
        with contextlib.suppress(TimeoutError, ClientDisconnect):
            async with asyncio.timeout(_PATIENCE):
                async for piece in self._pieces:
                    left -= len(piece)
                    if left <= 0:
                        return False
                return True
        return False
