"""A participant's side of the wire, without the SDK: a connection of the library's, or its bytes made by hand."""

from __future__ import annotations

import json
from typing import Any

import websockets

from bench.failure import PATIENCE


def connect(url: str, token: str, *, space: str = "bench", after: str | None = None) -> websockets.connect:
    """A connection to the gateway at `url` (ws://…), behind the envelope `after`. It takes whatever comes, and only the
    gateway ends it."""
    resume = "" if after is None else f"&after={after}"
    return websockets.connect(
        f"{url}/ws?space={space}{resume}",
        additional_headers={"Authorization": f"Bearer {token}"},
        compression=None,
        max_size=None,
        max_queue=None,
        ping_interval=None,
        open_timeout=PATIENCE,
    )


def envelope(kind: str, payload: dict[str, Any], **fields: Any) -> str:
    """An envelope as a sender may leave it: the gateway fills in the rest."""
    return json.dumps({"kind": kind, "payload": payload, **fields})


def upgrade(token: str | None, *, after: str = "") -> bytes:
    """The request for a WebSocket; without a token a join frame has to follow."""
    query = "" if token is None else "?space=bench" + (f"&after={after}" if after else "")
    bearer = "" if token is None else f"Authorization: Bearer {token}\r\n"
    return (
        f"GET /ws{query} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{bearer}\r\n"
    ).encode()


def frame(data: bytes, *, first: int = 0x81) -> bytes:
    """A client's frame of less than 64 KiB, its mask zero. `first`: its first byte, that of a whole text by default."""
    size = len(data)
    head = bytes((first, 0x80 | size)) if size < 126 else bytes((first, 0xFE)) + size.to_bytes(2)
    return head + bytes(4) + data
