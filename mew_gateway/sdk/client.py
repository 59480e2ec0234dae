"""Client: one participant's connection to a space, which reconnects and resumes by itself.

Reading: `_live` joins, reads until the connection ends, waits by the backoff, and joins again. It names the newest
envelope that arrived (`_newest`, `_place`), so the gateway replays what was missed; if it cannot, `Reconnected` has
`missed`. Sending: `Outgoing` orders and throttles frames, and writes the same bytes again after a broken connection;
`ResendBuffer` holds them for a temporary refusal.

Invariants: items arrive in the order of the space, without gaps unless `Reconnected` says so. An envelope's bytes never
change between attempts, so the gateway recognises a duplicate by its id. `participant` and `agent` build on this class.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self, TypeAlias

import anyio
import msgspec
from uuid_utils import uuid7

from mew_gateway.backoff import Backoff
from mew_gateway.errors import MewError
from mew_gateway.protocol.address import address
from mew_gateway.protocol.cursors import cursor_of
from mew_gateway.protocol.envelope import Envelope, timestamp
from mew_gateway.protocol.kinds import HEARTBEAT, URGENT

from ._transport.frames import Frame, encode_frame
from ._transport.link import Disconnected, Link, Opener, open_link, secret
from ._transport.names import Names, names_in
from ._transport.outgoing import Outgoing
from ._transport.reception import fetch_replay, is_recorded, item_in, join, sent_at
from ._transport.resend_buffer import ResendBuffer
from ._transport.throttle import Throttle
from ._transport.welcome import Welcome, welcome_in
from .exchange.guests import LatestGuests

log = logging.getLogger(__name__)

_FIRST_WAIT = 500  # milliseconds until it connects again, at most
# Well under the 30 s after which the gateway declares the sequences of an absent owner lost and records an interrupt as
# unanswered.
_LONGEST_WAIT = 5_000
_STABLE = 30_000  # a connection that lived this long was a good one: the backoff begins anew
FRAME_BYTES = 1_048_576  # the gateway's own limit: a bigger frame would cost the connection (1009)
_encoder = msgspec.json.Encoder()


# What the gateway gives again to each new connection while it waits for an answer (docs/protocol.md §1).
_GIVEN_AGAIN = ("reasoning/interrupt", "reasoning/cancel")


class Reconnected(msgspec.Struct, frozen=True):
    """Stands in the stream where a connection was lost and a new one made.

    What was delivered in between follows, in order; if the gateway does not hold it any more, it was `missed`.
    """

    welcome: Welcome
    missed: bool = False


Item: TypeAlias = Envelope | Reconnected


def _monotonic() -> int:
    return time.monotonic_ns() // 1_000_000


def wall_clock() -> int:
    """Return the time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def new_id() -> str:
    """Return a new envelope id (UUIDv7)."""
    return str(uuid7())


class Client:
    """A connection that sends and receives envelopes, and reconnects with backoff until it is closed.

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
    - `open`, `backoff`, `throttle`, `sleep`, `clock` (monotonic), `wall` (since the epoch), `new_id`: given by tests.
    - `aside` opens the connections that only read the history; as `open` unless that is for one connection alone.

    After a lost connection it goes on where it was: nothing that the gateway still holds is missing, and nothing
    comes twice, but an interrupt that waits for an answer, which has its id. Frames of streams are no items: if
    `on_frame` is set, `receive` calls it with each in its place among the envelopes.
    """

    on_frame: Callable[[Frame], None] | None = None

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
        open: Opener = open_link,
        aside: Opener | None = None,
        backoff: Backoff | None = None,
        throttle: Throttle | None = None,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        clock: Callable[[], int] = _monotonic,
        wall: Callable[[], int] = wall_clock,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        address(url, space)  # a wrong address is the caller's mistake: ValueError here, not later
        self._url, self._space, self._token = url, space, secret(token)
        self._persistent, self._heartbeat = persistent, heartbeat
        self._open, self._backoff = open, backoff or Backoff(first=_FIRST_WAIT, cap=_LONGEST_WAIT)
        self._aside = aside or open
        self._sleep, self._clock = sleep, clock
        self.wall, self.new_id = wall, new_id
        self._epoch = wall() - clock()
        self._ahead = 0  # of us, the gateway's clock
        self._incoming, self._received = anyio.create_memory_object_stream[Item | Frame](buffer)
        self._outgoing = Outgoing(
            throttle=throttle or Throttle(now=clock()),
            patience=patience,
            sleep=lambda seconds: self._sleep(seconds),
            clock=clock,
        )
        self._failure: MewError | None = None
        self._welcome: Welcome | None = None
        self._first_welcome: Welcome | None = None
        self._guests = LatestGuests()
        self._newest: str | None = None  # the envelope to go on from
        self._place = b""  # its bytes: another envelope may have its id, too
        self._first: str | None = None
        self._resend_buffer = ResendBuffer()
        self._tasks: list[asyncio.Task[None]] = []
        self._closed = False

    @property
    def welcome(self) -> Welcome:
        """The newest welcome. Raises `Disconnected` before the first."""
        if self._welcome is None:
            raise Disconnected("Not connected yet.")
        return self._welcome

    @property
    def first_welcome(self) -> Welcome:
        """The first welcome: all received items come after it. Raises `Disconnected` before it."""
        if self._first_welcome is None:
            raise Disconnected("Not connected yet.")
        return self._first_welcome

    def is_gone(self, name: str, invitation: str | None) -> bool:
        """Return true if the guest with that invitation is no participant any more, by everything that has arrived.

        That may be more than `receive` has returned. A participant without an invitation is configured, and never gone.
        """
        return invitation is not None and self._guests.is_gone(name, invitation)

    def invitations(self, names: Iterable[str]) -> dict[str, str]:
        """Return which guests have these names now, as far as known from what has arrived: the invitation of each.

        Envelopes to them are for these guests. A participant without an invitation is configured.
        """
        return self._guests.among(names)

    @property
    def space(self) -> str:
        """Name of the space."""
        return self._space

    @property
    def is_open(self) -> bool:
        """True after `connect` and before `aclose`."""
        return bool(self._tasks) and not self._closed

    async def connect(self) -> None:
        """Connect and wait for the welcome. Raises `Disconnected` or `Stopped`."""
        self._tasks = [asyncio.create_task(self._keep_connected()), asyncio.create_task(self._keep_alive())]
        try:
            await self._outgoing.linked()
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Close the connection and release everything. Idempotent; never raises."""
        self._closed = True
        link = self._outgoing.link
        self._fail(Disconnected("This client is closed."))
        for task in self._tasks:
            task.cancel()
        try:
            with anyio.CancelScope(shield=True):
                await asyncio.gather(*self._tasks, return_exceptions=True)
                if link is not None:
                    await link.close()
        finally:
            self._outgoing.attach(None)
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
        to: Names = (),
        correlation_id: Names = (),
        context: str | None = None,
        id: str | None = None,
        at: int | None = None,
    ) -> str:
        """Send an envelope; returns its id. `at` dates it (milliseconds since the epoch; default now).

        A refusal comes back in the stream, as a `system/error` to that id; one that says *later* (`rate_limited`,
        `journal_unavailable`) is seen to here, except of an interrupt. No faster than a gateway takes by default.

        While there is no connection it waits, at most `patience`, then raises `Disconnected`; `Stopped` when
        there will be none. A connection that breaks underneath gets the same bytes again on the next one, which
        the gateway distinguishes from a second envelope (docs/protocol.md §2). Raises `ValueError` if it is too large.
        """
        id, data = self.encode(kind, payload, to=to, correlation_id=correlation_id, context=context, id=id, at=at)
        await self._outgoing.send(data, paced=kind not in URGENT, what=f"the {kind}")
        return id

    def encode(
        self,
        kind: str,
        payload: dict[str, Any],
        *,
        to: Names = (),
        correlation_id: Names = (),
        context: str | None = None,
        id: str | None = None,
        at: int | None = None,
    ) -> tuple[str, bytes]:
        """Return the id and the bytes of the envelope that `send` would send, for `in_turn` or another link.

        A temporary refusal of it is handled as if it had been sent. From any thread. Raises `ValueError` if it does not
        fit a frame, `Disconnected` before the first welcome.
        """
        envelope = Envelope(
            protocol="mew/v0.4",
            id=id or self.new_id(),
            ts=timestamp(self.wall() if at is None else at),
            sender=self.welcome.you.id,
            kind=kind,
            to=list(names_in(to)) or None,
            correlation_id=list(names_in(correlation_id)) or None,
            context=context,
            payload=payload,
        )
        data = _encoder.encode(envelope)
        if len(data) > FRAME_BYTES:
            raise ValueError(f"This {kind} has {len(data)} bytes; the gateway takes {FRAME_BYTES} in a frame.")
        self._resend_buffer.keep(envelope.id, kind, data)
        return envelope.id, data

    async def in_turn(
        self,
        decide: Callable[[], Sequence[bytes]],
        *,
        under: AbstractContextManager[Any] | None = None,
    ) -> None:
        """Send frames that are decided only when they can leave.

        `decide` is called when this caller is next, the throttle allows it and there is a connection. The text frames
        that it returns (as of `encode`) are handed to the link at once, and charged to the throttle afterwards. The
        call returns when they are written; the same bytes are sent again if the connection breaks.

        `under` is held from before `decide` until the link has the frames: with `IoThread`, a frame that is posted
        under the same lock comes entirely before or after them. It must not be held for long.

        Raises as `send`, and then `decide` was not called; `Undelivered` if it was called; and what `decide` raises.
        """
        await self._outgoing.in_turn(decide, under)

    async def send_frame(
        self,
        stream: str,
        chunk: str | bytes,
        *,
        check: Callable[[], object] | None = None,
        under: AbstractContextManager[Any] | None = None,
    ) -> None:
        """Send a frame of a stream (§3.10.3), as text or binary. A refusal arrives as a `system/error`.

        `check` is called just before it leaves, `under` is as for `in_turn`; what `check` raises is raised, and nothing
        is sent. A frame is never sent twice: `Disconnected` means that it may be lost. Raises `ValueError` if it does
        not fit a frame.
        """
        data = encode_frame(stream, chunk)
        if len(data) > FRAME_BYTES:
            raise ValueError(f"This frame has {len(data)} bytes; the gateway takes {FRAME_BYTES}.")
        text = isinstance(chunk, str)
        await self._outgoing.send_once(data, text=text, check=check, under=under, what=f"the frame of {stream}")

    def now(self) -> int:
        """Return milliseconds since the epoch, by a clock that is never set back. From any thread."""
        return self._epoch + self._clock()

    def gateway_time(self) -> int:
        """Return milliseconds since the epoch by the gateway's clock, as of the newest welcome. From any thread."""
        return self.now() + self._ahead

    @property
    def newest(self) -> str | None:
        """Id of the envelope that arrived last, for `history`."""
        return self._newest

    @property
    def first(self) -> str | None:
        """Id of the first welcome: what comes after it in the `history` has arrived here, or will."""
        return self._first

    async def history(self, after: str) -> list[Envelope] | None:
        """Return all envelopes delivered after `after` until now, in order; None if the gateway does not hold all of
        them.

        They are read over a separate connection, and so may include items that also arrive here. Raises `Disconnected`
        or `Stopped`.
        """
        return await fetch_replay(self._aside, self._url, space=self._space, token=self._token, after=after)

    async def sleep(self, milliseconds: int) -> None:
        """Wait, by the clock of this client."""
        await self._sleep(milliseconds / 1000)

    async def receive(self) -> Item:
        """Return the next envelope or `Reconnected`. Raises `Stopped` or `Disconnected` at the end."""
        try:
            while isinstance(item := await self._received.receive(), Frame):
                if self.on_frame is not None:
                    self.on_frame(item)
            return item
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            raise self._failure or Disconnected("The connection is closed.") from None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        return await self.receive()

    def _fail(self, why: MewError) -> None:
        self._failure = self._failure or why
        self._outgoing.fail(self._failure)

    async def _keep_connected(self) -> None:
        try:
            await self._live()
        except MewError as error:
            self._fail(error)
        except Exception as error:
            log.exception("the connection's task failed")
            self._fail(Disconnected(f"The connection failed: {type(error).__name__}."))
        finally:
            self._outgoing.attach(None)
            self._incoming.close()

    async def _live(self) -> None:
        """Connect and read, repeatedly, until `Stopped`, or a first `Disconnected` of a client that is not
        persistent."""
        while True:
            try:
                link, envelope = await self._join()
            except Disconnected as error:
                if self._welcome is None and not self._persistent:
                    raise
                await self._pause(error)
                continue
            opened = self._outgoing.sent_at = self._clock()
            await self._begin(link, envelope)
            why = await self._read(link)
            self._outgoing.attach(None)
            if self._clock() - opened >= _STABLE:
                self._backoff.reset()
            await self._pause(why)

    async def _join(self) -> tuple[Link, Envelope]:
        after = None if self._newest is None else cursor_of(self._newest, self._place)
        return await join(self._open, self._url, space=self._space, token=self._token, after=after)

    async def _begin(self, link: Link, envelope: Envelope) -> None:
        again, self._welcome = self._welcome is not None, welcome_in(envelope.payload)
        self._first_welcome = self._first_welcome or self._welcome
        self._guests.welcome(self._welcome)
        at = sent_at(envelope)
        self._ahead = self._ahead if at is None else at - self.now()
        resume = self._welcome.resume
        missed = resume is None or resume.count is None
        if missed or not (resume and resume.count):  # nothing is replayed: from here on
            self._newest = envelope.id
        self._first = self._first or envelope.id
        self._outgoing.attach(link)
        if again:
            log.info("connected again to %s", self._space)
            await self._incoming.send(Reconnected(self._welcome, missed))

    async def _pause(self, why: Disconnected) -> None:
        """Wait by the backoff, after the gateway's own wait, so that many clients do not reconnect together."""
        wait = why.retry_after + self._backoff.next()
        log.warning("%s Trying again in %d ms.", why, wait)
        await self._sleep(wait / 1000)

    async def _read(self, link: Link) -> Disconnected:
        """Read until the connection ends; return why it did. Raises `Stopped` if there must not be another."""
        while True:
            try:
                frame = await link.receive()
            except Disconnected as why:
                return why
            item = item_in(frame)
            if isinstance(item, Envelope):
                self._guests.take(item)
            if isinstance(item, Envelope) and not self._is_to_be_sent_again(item):
                self._note(item, frame)
                await self._incoming.send(item)
            elif isinstance(item, Frame) and self.on_frame is not None:
                await self._incoming.send(item)

    def _is_to_be_sent_again(self, envelope: Envelope) -> bool:
        """Return true for a temporary refusal, and send the same bytes again later."""
        later = self._resend_buffer.again(envelope)
        if later is not None:
            task = asyncio.create_task(self._send_again(*later))
            self._tasks.append(task)
            task.add_done_callback(self._tasks.remove)
        return later is not None

    async def _send_again(self, data: bytes, wait: int) -> None:
        await self._sleep(wait / 1000)
        try:
            await self._outgoing.send_again(data)
        except MewError as error:
            log.warning("an envelope was refused for now and could not be sent again: %s", error)

    def _note(self, envelope: Envelope, frame: str | bytes) -> None:
        """Note an envelope as the place to resume from, unless it may come twice; and a later welcome (§3.6.1)."""
        if envelope.kind not in _GIVEN_AGAIN and is_recorded(envelope):
            self._newest, self._place = envelope.id, frame.encode() if isinstance(frame, str) else frame
        if envelope.kind == "system/welcome":
            self._take_welcome(envelope)

    def _take_welcome(self, envelope: Envelope) -> None:
        """Take a later welcome; only one that is addressed to us has our capabilities (§3.8.1)."""
        try:
            welcome = welcome_in(envelope.payload)
        except msgspec.ValidationError as error:
            log.warning("a welcome that cannot be read: %s", error)
            return
        if welcome.you.id == self.welcome.you.id:
            self._welcome = welcome
            self._guests.welcome(welcome)

    async def _keep_alive(self) -> None:
        while self._failure is None:
            try:
                await self._outgoing.linked()
                silence = self._clock() - self._outgoing.sent_at
                if silence >= self._heartbeat:
                    await self.send(HEARTBEAT, {})
                else:
                    await anyio.sleep((self._heartbeat - silence) / 1000)
            except MewError:
                continue  # not connected: for now, or for good, as the loop's condition says
