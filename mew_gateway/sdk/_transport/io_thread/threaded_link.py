"""Link whose connection lives in the I/O thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import anyio

from ..link import Link
from ..reconnect import Disconnected
from .loop_thread import LoopThread, call_in
from .recv_queue import RecvQueue
from .send_queue import QueuedFrames, SendQueue

log = logging.getLogger(__name__)

_CLOSE_TIMEOUT = 4  # seconds for queued frames to be written and for the closing handshake


class ThreadedLink:
    """Link that passes frames between the agent's loop (`home`) and the I/O thread.

    It is created in the thread, around the real link. A method belongs to `home` unless it says that it is for any
    thread. `attend` is called in the thread with each text frame, before the frame is handed over. What it raises is
    logged.
    """

    def __init__(
        self,
        link: Link,
        thread: LoopThread,
        *,
        home: asyncio.AbstractEventLoop,
        attend: Callable[[str | bytes], None],
        recv_queue: RecvQueue,
    ) -> None:
        self._link = link
        self._thread = thread
        self._home = home
        self._attend = attend
        self._recv_queue = recv_queue
        self._send_queue = SendQueue(thread)
        self._tasks = (asyncio.create_task(self._write()), asyncio.create_task(self._read()))

    def send(self, *frames: bytes, text: bool) -> Awaitable[None]:
        """Send as `Link.send`. On return the frames are queued after everything that was sent or posted before."""
        written: asyncio.Future[None] = self._home.create_future()
        closed = self._send_queue.put(QueuedFrames(frames, text, written))
        if closed is not None:
            _settle([written], closed)
        return written

    def post(self, data: bytes) -> bool:
        """Queue a text frame, from any thread. Return false if the link is closed."""
        return self._send_queue.put(QueuedFrames((data,), text=True)) is None

    async def receive(self) -> str | bytes:
        """Receive as `Link.receive`: frames that were read before the end come before the error."""
        return await self._recv_queue.take()

    async def close(self) -> None:
        """Close as `Link.close`, after the queued frames are written; at most 4 seconds."""
        try:
            await self._thread.run(self._close)
        except Disconnected:
            pass  # the thread has ended, and its connection too

    def abort(self) -> None:
        """Abort as `Link.abort`, from any thread."""
        self._thread.do(self._abort)

    # In the thread.

    async def _close(self) -> None:
        self._recv_queue.discard()
        self._send_queue.close(Disconnected("The connection was closed."))
        with anyio.move_on_after(_CLOSE_TIMEOUT):
            await asyncio.wait(self._tasks[:1])
            await self._link.close()
        self._link.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    def _abort(self) -> None:
        self._recv_queue.discard()
        self._link.abort()

    async def _read(self) -> None:
        why: Exception = Disconnected("The connection was closed.")
        try:
            while True:
                frame = await self._link.receive()
                if isinstance(frame, str):
                    self._attend_to(frame)
                await self._recv_queue.put(frame)
        except Exception as error:
            why = error
        finally:
            self._recv_queue.end(why)
            self._send_queue.close(why)
            self._link.abort()

    def _attend_to(self, frame: str) -> None:
        try:
            self._attend(frame)
        except Exception:
            log.exception("`attend` failed; the frame is delivered all the same")

    async def _write(self) -> None:
        why: Exception = Disconnected("The connection was closed.")
        try:
            while queued := await self._send_queue.take():
                await self._write_all(queued)
        except Exception as error:
            why = error
        finally:
            self._report(*self._send_queue.give_up(why))

    async def _write_all(self, queued: Sequence[QueuedFrames]) -> None:
        gone = 0
        try:
            for frames, text, _ in queued:
                await self._link.send(*frames, text=text)
                gone += 1
        finally:
            self._send_queue.put_back(queued[gone:])
            self._report(queued[:gone])

    def _report(self, queued: Sequence[QueuedFrames], error: Exception | None = None) -> None:
        written = [one.written for one in queued if one.written is not None]
        if written:
            call_in(self._home, partial(_settle, written, error))


def _settle(written: Sequence[asyncio.Future[None]], error: Exception | None) -> None:
    for one in written:
        if one.done():  # its caller was cancelled
            continue
        if error is None:
            one.set_result(None)
        else:
            one.set_exception(error)
            one.exception()  # mark it as retrieved: the caller may never await it
