"""The peer: what a straightforward server with the `websockets` library reaches (`python -m bench.plain PORT`).

It accepts every token, broadcasts each message to everybody with `websockets.broadcast`, and sends a message that
begins with a `to` to the one that connected with that `participant_id`. No capabilities, no journal.
"""

from __future__ import annotations

import asyncio
import re
import sys
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection, broadcast, serve

_TO = re.compile(r'"to":\["([^"]+)"\]')
_HEAD = 200  # characters; the addressee stands before the payload


class PlainServer:
    """Everybody who is connected, and by id."""

    def __init__(self) -> None:
        self._everybody: set[ServerConnection] = set()
        self._by_id: dict[str, ServerConnection] = {}

    async def handle(self, connection: ServerConnection) -> None:
        """One connection, from its handshake to its end."""
        path = connection.request.path if connection.request else ""
        name = parse_qs(urlsplit(path).query).get("participant_id", [""])[0]
        self._everybody.add(connection)
        self._by_id[name] = connection
        try:
            async for message in connection:
                assert isinstance(message, str)
                self._pass_on(message)
        finally:
            self._everybody.discard(connection)
            self._by_id.pop(name, None)

    def _pass_on(self, message: str) -> None:
        to = _TO.search(message, 0, _HEAD)
        if to is None:
            broadcast(self._everybody, message)
        elif to[1] in self._by_id:
            broadcast([self._by_id[to[1]]], message)


async def main(port: int) -> None:
    """Serves on the loopback interface until it is cancelled."""
    server = PlainServer()
    async with serve(server.handle, "127.0.0.1", port, compression=None) as serving:
        await serving.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main(int(sys.argv[1])))
    except KeyboardInterrupt:
        sys.exit(0)
