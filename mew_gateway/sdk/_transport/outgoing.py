"""The way out of a client: whose turn it is, at what pace, and over which link; the same bytes again if one breaks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import anyio

from mew_gateway.errors import MewError

from .._tasks.pausable import come_through, in_one_piece
from .link import Disconnected, Link, Stopped
from .throttle import Pace


class Undelivered(Disconnected):
    """What was decided on may not have left, and cannot be decided again."""


class Outgoing:
    """Frames to the link that there is, or to the next one. Times are in milliseconds.

    What has a pace to keep leaves in the order of the calls; what is urgent waits for what is being written, but not
    for somebody else's pace. Everything waits at most `patience` for a connection, then raises `Disconnected`, or what
    `fail` was given.
    """

    def __init__(
        self, *, pace: Pace, patience: int, sleep: Callable[[float], Awaitable[None]], clock: Callable[[], int]
    ) -> None:
        self.link: Link | None = None
        self.sent_at = 0
        self.patience = patience
        self._pace = pace
        self._sleep = sleep
        self._clock = clock
        self._failure: MewError | None = None
        self._changed = anyio.Event()
        self.turn = anyio.Lock()  # fair: for what has a pace to keep
        self.wire = anyio.Lock()  # fair: held while something is written, or waits for a connection to be written to

    def attach(self, link: Link | None) -> None:
        """From here on, this is the link; None: there is none for now."""
        self.link = link
        self._changed.set()
        self._changed = anyio.Event()

    def fail(self, why: MewError) -> None:
        """There will be no link any more."""
        self._failure = self._failure or why
        self.attach(None)

    async def linked(self) -> Link:
        """The link, once there is one. Raises what it has failed with."""
        while self.link is None:
            if self._failure is not None:
                raise self._failure
            await self._changed.wait()
        return self.link

    async def send(self, data: bytes, *, paced: bool, what: str) -> None:
        """A text frame; again on the next link if this one breaks."""
        await self._in_time(self._write(data, paced=paced), what)

    async def send_again(self, data: bytes) -> None:
        """A text frame that was refused for now, however long it takes."""
        with in_one_piece():
            await self._write(data, paced=True)
        await come_through()

    async def in_turn(self, decide: Callable[[], Sequence[bytes]], under: AbstractContextManager[Any] | None) -> None:
        """What is only decided when it can leave (`Client.in_turn`)."""
        decided = False

        def once() -> Sequence[bytes]:
            nonlocal decided
            frames = decide()
            decided = True
            return frames

        try:
            await self._in_time(self._write_what(once, under or nullcontext()), "what was to be decided")
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
        """A frame that is never sent twice; what `check` raises when it is about to leave is raised."""
        await self._in_time(self._write_once(data, text, check, under or nullcontext()), what)

    async def _in_time(self, writing: Coroutine[Any, Any, None], what: str) -> None:
        with in_one_piece(), anyio.move_on_after(self.patience / 1000) as waiting:
            await writing
        if not waiting.cancelled_caught:
            await come_through()
            return
        raise Disconnected(f"No connection within {self.patience / 1000:g} s; {what} was not sent.")

    async def _write(self, data: bytes, *, paced: bool) -> None:
        if not paced:
            await self._write_now(data)
            return
        async with self.turn:
            await self._keep_pace(len(data))
            await self._write_now(data)

    async def _write_now(self, data: bytes) -> None:
        async with self.wire:
            written = False
            while not written:
                link = await self.linked()
                written = await self._is_written(link, link.send(data, text=True))

    async def _write_what(self, decide: Callable[[], Sequence[bytes]], under: AbstractContextManager[Any]) -> None:
        async with self.turn:
            await self._wait(self._pace.ready(self._clock()))
            async with self.wire:
                link = await self.linked()
                with under:
                    frames = decide()
                    writing = link.send(*frames, text=True)
                while not await self._is_written(link, writing):
                    link = await self.linked()
                    writing = link.send(*frames, text=True)
            for frame in frames:
                self._pace.take(self._clock(), len(frame))

    async def _write_once(
        self, data: bytes, text: bool, check: Callable[[], object] | None, under: AbstractContextManager[Any]
    ) -> None:
        async with self.turn:
            await self._keep_pace(len(data))
            async with self.wire:
                link = await self.linked()
                with under:
                    if check is not None:
                        check()
                    writing = link.send(data, text=text)
                if not await self._is_written(link, writing):
                    raise Disconnected("The connection broke; the frame may be lost.")

    async def _keep_pace(self, size: int) -> None:
        await self._wait(self._pace.take(self._clock(), size))

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
