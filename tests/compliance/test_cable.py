"""The cable: what is held arrives in its order, or is lost when it is cut."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from mew_gateway.compliance.fault_proxy import Cable
from mew_gateway.sdk._tasks.tasks import Tasks


class Far:
    """The other end: it keeps what it gets, and says `hello` to whoever comes."""

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
async def plugged() -> AsyncIterator[tuple[Cable, Far]]:
    far, tasks = Far(), Tasks()
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    cable = Cable(f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}")
    await cable.open()
    tasks.start_soon(listener.serve, far.serve)
    tasks.start_soon(cable.carry)
    try:
        yield cable, far
    finally:
        await tasks.aclose()
        await listener.aclose()


async def connect(cable: Cable) -> SocketStream:
    stream = await anyio.connect_tcp("127.0.0.1", int(cable.url.rpartition(":")[2]))
    assert await stream.receive() == b"hello"
    return stream


async def test_it_carries_both_ways() -> None:
    async with plugged() as (cable, far), await connect(cable) as near:
        assert await cable.plugged(within=1)
        await near.send(b"one")
        await far.has(b"one")


async def test_what_is_held_arrives_when_it_is_released() -> None:
    async with plugged() as (cable, far), await connect(cable) as near:
        cable.hold()
        await near.send(b"one")
        async with await connect(cable) as other:  # it hears, all the same
            await near.send(b"two")
            assert far.got == b""
            cable.release()
            await far.has(b"onetwo")
            await other.aclose()


async def test_what_is_held_is_lost_when_it_is_cut() -> None:
    async with plugged() as (cable, far), await connect(cable) as near:
        cable.hold()
        await near.send(b"lost")
        async with await connect(cable):
            cable.cut()
            with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                await near.receive()
        assert not await cable.plugged(within=1)
        async with await connect(cable) as again:
            assert await cable.plugged(within=1)
            await again.send(b"new")
            await far.has(b"new")


async def test_nobody_at_the_far_end_ends_the_connection() -> None:
    async with plugged() as (cable, _):
        cable._far = ("127.0.0.1", 1)
        async with await anyio.connect_tcp("127.0.0.1", int(cable.url.rpartition(":")[2])) as near:
            with pytest.raises(anyio.EndOfStream):
                await near.receive()
