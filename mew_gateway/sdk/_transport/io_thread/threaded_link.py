"""A link whose wire is in another thread than whoever speaks through it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import anyio

from ..link import Disconnected, Link
from .loop_thread import LoopThread, call_in
from .recv_queue import Arrivals
from .send_queue import Departure, Departures

log = logging.getLogger(__name__)

_PARTING = 4  # seconds in which what is in the line may leave, and the peer agree to the end


class Across:
    """A `Link`, made in the thread around the wire itself; what is not said to be for any thread is for `home`.

    `attend` is called in the thread with each text frame, before that is handed over. What it raises is logged.
    """

    def __init__(
        self,
        link: Link,
        thread: LoopThread,
        *,
        home: asyncio.AbstractEventLoop,
        attend: Callable[[str | bytes], None],
        arrivals: Arrivals,
    ) -> None:
        self._link = link
        self._thread = thread
        self._home = home
        self._attend = attend
        self._arrivals = arrivals
        self._departures = Departures(thread)
        self._tasks = (asyncio.create_task(self._write()), asyncio.create_task(self._read()))

    def send(self, *frames: bytes, text: bool) -> Awaitable[None]:
        """As `Link.send`. When this returns, the frames have their place behind all that was sent or posted before."""
        written: asyncio.Future[None] = self._home.create_future()
        closed = self._departures.put(Departure(frames, text, written))
        if closed is not None:
            _settle([written], closed)
        return written

    def post(self, data: bytes) -> bool:
        """Put a text frame into the same line, from any thread; False if there is none any more."""
        return self._departures.put(Departure((data,), text=True)) is None

    async def receive(self) -> str | bytes:
        """As `Link.receive`: what was read before the end comes before it."""
        return await self._arrivals.take()

    async def close(self) -> None:
        """As `Link.close`; what is in the line leaves first. 4 seconds at most."""
        try:
            await self._thread.run(self._close)
        except Disconnected:
            pass  # the thread has ended, and the connection with it

    def abort(self) -> None:
        """As `Link.abort`, from any thread."""
        self._thread.do(self._abort)

    # In the thread.

    async def _close(self) -> None:
        self._arrivals.discard()
        self._departures.close(Disconnected("The connection was closed."))
        with anyio.move_on_after(_PARTING):
            await asyncio.wait(self._tasks[:1])
            await self._link.close()
        self._link.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    def _abort(self) -> None:
        self._arrivals.discard()
        self._link.abort()

    async def _read(self) -> None:
        why: Exception = Disconnected("The connection was closed.")
        try:
            while True:
                frame = await self._link.receive()
                if isinstance(frame, str):
                    self._heed(frame)
                await self._arrivals.put(frame)
        except Exception as error:
            why = error
        finally:
            self._arrivals.end(why)
            self._departures.close(why)
            self._link.abort()

    def _heed(self, frame: str) -> None:
        try:
            self._attend(frame)
        except Exception:
            log.exception("a frame could not be attended to at once; it goes its usual way")

    async def _write(self) -> None:
        why: Exception = Disconnected("The connection was closed.")
        try:
            while departures := await self._departures.take():
                await self._write_all(departures)
        except Exception as error:
            why = error
        finally:
            self._tell(*self._departures.give_up(why))

    async def _write_all(self, departures: Sequence[Departure]) -> None:
        gone = 0
        try:
            for frames, text, _ in departures:
                await self._link.send(*frames, text=text)
                gone += 1
        finally:
            self._departures.put_back(departures[gone:])
            self._tell(departures[:gone])

    def _tell(self, departures: Sequence[Departure], error: Exception | None = None) -> None:
        written = [departure.written for departure in departures if departure.written is not None]
        if written:
            call_in(self._home, partial(_settle, written, error))


def _settle(written: Sequence[asyncio.Future[None]], error: Exception | None) -> None:
    for one in written:
        if one.done():  # whoever waited was cancelled
            continue
        if error is None:
            one.set_result(None)
        else:
            one.set_exception(error)
            one.exception()  # nobody has to ask
