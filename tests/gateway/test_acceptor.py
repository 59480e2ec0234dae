"""The port closes right behind an accept: nobody's socket is left open."""

from __future__ import annotations

import asyncio
import gc
import socket
from typing import Any, cast

from mew_gateway.gateway.broker.stalls import Stalls
from mew_gateway.gateway.event_loop import AsyncioLoop
from mew_gateway.gateway.websocket.acceptor import Acceptor
from mew_gateway.gateway.websocket.work_queue import Step, WorkQueue


class ClosingPump:
    """Takes whoever has come, and closes the port before the loop has gone on."""

    def __init__(self) -> None:
        self.listener: Acceptor | None = None
        self.done = asyncio.Event()

    def put(self, _: object, step: Step) -> None:
        assert self.listener is not None
        step()
        self.listener.close()
        self.done.set()

    def charge(self, _: float) -> None:
        """It counts nothing."""


async def test_a_connection_accepted_as_the_port_closes_is_closed() -> None:
    def protocol() -> Any:
        raise AssertionError("nobody is served any more")

    pump, port = ClosingPump(), socket.create_server(("127.0.0.1", 0))
    loop = AsyncioLoop(asyncio.get_running_loop())
    stalls = Stalls(loop=loop, turns=cast(WorkQueue, pump), stalled=lambda _: None)
    pump.listener = Acceptor(
        port, protocol=protocol, tls=None, handshake_timeout=1.0, work_queue=cast(WorkQueue, pump), stalls=stalls
    )
    with socket.create_connection(port.getsockname(), timeout=30) as client:
        pump.listener.start()
        await pump.done.wait()
        await asyncio.sleep(0)
        assert await asyncio.to_thread(client.recv, 1) == b""
    gc.collect()  # a socket that nobody closed would warn here
