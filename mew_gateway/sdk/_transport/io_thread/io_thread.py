"""I/O thread: a connection in its own thread, so that blocking agent code does not delay it.

`IoThread` opens connections in a `LoopThread`, a thread with an event loop. The agent's loop (`home`) gets a
`ThreadedLink`: frames go out through a `SendQueue` and come in through a `RecvQueue`. Invariant: frames that are sent
or posted, from any thread, leave in the order of the calls.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Self

from ..link import Link, Opener, open_link
from ..reconnect import Disconnected
from . import recv_queue
from .loop_thread import LoopThread
from .recv_queue import RecvQueue
from .threaded_link import ThreadedLink
from .timer import Timer

log = logging.getLogger(__name__)


class IoThread:
    """Thread with an event loop that reads and writes the connection, independent of the agent's loop.

        async with IoThread(attend=acknowledge) as thread, Client(url, space=…, token=…, open=thread.open) as client:
            await serve(client)

    Blocking code in the agent does not delay a pong, `attend`, or a timer of `call_later`. Code that holds the
    interpreter lock for seconds, as a C extension may, delays them too.

    - `attend` is called in the thread with each text frame as it arrives, before any other reader. It must be quick.
      What it raises is logged, and the frame is delivered.
    - `open` opens the underlying connection, in the thread.
    - `frames`, `size` (in bytes): how much may wait for the agent's loop. Beyond it the socket is not read, and the
      gateway closes the connection of a slow reader (4008).

    The thread begins with the first connection or timer. It ends with `aclose`, or soon after the loop that started it
    has closed. `open` and `aclose` belong to that loop; `post` and `call_later` may be called from any thread after the
    first connection.
    """

    def __init__(
        self,
        *,
        attend: Callable[[str | bytes], None],
        open: Opener = open_link,
        frames: int = recv_queue.FRAMES,
        size: int = recv_queue.BYTES,
    ) -> None:
        self._attend = attend
        self._open = open
        self._frames, self._size = frames, size
        self._lock = threading.Lock()
        self._thread: LoopThread | None = None
        self._newest: ThreadedLink | None = None
        self._closed = False

    async def open(self, url: str, *, space: str, token: str, after: str | None) -> Link:
        """Open a connection (an `Opener` for a `Client`). Raises as the underlying opener, and `Disconnected` if
        closed."""
        thread = self._begun()
        opening = partial(self._open, url, space=space, token=token, after=after)
        made: list[ThreadedLink] = []

        def give_up() -> None:
            for link in made:
                link.abort()

        try:
            await thread.run(partial(self._connect, thread, asyncio.get_running_loop(), opening, made))
        except BaseException:  # cancelled: it may have been made all the same
            thread.do(give_up)
            raise
        return made[0]

    def post(self, data: bytes) -> None:
        """Queue a text frame on the newest connection, from any thread. Without a connection it is dropped and logged.

        It leaves after everything that was sent or posted before.
        """
        newest = self._newest
        if newest is None or not newest.post(data):
            log.warning("a posted frame of %d bytes was dropped: there is no connection", len(data))

    def call_later(self, milliseconds: int, call: Callable[[], None]) -> Timer:
        """Call a function in the thread after a delay, from any thread. What it raises is logged."""
        return Timer(self._begun(), milliseconds, call)

    async def aclose(self) -> None:
        """Close the connection and end the thread, within 9 seconds. Idempotent; never raises."""
        with self._lock:
            self._closed = True
        if self._thread is None:
            return
        try:
            if self._newest is not None:
                await self._newest.close()
        finally:
            await self._thread.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _begun(self) -> LoopThread:
        with self._lock:
            if self._thread is None:
                if self._closed:
                    raise Disconnected("The I/O thread is closed.")
                self._thread = LoopThread("mew-wire")
            return self._thread

    async def _connect(
        self,
        thread: LoopThread,
        home: asyncio.AbstractEventLoop,
        opening: Callable[[], Awaitable[Link]],
        made: list[ThreadedLink],
    ) -> None:
        """Open the connection; runs in the thread."""
        link = await opening()
        queue = RecvQueue(home, frames=self._frames, size=self._size)
        self._newest = ThreadedLink(link, thread, home=home, attend=self._attend, recv_queue=queue)
        made.append(self._newest)
