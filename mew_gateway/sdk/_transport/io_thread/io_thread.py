"""An agent's wire, apart: a thread that goes on whatever the agent's own loop does."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Self

from ..link import Disconnected, Link, Opener, open_link
from . import recv_queue as arrivals
from .loop_thread import LoopThread
from .recv_queue import Arrivals
from .threaded_link import Across
from .timer import Timer

log = logging.getLogger(__name__)


class IoThread:
    """A thread with an event loop that reads and writes the wire, whatever the loop of the agent does.

        async with IoThread(attend=acknowledge) as apart, Client(url, space=…, token=…, open=apart.open) as client:
            await serve(client)

    Blocking code in the agent stops no pong, nothing that `attend` does, and no timer of `call_later`; code that
    holds the interpreter's lock for seconds, as a C extension may, stops them too.

    - `attend` is called in the thread with each text frame as it arrives, before anybody else gets it. It must be
      quick. What it raises is logged, and the frame goes on.
    - `open` makes the connection underneath, in the thread.
    - `frames`, `size` (in bytes): how much may wait for the agent's loop. Beyond it the socket is not read, and the
      gateway's patience with a slow reader counts (4008).

    The thread begins with the first connection or timer, and ends with `aclose`, or soon after the loop it was begun
    in has closed. `open` and `aclose` belong to that loop; `post` and `call_later` are for any thread after the
    first connection.
    """

    def __init__(
        self,
        *,
        attend: Callable[[str | bytes], None],
        open: Opener = open_link,
        frames: int = arrivals.FRAMES,
        size: int = arrivals.BYTES,
    ) -> None:
        self._attend = attend
        self._open = open
        self._frames, self._size = frames, size
        self._lock = threading.Lock()
        self._thread: LoopThread | None = None
        self._newest: Across | None = None
        self._closed = False

    async def open(self, url: str, *, space: str, token: str, after: str | None) -> Link:
        """An `Opener` for a `Client`. Raises what the one underneath does, and `Disconnected` when closed."""
        thread = self._begun()
        opening = partial(self._open, url, space=space, token=token, after=after)
        made: list[Across] = []

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
        """Put a text frame into the line of the newest connection, at once; without one it is dropped, and logged.

        It leaves behind all that was sent or posted before. From any thread.
        """
        newest = self._newest
        if newest is None or not newest.post(data):
            log.warning("there is no connection for a frame of %d bytes that was to leave at once", len(data))

    def call_later(self, milliseconds: int, call: Callable[[], None]) -> Timer:
        """Have something called in the thread, from any thread. What it raises is logged; never, after the end."""
        return Timer(self._begun(), milliseconds, call)

    async def aclose(self) -> None:
        """Close the connection in an orderly way, and end the thread: 9 seconds at most. Idempotent; never raises."""
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
                    raise Disconnected("This wire is closed.")
                self._thread = LoopThread("mew-wire")
            return self._thread

    async def _connect(
        self,
        thread: LoopThread,
        home: asyncio.AbstractEventLoop,
        opening: Callable[[], Awaitable[Link]],
        made: list[Across],
    ) -> None:
        """In the thread."""
        link = await opening()
        line = Arrivals(home, frames=self._frames, size=self._size)
        self._newest = Across(link, thread, home=home, attend=self._attend, arrivals=line)
        made.append(self._newest)
