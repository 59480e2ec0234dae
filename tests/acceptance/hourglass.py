"""Time and the agents' wire, in the test's hands."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial

from mew_gateway.sdk._transport.io_thread.io_thread import IoThread
from mew_gateway.sdk._transport.io_thread.loop_thread import call_in


class Hourglass:
    """The gateway's manual clock, for agents: what waits for a time is woken when the test has moved it."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.now = now
        self._lock = threading.Lock()
        self.waiting: list[tuple[int, Callable[[], object]]] = []

    def later(self, milliseconds: int, call: Callable[[], object]) -> None:
        """Have that called by `ring`, so much later."""
        with self._lock:
            self.waiting.append((self.now() + milliseconds, call))

    async def sleep(self, seconds: float) -> None:
        """As a `Client` sleeps."""
        loop = asyncio.get_running_loop()
        over = asyncio.Event()
        if seconds > 0:
            self.later(round(seconds * 1000), lambda: call_in(loop, over.set))
            await over.wait()
        else:
            await asyncio.sleep(0.001)  # between two attempts to connect: others have to do, too

    def ring(self) -> None:
        """Wake what is due."""
        with self._lock:
            due = [call for at, call in self.waiting if at <= self.now()]
            self.waiting = [one for one in self.waiting if one[0] > self.now()]
        for call in due:
            call()


class Line:
    """What becomes of the answers that leave the agents' wire at once. `broken`: the next breaks the line, and is lost
    with it."""

    broken = False


def wire(hourglass: Hourglass, line: Line) -> type[IoThread]:
    """The agents' wire, with its timers and its fate in the test's hands."""

    class Controlled(IoThread):
        def call_later(self, milliseconds, call):
            hourglass.later(milliseconds, partial(super().call_later, 0, call))

        def post(self, data: bytes) -> None:
            if line.broken:
                line.broken = False
                assert self._newest is not None
                self._newest.abort()
            else:
                super().post(data)

    return Controlled
