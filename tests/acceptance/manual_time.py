"""Manual timers and link faults for agents."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial

from mew_gateway.sdk._transport.io_thread.io_thread import IoThread
from mew_gateway.sdk._transport.io_thread.loop_thread import call_in


class ManualTimers:
    """Timers of agents on the gateway's manual clock. `fire_due` wakes them after the test has moved the clock."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.now = now
        self._lock = threading.Lock()
        self.waiting: list[tuple[int, Callable[[], object]]] = []

    def later(self, milliseconds: int, call: Callable[[], object]) -> None:
        """Schedule a call for `fire_due`."""
        with self._lock:
            self.waiting.append((self.now() + milliseconds, call))

    async def sleep(self, seconds: float) -> None:
        """Sleep for a `Client`."""
        loop = asyncio.get_running_loop()
        over = asyncio.Event()
        if seconds > 0:
            self.later(round(seconds * 1000), lambda: call_in(loop, over.set))
            await over.wait()
        else:
            await asyncio.sleep(0.001)  # between two attempts to connect: let other tasks run

    def fire_due(self) -> None:
        """Call what is due."""
        with self._lock:
            due = [call for at, call in self.waiting if at <= self.now()]
            self.waiting = [one for one in self.waiting if one[0] > self.now()]
        for call in due:
            call()


class LinkFault:
    """Fault of the agents' connection. With `breaks_next` the next urgent answer breaks the connection and is lost."""

    breaks_next = False


def controlled_io_thread(timers: ManualTimers, link_fault: LinkFault) -> type[IoThread]:
    """Return an `IoThread` class with these timers and faults."""

    class Controlled(IoThread):
        def call_later(self, milliseconds, call):
            timers.later(milliseconds, partial(super().call_later, 0, call))

        def post(self, data: bytes) -> None:
            if link_fault.breaks_next:
                link_fault.breaks_next = False
                assert self._newest is not None
                self._newest.abort()
            else:
                super().post(data)

    return Controlled
