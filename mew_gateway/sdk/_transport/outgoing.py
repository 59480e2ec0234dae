"""Outgoing path of a client: order, rate and resending of frames over the current link.

Two locks give the order. `turn` is held by a frame that is subject to the throttle, from its wait until it is written.
`wire` is held only while a frame is being written, or waits for a link. An urgent frame takes `wire` alone, so it
overtakes frames that wait for the throttle, but never splits one that is being written. If a link breaks during a
write, the same bytes are written to the next link; `send_once` is the exception.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import anyio

from mew_gateway.errors import MewError

from .._tasks.pausable import pause_point, without_pauses
from .link import Link
from .reconnect import Disconnected, Stopped
from .throttle import Throttle


class Undelivered(Disconnected):
    """A decided frame may not have been sent, and the decision cannot be repeated."""


class Outgoing:
    """Writes frames to the current link, or to the next one. Times are in milliseconds.

    Throttled frames leave in the order of the calls. An urgent frame waits for the frame that is being written, but not
    for the throttle. Every call waits at most `patience` for a connection, then raises `Disconnected`, or the error
    given to `fail`.
    """

    def __init__(
        self, *, throttle: Throttle, patience: int, sleep: Callable[[float], Awaitable[None]], clock: Callable[[], int]
    ) -> None:
        self.link: Link | None = None
        self.sent_at = 0
        self.patience = patience
        self._throttle = throttle
        self._sleep = sleep
        self._clock = clock
        self._failure: MewError | None = None
        self._changed = anyio.Event()
        self.turn = anyio.Lock()  # fair: for throttled frames
        self.wire = anyio.Lock()  # fair: held while a frame is written or waits for a link

    def attach(self, link: Link | None) -> None:
        """Set the current link; None while there is none."""
        self.link = link
        self._changed.set()
        self._changed = anyio.Event()

    def fail(self, why: MewError) -> None:
        """Report that there will be no link any more."""
        self._failure = self._failure or why
        self.attach(None)

    async def linked(self) -> Link:
        """Wait for a link and return it. Raises the error given to `fail`."""
        while self.link is None:
            if self._failure is not None:
                raise self._failure
            await self._changed.wait()
        return self.link

    async def send(self, data: bytes, *, paced: bool, what: str) -> None:
        """Send a text frame, again on the next link if this one breaks. `what` names it in an error."""
        await self._within_patience(self._write(data, paced=paced), what)

    async def send_again(self, data: bytes) -> None:
        """Send a text frame that was refused temporarily, however long it takes."""
        with without_pauses():
            await self._write(data, paced=True)
        await pause_point()

    async def in_turn(self, decide: Callable[[], Sequence[bytes]], under: AbstractContextManager[Any] | None) -> None:
        """Send frames that are decided only when they can leave (see `Client.in_turn`)."""
        decided = False

        def once() -> Sequence[bytes]:
            nonlocal decided
            frames = decide()
            decided = True
            return frames

        try:
            await self._within_patience(self._write_decided(once, under or nullcontext()), "the decided frames")
        except Disconnected as error:
            if decided:
                raise Undelivered(f"What was decided may not have been sent: {error}") from None
            raise

    async def send_once(
        self,
        data: bytes,
        *,
        text: bool,
        check: Callable[[], object] | None,
        under: AbstractContextManager[Any] | None,
        what: str,
    ) -> None:
        """Send a frame at most once. Calls `check` just before it leaves and raises what that raises."""
        await self._within_patience(self._write_once(data, text, check, under or nullcontext()), what)

    async def _within_patience(self, writing: Coroutine[Any, Any, None], what: str) -> None:
        with without_pauses(), anyio.move_on_after(self.patience / 1000) as waiting:
            await writing
        if not waiting.cancelled_caught:
            await pause_point()
            return
        raise Disconnected(f"No connection within {self.patience / 1000:g} s; {what} was not sent.")

    async def _write(self, data: bytes, *, paced: bool) -> None:
        if not paced:
            await self._write_now(data)
            return
        async with self.turn:
            await self._throttled(len(data))
            await self._write_now(data)

    async def _write_now(self, data: bytes) -> None:
        async with self.wire:
            written = False
            while not written:
                link = await self.linked()
                written = await self._is_written(link, link.send(data, text=True))

    async def _write_decided(self, decide: Callable[[], Sequence[bytes]], under: AbstractContextManager[Any]) -> None:
        async with self.turn:
            await self._wait(self._throttle.ready(self._clock()))
            async with self.wire:
                link = await self.linked()
                with under:
                    frames = decide()
                    writing = link.send(*frames, text=True)
                while not await self._is_written(link, writing):
                    link = await self.linked()
                    writing = link.send(*frames, text=True)
            for frame in frames:
                self._throttle.take(self._clock(), len(frame))

    async def _write_once(
        self, data: bytes, text: bool, check: Callable[[], object] | None, under: AbstractContextManager[Any]
    ) -> None:
        async with self.turn:
            await self._throttled(len(data))
            async with self.wire:
                link = await self.linked()
                with under:
                    if check is not None:
                        check()
                    writing = link.send(data, text=text)
                if not await self._is_written(link, writing):
                    raise Disconnected("The connection broke; the frame may be lost.")

    async def _throttled(self, size: int) -> None:
        await self._wait(self._throttle.take(self._clock(), size))

    async def _wait(self, milliseconds: int) -> None:
        if milliseconds:
            await self._sleep(milliseconds / 1000)

    async def _is_written(self, link: Link, writing: Awaitable[None]) -> bool:
        try:
            await writing
        except (Disconnected, Stopped):
            if self.link is link:
                self.attach(None)
            return False
        self.sent_at = self._clock()
        return True
