"""A peer that receives stream frames."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from .scripted import TIMEOUT


class StreamPeer:
    """Wraps a peer so that it receives stream frames as envelopes of the kind `frame`."""

    def __init__(self, peer: Any) -> None:
        self._peer = peer
        peer.receive = self._receive

    def __getattr__(self, name: str) -> Any:
        return getattr(self._peer, name)

    async def _receive(self) -> dict[str, Any]:
        async with asyncio.timeout(TIMEOUT):
            data = await self._peer.socket.recv()
        if isinstance(data, str) and data.startswith("#"):
            _, stream, text = data.split("#", 2)
            envelope = {"kind": "frame", "id": None, "from": None, "payload": {"stream": stream, "text": text}}
        else:
            envelope = json.loads(data)
        self._peer.seen.append(envelope)
        return dict(envelope)
