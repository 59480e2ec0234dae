"""TCP proxy between an agent and its gateway, for fault injection: it holds the agent's bytes or cuts connections."""

from __future__ import annotations

from urllib.parse import urlsplit

import anyio
from anyio.abc import ByteStream, Listener, SocketAttribute, SocketStream

_BROKEN = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)


class FaultProxy:
    """A loopback port that forwards to a gateway. The agent connects to `url`."""

    def __init__(self, gateway: str) -> None:
        parts = urlsplit(gateway)
        self._gateway = parts.hostname or "127.0.0.1", parts.port or 80
        self._listener: Listener[SocketStream]
        self._changed = anyio.Event()
        self._connections: set[anyio.CancelScope] = set()
        self._flowing = anyio.Event()
        self._flowing.set()

    @property
    def url(self) -> str:
        """WebSocket URL of the proxy."""
        return f"ws://127.0.0.1:{self._listener.extra(SocketAttribute.local_port)}"

    async def open(self) -> None:
        """Listen on a free port."""
        self._listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)

    async def serve(self) -> None:
        """Accept connections and forward them to the gateway, until cancelled."""
        async with self._listener as listener:
            await listener.serve(self._accept)

    def hold(self) -> None:
        """Hold what the agent sends from now on. It still receives everything."""
        self._flowing = anyio.Event()

    def release(self) -> None:
        """Forward what was held, in order."""
        self._flowing.set()

    def cut(self) -> None:
        """Close every connection and drop what was held. New connections are forwarded."""
        for scope in self._connections:
            scope.cancel()
        self.release()
        self._changed = anyio.Event()

    async def wait_connected(self, *, within: int) -> bool:
        """Return true if a connection was made since the last cut, or is made within `within` milliseconds."""
        with anyio.move_on_after(within / 1000):
            await self._changed.wait()
        return self._changed.is_set()

    async def _accept(self, agent: SocketStream) -> None:
        async with agent:
            try:
                gateway = await anyio.connect_tcp(*self._gateway)
            except OSError:
                return
            async with gateway, anyio.create_task_group() as tasks:
                scope = tasks.cancel_scope
                self._changed.set()
                self._connections.add(scope)
                tasks.start_soon(self._forward, gateway, agent, scope)
                await self._forward(agent, gateway, scope, is_held=True)
            self._connections.discard(scope)

    async def _forward(
        self, source: ByteStream, sink: ByteStream, scope: anyio.CancelScope, *, is_held: bool = False
    ) -> None:
        """Forward bytes in one direction until either end closes; then close the other direction."""
        try:
            while True:
                data = await source.receive()
                if is_held:
                    await self._flowing.wait()
                await sink.send(data)
        except _BROKEN:
            scope.cancel()
