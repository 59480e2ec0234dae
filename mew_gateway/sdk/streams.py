"""Streams: data beside the envelopes, opened by one participant, written by those it permits, read by all (§3.10)."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any
from weakref import WeakSet

import anyio
import msgspec

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY_NAMES

from ._transport.frames import Frame
from ._transport.mailbox import Mailbox
from ._transport.reconnect import Disconnected
from ._transport.welcome import Welcome
from .client import Client
from .exchange.requests import Refused

log = logging.getLogger(__name__)

_READ_AHEAD = 8 << 20  # bytes of chunks held for one reader
_OPENED = 64  # new streams held for one who follows them
_REQUESTED = 256  # requests remembered until their stream opens
_LAST_WORDS = 2_000  # milliseconds for a close to be sent, also if the caller is cancelled

Chunk = str | bytes
Say = Callable[..., Awaitable[str]]


class _Listed(msgspec.Struct, frozen=True):
    """An entry of `active_streams` (§3.10.8): its required fields."""

    stream_id: str
    owner: str
    authorized_writers: list[str] | None = None


class Stream:
    """One stream. `fields` are what is known of it: `direction`, `content_type`, `description`, `target`, ….

    To read, `async for chunk in stream`: what comes from then on, `str` for a text frame and `bytes` for a binary
    one, until it is closed. Raises `TooSlow` for a reader that is 8 MiB behind, and `Disconnected` if a lost
    connection lost frames: they are never sent again. A new `async for` continues after the gap.
    """

    def __init__(self, id: str, owner: str, *, fields: dict[str, Any], client: Client, say: Say) -> None:
        self.id = id
        self.owner = owner
        self.fields = fields
        self.writers: list[str] = [owner]
        self.closed: str | None = None  # the reason, once it is
        self.opened_by: tuple[str, ...] = ()  # ids of its `stream/request` and `stream/open`, if they were seen
        self._client = client
        self._say = say
        self._readers: WeakSet[Mailbox[Chunk]] = WeakSet()
        self._first: Mailbox[Chunk] | None = None
        self._refusal: Refused | None = None
        self.written = False  # by us

    def __aiter__(self) -> Mailbox[Chunk]:
        reader, self._first = self._first or self._reader(), None
        return reader

    async def write(
        self,
        chunk: Chunk,
        *,
        check: Callable[[], object] | None = None,
        under: AbstractContextManager[Any] | None = None,
    ) -> None:
        """Write a frame: text for a `str`, binary for `bytes`; what is read has the same bounds. Waits for its turn.

        `check` and `under` are as for `Client.send_frame`; within a run, use `Span.write`. Raises `Refused` once the
        gateway has said no to an earlier one, or the stream is closed; `Disconnected` when the frame may be lost;
        `ValueError` for more than a frame holds (1 MiB).
        """
        if self.closed is not None:
            raise Refused("stream_not_found", f"{self.id} is closed: {self.closed}.")
        self.check()
        self.written = True
        await self._client.send_frame(self.id, chunk, check=check, under=under)

    async def grant_write(self, participant: str, *, reason: str | None = None) -> None:
        """Permit a participant to write, as the owner (§3.10.5). Raises `Refused`."""
        await self._tell("stream/grant-write", participant_id=participant, reason=reason)

    async def revoke_write(self, participant: str, *, reason: str | None = None) -> None:
        """Withdraw the permission to write, as the owner (§3.10.6). Raises `Refused`."""
        await self._tell("stream/revoke-write", participant_id=participant, reason=reason)

    async def transfer(self, new_owner: str, *, reason: str | None = None) -> None:
        """Transfer the ownership, as the owner (§3.10.7). Raises `Refused`."""
        await self._tell("stream/transfer-ownership", new_owner=new_owner, reason=reason)

    async def close(self, reason: str = "complete") -> None:
        """Close the stream, as the owner (§3.10.4), unless it is closed. Raises `Refused`, also for an earlier
        frame."""
        if self.closed is None:
            await self._tell("stream/close", reason=reason)
        self.check()

    def check(self) -> None:
        """Raise `Refused` once if the gateway has refused a frame of ours."""
        refusal, self._refusal = self._refusal, None
        if refusal is not None:
            raise refusal

    async def _tell(self, kind: str, **fields: str | None) -> None:
        payload = {"stream_id": self.id, **{key: value for key, value in fields.items() if value is not None}}
        await self._say(kind, payload, to=["gateway"])

    # Called by `Streams`.

    def receive(self, chunk: Chunk) -> None:
        """Take a received frame."""
        for reader in self._readers:
            reader.put(chunk)

    def keep(self) -> None:
        """Hold received frames for the first reader."""
        self._first = self._reader()

    def tear(self, error: MewError) -> None:
        """Report lost frames to all readers."""
        for reader in self._readers:
            reader.end(error)
        self._readers.clear()

    def refuse(self, refusal: Refused) -> None:
        """Note a refused frame: the next write raises it."""
        log.warning("a frame of %s was refused: %s", self.id, refusal)
        self._refusal = refusal

    def end(self, reason: str) -> None:
        """Close the stream for its readers."""
        self.closed = reason
        for reader in self._readers:
            reader.end()

    def _reader(self) -> Mailbox[Chunk]:
        reader: Mailbox[Chunk] = Mailbox(limit=_READ_AHEAD, size=len)
        self._readers.add(reader)
        if self.closed is not None:
            reader.end()
        return reader


class Streams:
    """Open streams of the space by id, as far as they are known."""

    def __init__(self, client: Client, say: Say, request: Callable[[dict[str, Any]], Awaitable[Envelope]]) -> None:
        self._client = client
        self._say = say
        self._request = request
        self._open: dict[str, Stream] = {}
        self._requested: dict[tuple[str, str], dict[str, Any]] = {}  # by sender and id: two may use one id
        self._followers: WeakSet[Mailbox[Stream]] = WeakSet()

    def __getitem__(self, id: str) -> Stream:
        try:
            return self._open[id]
        except KeyError:
            raise Refused("stream_not_found", f"No stream {id!r} is open here.") from None

    @property
    def open(self) -> list[Stream]:
        """All open streams, in the order in which they became known."""
        return list(self._open.values())

    def follow(self) -> Mailbox[Stream]:
        """Return an async iterator of streams that open from now on. Its first reader gets each from the start."""
        follower: Mailbox[Stream] = Mailbox(limit=_OPENED)
        self._followers.add(follower)
        return follower

    @asynccontextmanager
    async def opened(self, fields: dict[str, Any]) -> AsyncIterator[Stream]:
        """A stream of our own, for as long as the block lasts. Raises `Refused`.

        It is closed as `complete`, `error`, `cancelled` or, if the run that it is in was stopped,
        `interrupted`.
        """
        answer = await self._request({key: value for key, value in fields.items() if value is not None})
        stream = self[str((answer.payload or {}).get("stream_id"))]
        reason = "interrupted"
        try:
            yield stream
            reason = "complete"
        except Exception:
            reason = "error"
            raise
        except anyio.get_cancelled_exc_class():
            reason = "cancelled"
            raise
        finally:
            await self._close(stream, reason)

    async def close_own(self, reason: str) -> None:
        """Close all open streams of our own."""
        for stream in self.open:
            await self._close(stream, reason)

    async def _close(self, stream: Stream, reason: str) -> None:
        """Close a stream, if it is open and ours to close. Raises `Refused` for a frame that was lost, if all else
        went well, and nothing for want of a connection."""
        if stream.closed is not None or stream.owner != self._client.welcome.you.id:
            return
        with anyio.move_on_after(_LAST_WORDS / 1000, shield=True):
            try:
                await stream.close(reason)
            except MewError as error:
                if reason == "complete" and isinstance(error, Refused) and error.code != "stream_not_found":
                    raise  # of a frame: the failure must not stay hidden
                log.warning("closing %s: %s", stream.id, error)  # it is gone, or goes with our connection

    # Called by a participant.

    def welcome(self, welcome: Welcome) -> None:
        """Replace the list of streams by that of a welcome (§3.8.1)."""
        listed = [entry for entry in welcome.active_streams if _is_listed(entry)]
        named = {entry["stream_id"] for entry in listed}
        for id in [id for id in self._open if id not in named]:
            self._forget(id, "it was closed while we were away")
        for entry in listed:
            one = msgspec.convert(entry, _Listed)
            stream = self._open.get(one.stream_id) or self._add(one.stream_id, one.owner, entry)
            stream.owner, stream.writers = one.owner, one.authorized_writers or [one.owner]

    def tear(self) -> None:
        """Report lost frames to all streams: the connection was lost."""
        for stream in self._open.values():
            stream.tear(Disconnected("The connection was lost: frames of the stream are missing."))

    def end(self, why: MewError) -> None:
        """End all streams: there is no connection any more."""
        for stream in self._open.values():
            stream.closed = str(why)
            stream.tear(why)
        for follower in self._followers:
            follower.end(why)

    def take_frame(self, frame: Frame) -> None:
        """Take a frame, in its place among the envelopes."""
        stream = self._open.get(frame.stream)
        if stream is not None:
            stream.receive(frame.data)

    def take(self, envelope: Envelope) -> None:
        """Take an envelope that may be about a stream."""
        handle = _TABLE.get(envelope.kind)
        if handle is not None:
            handle(self, envelope, envelope.payload or {})

    def _take_request(self, envelope: Envelope, payload: dict[str, Any]) -> None:
        self._requested[envelope.sender, envelope.id] = payload
        while len(self._requested) > _REQUESTED:
            del self._requested[next(iter(self._requested))]

    def _take_open(self, envelope: Envelope, payload: dict[str, Any]) -> None:
        id, asked = payload.get("stream_id"), (envelope.correlation_id or [""])[0]
        if not isinstance(id, str) or id in self._open or envelope.sender not in GATEWAY_NAMES:
            return
        owner = str(payload.get("owner") or (envelope.to or [""])[0])
        fields = self._requested.pop((owner, asked), {})
        stream = self._add(id, owner, {**fields, **payload})
        stream.opened_by = (envelope.id, asked)
        for follower in self._followers:
            stream.keep()
            follower.put(stream)

    def _take_close(self, envelope: Envelope, payload: dict[str, Any]) -> None:
        """Close the one stream that the gateway closed for this envelope, whatever else it correlates to.

        That is the stream it names; without a name, the newest of its sender's that it correlates to (docs/protocol.md
        §4). Everybody sees the ids of a stream, so they close it only for its owner.
        """
        id, ids = payload.get("stream_id"), envelope.correlation_id or ()
        if id is None:
            named = [one.id for one in self._open.values() if any(known in ids for known in one.opened_by)]
        else:
            named = [id] if isinstance(id, str) and id in self._open else []
        closable = [one for one in named if envelope.sender in (self._open[one].owner, *GATEWAY_NAMES)]
        if closable:
            self._forget(closable[-1], str(payload.get("reason", "closed")))

    def _take_writers(self, envelope: Envelope, payload: dict[str, Any]) -> None:
        stream = self._open.get(str(payload.get("stream_id")))
        if stream is None or envelope.sender not in GATEWAY_NAMES:
            return
        writers, owner = payload.get("authorized_writers"), payload.get("new_owner")
        if isinstance(owner, str):
            stream.owner = owner
        if isinstance(writers, list):
            stream.writers = [name for name in writers if isinstance(name, str)]

    def _take_error(self, envelope: Envelope, payload: dict[str, Any]) -> None:
        """Take a refusal of a frame: a frame has no id, so it correlates to nothing, and may name the stream."""
        if envelope.correlation_id or envelope.sender not in GATEWAY_NAMES:
            return
        named = payload.get("stream_id")
        for stream in self._open.values():
            if stream.written and named in (None, stream.id):
                stream.refuse(Refused(str(payload.get("error")), str(payload.get("message", "")), payload))

    def _add(self, id: str, owner: str, fields: dict[str, Any]) -> Stream:
        stream = self._open[id] = Stream(id, owner, fields=fields, client=self._client, say=self._say)
        return stream

    def _forget(self, id: str, reason: str) -> None:
        self._open.pop(id).end(reason)


_TABLE: dict[str, Callable[[Streams, Envelope, dict[str, Any]], None]] = {
    "stream/request": Streams._take_request,
    "stream/open": Streams._take_open,
    "stream/close": Streams._take_close,
    "stream/write-granted": Streams._take_writers,
    "stream/write-revoked": Streams._take_writers,
    "stream/ownership-transferred": Streams._take_writers,
    "system/error": Streams._take_error,
}


def _is_listed(entry: dict[str, Any]) -> bool:
    try:
        msgspec.convert(entry, _Listed)
    except msgspec.ValidationError as error:
        log.warning("an entry of active_streams is left out: %s", error)
        return False
    return True
