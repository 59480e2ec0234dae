"""Bound on the bytes of a request's body (docs/protocol.md §6); `websocket/http_timeouts.py` bounds its time."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

_DRAINED = 4_194_304  # bytes
_TIMEOUT = 1.0  # seconds


class Body:
    """Body of a request: read as a whole, or drained."""

    def __init__(self, request: Request, *, limit: int) -> None:
        self._pieces = request.stream()
        self._limit = limit

    async def read(self) -> bytes:
        """Return the whole body. Raises `HTTPException` 413 over the limit, 400 if the client disconnects."""
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
        """Read and drop the rest, within bounds; a client that is still sending would not read its response.

        Return true if that was all. If not, the connection cannot be used any more.
        """
        left = _DRAINED
        with contextlib.suppress(TimeoutError, ClientDisconnect):
            async with asyncio.timeout(_TIMEOUT):
                async for piece in self._pieces:
                    left -= len(piece)
                    if left <= 0:
                        return False
                return True
        return False
