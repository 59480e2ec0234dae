"""A client: one participant's connection to a space, which comes back by itself after an interruption."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, Self, TypeAlias

import anyio
import msgspec
from uuid_utils import uuid7
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from mew_gateway.errors import MewError
from mew_gateway.protocol.codec import reread
from mew_gateway.protocol.envelope import Envelope, timestamp
from mew_gateway.protocol.kinds import HEARTBEAT, URGENT

from .backoff import Backoff
from .link import Disconnected, Stopped, address, ended, open_link
from .pace import Pace
from .retained import Retained
from .welcome import Welcome, welcome_in

log = logging.getLogger(__name__)

_STABLE = 30_000  # a connection that lived this long was a good one: the backoff begins anew
FRAME_BYTES = 1_048_576  # the gateway's own limit: a bigger frame would cost the connection (1009)
_encoder = msgspec.json.Encoder()


class Reconnected(msgspec.Struct, frozen=True):
    """Stands in the stream where a connection was lost and a new one made. Envelopes in between are missing."""

    welcome: Welcome


Item: TypeAlias = Envelope | Reconnected


def _monotonic() -> int:
    return time.monotonic_ns() // 1_000_000


def wall_clock() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def new_id() -> str:
    """A fresh envelope id: UUIDv7."""
    return str(uuid7())


class Client:
    """A connection that sends and receives envelopes, and reconnects with backoff until told to stop.

        async with Client("ws://127.0.0.1:8080", space="demo", token=token) as client:
            await client.send("chat", {"text": "hello"})
            async for item in client:
                ...

    Needs asyncio (not trio), because the connection underneath does. Times are in milliseconds.

    - `persistent`: the first connection is tried again too; otherwise `connect` raises `Disconnected`.
    - `patience`: how long `send` waits for a connection before it raises `Disconnected`.
    - `heartbeat`: a `system/heartbeat` is sent after so long a silence of ours.
    - `buffer`: received envelopes held for the application; beyond it the socket is not read, and the
      gateway's patience with a slow reader counts (4008).
    - `backoff`, `sleep`, `clock`: between attempts; given by tests.
    """

    def __init__(
        self,
        url: str,
        *,
        space: str,
        token: str,
        persistent: bool = False,
        patience: int = 30_000,
        heartbeat: int = 30_000,
        buffer: int = 256,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        clock: Callable[[], int] = _monotonic,
    ) -> None:
        address(url, space)  # a wrong address is the caller's mistake: ValueError here, not later
        self._url, self._space, self._token = url, space, token
        self._persistent, self._patience, self._heartbeat = persistent, patience, heartbeat
        self._backoff = backoff or Backoff()
        self._sleep, self._clock = sleep, clock
        self._incoming, self._received = anyio.create_memory_object_stream[Item](buffer)
        self._link: ClientConnection | None = None
        self._changed = anyio.Event()
        self._turn = anyio.Lock()  # fair: envelopes leave in the order of the calls to `send`
        self._failure: MewError | None = None
        self._welcome: Welcome | None = None
        self._sent_at = 0
        self._pace = Pace(now=clock())
        self._retained = Retained()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def welcome(self) -> Welcome:
        """The newest welcome. Raises `Disconnected` before the first."""
        if self._welcome is None:
            raise Disconnected("Not connected yet.")
        return self._welcome

    async def connect(self) -> None:
        """Connect and wait for the welcome. Raises `Disconnected` or `Stopped`."""
        self._tasks = [asyncio.create_task(self._keep_connected()), asyncio.create_task(self._keep_alive())]
        try:
            await self._linked()
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Close the connection and let go of everything. Idempotent; never raises."""
        self._failure = self._failure or Disconnected("This client is closed.")
        link = self._link
        for task in self._tasks:
            task.cancel()
        try:
            with anyio.CancelScope(shield=True):
                await asyncio.gather(*self._tasks, return_exceptions=True)
                if link is not None:
                    await link.close()
        finally:
            self._attach(None)
            self._incoming.close()
            self._received.close()

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def send(
        self,
        kind: str,
        payload: dict[str, Any],
        *,
        to: Sequence[str] = (),
        correlation_id: Sequence[str] = (),
        context: str | None = None,
        id: str | None = None,
        at: int | None = None,
    ) -> str:
        """Send an envelope; returns its id. `at` dates it (milliseconds since the epoch; default now).

        A refusal comes back in the stream, as a `system/error` to that id; one that says *later* (`rate_limited`,
        `journal_unavailable`) is seen to here, except of an interrupt. No faster than a gateway takes by default.

        While there is no connection it waits, at most `patience`, then raises `Disconnected`; `Stopped` when
        there will be none. A connection that breaks underneath gets the same bytes again on the next one, which
        the gateway tells from a second envelope (docs/protocol.md §2). Raises `ValueError` for what no frame holds.
        """
        envelope = Envelope(
            protocol="mew/v0.4",
            id=id or new_id(),
            ts=timestamp(wall_clock() if at is None else at),
            sender=self.welcome.you.id,
            kind=kind,
            to=list(to) or None,
            correlation_id=list(correlation_id) or None,
            context=context,
            payload=payload,
        )
        data = _encoder.encode(envelope)
        if len(data) > FRAME_BYTES:
            raise ValueError(f"This {kind} has {len(data)} bytes; the gateway takes {FRAME_BYTES} in a frame.")
        self._retained.keep(envelope.id, kind, data)
        with anyio.move_on_after(self._patience / 1000):
            await self._write(data, paced=kind not in URGENT)
            return envelope.id
        raise Disconnected(f"No connection within {self._patience / 1000:g} s; the {kind} was not sent.")

    async def receive(self) -> Item:
        """The next envelope or `Reconnected`. Raises `Stopped` or `Disconnected` when there is no more to come."""
        try:
            return await self._received.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            raise self._failure or Disconnected("The connection is closed.") from None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        return await self.receive()

    async def _write(self, data: bytes, *, paced: bool) -> None:
        async with self._turn:
            wait = self._pace.take(self._clock()) if paced else 0
            if wait:
                await self._sleep(wait / 1000)
            while True:
                link = await self._linked()
                try:
                    await link.send(data, text=True)
                except ConnectionClosed:
                    if self._link is link:
                        self._attach(None)
                else:
                    self._sent_at = self._clock()
                    return

    async def _linked(self) -> ClientConnection:
        while self._link is None:
            if self._failure is not None:
                raise self._failure
            await self._changed.wait()
        return self._link

    def _attach(self, link: ClientConnection | None) -> None:
        self._link = link
        self._changed.set()
        self._changed = anyio.Event()

    async def _keep_connected(self) -> None:
        try:
            await self._live()
        except MewError as error:
            self._failure = error
        except Exception as error:
            log.exception("the connection's task failed")
            self._failure = Disconnected(f"The connection failed: {type(error).__name__}.")
        finally:
            self._attach(None)
            self._incoming.close()

    async def _live(self) -> None:
        """Connect, read, and again, until a `Stopped`, or a first `Disconnected` of one that is not persistent."""
        while True:
            try:
                link, welcome = await open_link(self._url, space=self._space, token=self._token)
            except Disconnected as error:
                if self._welcome is None and not self._persistent:
                    raise
                await self._pause(str(error))
                continue
            again, self._welcome = self._welcome is not None, welcome
            opened = self._sent_at = self._clock()
            self._attach(link)
            if again:
                log.info("connected again to %s", self._space)
                await self._incoming.send(Reconnected(welcome))
            await self._read(link)
            self._attach(None)
            why = ended(link)
            if isinstance(why, Stopped):
                raise why
            if self._clock() - opened >= _STABLE:
                self._backoff.reset()
            await self._pause(str(why))

    async def _pause(self, why: str) -> None:
        wait = self._backoff.next()
        log.warning("%s Trying again in %d ms.", why, wait)
        await self._sleep(wait / 1000)

    async def _read(self, link: ClientConnection) -> None:
        try:
            while True:
                data = await link.recv(decode=False)
                envelope = _envelope_in(data)
                if envelope is not None and not self._is_to_be_sent_again(envelope):
                    self._note(envelope)
                    await self._incoming.send(envelope)
        except ConnectionClosed:
            return

    def _is_to_be_sent_again(self, envelope: Envelope) -> bool:
        """Whether this refusal says *later*; then the same bytes go out again, later."""
        later = self._retained.again(envelope)
        if later is not None:
            task = asyncio.create_task(self._send_again(*later))
            self._tasks.append(task)
            task.add_done_callback(self._tasks.remove)
        return later is not None

    async def _send_again(self, data: bytes, wait: int) -> None:
        await self._sleep(wait / 1000)
        try:
            await self._write(data, paced=True)
        except MewError as error:
            log.warning("an envelope was refused for now and could not be sent again: %s", error)

    def _note(self, envelope: Envelope) -> None:
        """A later welcome tells of new capabilities (§3.6.1)."""
        if envelope.kind == "system/welcome":
            try:
                self._welcome = welcome_in(envelope.payload)
            except msgspec.ValidationError as error:
                log.warning("a welcome that cannot be read: %s", error)

    async def _keep_alive(self) -> None:
        while self._failure is None:
            try:
                await self._linked()
                silence = self._clock() - self._sent_at
                if silence >= self._heartbeat:
                    await self.send(HEARTBEAT, {})
                else:
                    await anyio.sleep((self._heartbeat - silence) / 1000)
            except MewError:
                continue  # not connected: for now, or for good, as the loop's condition says


def _envelope_in(data: bytes) -> Envelope | None:
    if data[:1] == b"#":  # a stream's frame
        return None
    try:
        return reread(data)
    except (msgspec.MsgspecError, AttributeError, RecursionError) as error:  # no object; nested too deep
        log.warning("a frame that is no envelope: %s", error)
        return None
