"""Fault proxy: held bytes are forwarded in order on release, and dropped on cut."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from mew_gateway.compliance.fault_proxy import FaultProxy
from mew_gateway.sdk._tasks.tasks import Tasks


class RecordingServer:
    """The server end: records what it receives, and greets every connection with `hello`."""

    def __init__(self) -> None:
        self.got = b""
        self.changed = anyio.Event()

    async def serve(self, stream: SocketStream) -> None:
        async with stream:
            await stream.send(b"hello")
            try:
                while True:
                    self.got += await stream.receive()
                    self.changed.set()
                    self.changed = anyio.Event()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return

    async def has(self, data: bytes) -> None:
        with anyio.fail_after(10):
            while self.got != data:
                await self.changed.wait()


@asynccontextmanager
async def open_proxy() -> AsyncIterator[tuple[FaultProxy, RecordingServer]]:
    server, tasks = RecordingServer(), Tasks()
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    proxy = FaultProxy(f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}")
    await proxy.open()
    tasks.start_soon(listener.serve, server.serve)
    tasks.start_soon(proxy.serve)
    try:
        yield proxy, server
    finally:
        await tasks.aclose()
        await listener.aclose()


async def connect(proxy: FaultProxy) -> SocketStream:
    stream = await anyio.connect_tcp("127.0.0.1", int(proxy.url.rpartition(":")[2]))
    assert await stream.receive() == b"hello"
    return stream


async def test_bytes_are_forwarded_in_both_directions() -> None:
    async with open_proxy() as (proxy, server), await connect(proxy) as near:
        assert await proxy.wait_connected(within=1)
        await near.send(b"one")
        await server.has(b"one")


async def test_held_bytes_are_forwarded_in_order_on_release() -> None:
    async with open_proxy() as (proxy, server), await connect(proxy) as near:
        proxy.hold()
        await near.send(b"one")
        async with await connect(proxy) as other:  # the other direction is not held
            await near.send(b"two")
            assert server.got == b""
            proxy.release()
            await server.has(b"onetwo")
            await other.aclose()


async def test_held_bytes_are_dropped_on_cut() -> None:
    async with open_proxy() as (proxy, server), await connect(proxy) as near:
        proxy.hold()
        await near.send(b"lost")
        async with await connect(proxy):
            proxy.cut()
            with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                await near.receive()
        assert not await proxy.wait_connected(within=1)
        async with await connect(proxy) as again:
            assert await proxy.wait_connected(within=1)
            await again.send(b"new")
            await server.has(b"new")


async def test_an_unreachable_gateway_closes_the_connection() -> None:
    async with open_proxy() as (proxy, _):
        proxy._gateway = ("127.0.0.1", 1)
        async with await anyio.connect_tcp("127.0.0.1", int(proxy.url.rpartition(":")[2])) as near:
            with pytest.raises(anyio.EndOfStream):
                await near.receive()
