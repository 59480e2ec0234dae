"""The cable between an agent and its gateway: it can be held, so that nothing of the agent's arrives, and be cut."""

from __future__ import annotations

from urllib.parse import urlsplit

import anyio
from anyio.abc import ByteStream, Listener, SocketAttribute, SocketStream

_BROKEN = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)


class Cable:
    """A port of the loopback that leads to a gateway: `url` is where the agent is to go."""

    def __init__(self, gateway: str) -> None:
        parts = urlsplit(gateway)
        self._far = parts.hostname or "127.0.0.1", parts.port or 80
        self._listener: Listener[SocketStream]
        self._changed = anyio.Event()
        self._plugged: set[anyio.CancelScope] = set()
        self._flowing = anyio.Event()
        self._flowing.set()

    @property
    def url(self) -> str:
        """The gateway's address, through the cable."""
        return f"ws://127.0.0.1:{self._listener.extra(SocketAttribute.local_port)}"

    async def open(self) -> None:
        """Take a port."""
        self._listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)

    async def carry(self) -> None:
        """Lead every connection to the gateway, until cancelled."""
        async with self._listener as listener:
            await listener.serve(self._plug)

    def hold(self) -> None:
        """From here on what the agent says is kept; it still hears everything."""
        self._flowing = anyio.Event()

    def release(self) -> None:
        """What was kept arrives, in its order."""
        self._flowing.set()

    def cut(self) -> None:
        """Every connection ends, and what was kept is lost. New ones are led through."""
        for scope in self._plugged:
            scope.cancel()
        self.release()
        self._changed = anyio.Event()

    async def plugged(self, *, within: int) -> bool:
        """Whether there is a connection since the last cut, or there is one within so many milliseconds."""
        with anyio.move_on_after(within / 1000):
            await self._changed.wait()
        return self._changed.is_set()

    async def _plug(self, near: SocketStream) -> None:
        async with near:
            try:
                far = await anyio.connect_tcp(*self._far)
            except OSError:
                return
            async with far, anyio.create_task_group() as tasks:
                scope = tasks.cancel_scope
                self._changed.set()
                self._plugged.add(scope)
                tasks.start_soon(self._carry, far, near, scope)
                await self._carry(near, far, scope, held=True)
            self._plugged.discard(scope)

    async def _carry(
        self, source: ByteStream, sink: ByteStream, scope: anyio.CancelScope, *, held: bool = False
    ) -> None:
        """Carry bytes one way until either end has gone; then the other way ends too."""
        try:
            while True:
                data = await source.receive()
                if held:
                    await self._flowing.wait()
                await sink.send(data)
        except _BROKEN:
            scope.cancel()
