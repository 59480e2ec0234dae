"""Streams: opened for an owner, written by those it admits, closed with it (§3.10; docs/protocol.md §4).

Envelopes about a stream are journalled; its frames are not (`recipients`). A stream counts towards the limit of the
participant that asked for it, whoever owns it later.
"""

from __future__ import annotations

from typing import Any

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope, timestamp
from mew_gateway.protocol.payloads import StreamClose, StreamRequest, StreamTransfer, StreamWriter

from . import outages
from .handler_context import HandlerContext
from .members import Members
from .state import State, Stream
from .visibility import Viewer, still_same, viewer

_LARGEST = 16_384  # bytes of a `stream/request`: every welcome carries its payload (§3.8.1)
_LARGEST_TOGETHER = 65_536  # bytes of the request payloads of one owner's open streams
_LISTED_BYTES = 524_288  # of all together in a welcome, which must fit every outbox
_OURS = ("stream_id", "owner", "direction", "created", "target", "authorized_writers")


def request(ctx: HandlerContext, envelope: Envelope, payload: StreamRequest, data: bytes) -> None:
    """Handle `stream/request` (§3.10.1): answer with `stream/open`, which names the stream."""
    state, owner = ctx.state, envelope.sender
    target = tuple(dict.fromkeys(payload.target or ()))
    if len(data) > _LARGEST:
        raise Rejected(
            "invalid_payload",
            f"stream/request: more than {_LARGEST} bytes, which every welcome would carry - at `$.payload`",
        )
    _check_target(ctx, target)
    _check_room(state, owner, envelope.payload or {})
    ctx.forward(envelope, data)
    state.streamed += 1
    stream = Stream(
        id=f"stream-{state.streamed}",
        ordinal=state.next_ordinal(),
        asker=owner,
        to=tuple(envelope.to or ()),
        owner=owner,
        request=envelope.payload or {},
        created_at=ctx.now,
        requested_by=envelope.id,
        opened_by="",
        target=target,
    )
    state.streams[stream.id] = stream
    stream.opened_by, _ = ctx.announce(
        "stream/open",
        {**_described(stream), "encoding": "binary"},
        to=(owner,),
        correlation=(envelope.id,),
        also=_concerned(ctx.state, ctx.members, stream),
    )


def close(ctx: HandlerContext, envelope: Envelope, payload: StreamClose, data: bytes) -> None:
    """Handle `stream/close` (§3.10.4): no further frame passes.

    If the envelope is addressed, the gateway informs the other participants that the stream concerns.
    """
    stream = _named(ctx, envelope, payload.stream_id)
    _check_owner(stream, envelope.sender)
    del ctx.state.streams[stream.id]
    ctx.forward(envelope, data)
    if not envelope.to or ctx.state.settings.routing == "visible":
        return
    shown = (envelope.sender, *envelope.to, *ctx.members.observers)
    others = tuple(name for name in _concerned(ctx.state, ctx.members, stream) if name not in shown)
    if others:  # the envelope is not for them, the end of the stream is
        ctx.send_to(others, "stream/close", {"stream_id": stream.id}, correlation=(stream.opened_by,))


def grant_write(ctx: HandlerContext, envelope: Envelope, payload: StreamWriter, data: bytes) -> None:
    """Handle `stream/grant-write` (§3.10.5): one more participant may write. A repetition is acknowledged again."""
    stream, name = _find(ctx, envelope, payload.stream_id), payload.participant_id
    _check_owner(stream, envelope.sender)
    _check_known(ctx, name)
    ctx.forward(envelope, data)
    if name not in stream.writers:
        stream.writers.append(name)
    reason = _reason(ctx, envelope, payload.reason)
    _tell_writers(ctx, "stream/write-granted", stream, name, reason=reason, correlation=(envelope.id,))


def revoke_write(ctx: HandlerContext, envelope: Envelope, payload: StreamWriter, data: bytes) -> None:
    """Handle `stream/revoke-write` (§3.10.6). It is acknowledged also for a participant that may not write."""
    stream, name = _find(ctx, envelope, payload.stream_id), payload.participant_id
    _check_owner(stream, envelope.sender)
    if name == stream.owner:
        raise Rejected("invalid_operation", f"{name} owns {stream.id} and may always write to it.", stream_id=stream.id)
    if name not in stream.writers:
        _check_known(ctx, name)
    ctx.forward(envelope, data)
    if name in stream.writers:
        stream.writers.remove(name)
    reason = _reason(ctx, envelope, payload.reason)
    _tell_writers(ctx, "stream/write-revoked", stream, name, reason=reason, correlation=(envelope.id,))


def transfer(ctx: HandlerContext, envelope: Envelope, payload: StreamTransfer, data: bytes) -> None:
    """Handle `stream/transfer-ownership` (§3.10.7): the previous owner may write only if it was granted before."""
    new = payload.new_owner
    stream = _find(ctx, envelope, payload.stream_id)
    _check_owner(stream, envelope.sender)
    _check_known(ctx, new)
    ctx.forward(envelope, data)
    previous, stream.owner = stream.owner, new
    if not ctx.members.connections(new):
        outages.await_owner(ctx, new)
    change: dict[str, Any] = {
        "stream_id": stream.id,
        "previous_owner": previous,
        "new_owner": new,
        "authorized_writers": _authorized(stream),
    }
    if (reason := _reason(ctx, envelope, payload.reason)) is not None:
        change["reason"] = reason
    among = _among(ctx, stream, previous)
    ctx.broadcast("stream/ownership-transferred", change, correlation=(envelope.id,), among=among)


def participant_left(ctx: HandlerContext, name: str) -> None:
    """Close the streams of a participant that left, and end its rights to write to others."""
    state = ctx.state
    for stream in list(state.streams.values()):
        if stream.owner == name:
            del state.streams[stream.id]
            ended = {"stream_id": stream.id, "reason": "owner_left"}
            among = _among(ctx, stream)
            ctx.broadcast("stream/close", ended, correlation=(stream.opened_by,), among=among)
        elif name in stream.writers:
            stream.writers.remove(name)
            _tell_writers(ctx, "stream/write-revoked", stream, name, reason="writer_left", correlation=())


def listed(ctx: HandlerContext, name: str) -> list[msgspec.Raw]:
    """Return the `active_streams` of a participant's welcome (§3.8.1): the newest that have room in it, in JSON."""
    state, viewing = ctx.state, ctx.viewer(name)
    newest: list[msgspec.Raw] = []
    left = _LISTED_BYTES
    for stream in reversed(state.streams.values()):
        if not _is_visible(state, ctx.members, stream, viewing):
            continue
        entry = msgspec.json.encode(_entry(stream, viewing))
        left -= len(entry)
        if left < 0:
            break
        newest.append(msgspec.Raw(entry))
    return newest[::-1]


def owns(state: State, name: str) -> bool:
    """Return true if the participant owns an open stream."""
    return any(stream.owner == name for stream in state.streams.values())


def recipients(state: State, members: Members, participant: str, stream: str) -> tuple[int, ...]:
    """Return the connections that get a frame: those of the stream's targets, or all, the writer's too.

    Raises `Rejected`: `stream_not_found`, `unauthorized_stream_write`.
    """
    found = state.streams.get(stream)
    if found is None:
        raise _unknown(stream)
    if participant != found.owner and participant not in found.writers:
        if not _is_visible(state, members, found, viewer(state, participant)):
            raise _unknown(stream)
        raise Rejected(
            "unauthorized_stream_write",
            f"{found.owner}, the owner of {stream}, has not let you write to it.",
            stream_id=stream,
            owner=found.owner,
        )
    return members.connections_of(still_same(state, found.ordinal, found.target)) if found.target else members.everyone


def _authorized(stream: Stream) -> list[str]:
    """Return the participants that may write, the owner first (§3.10.8)."""
    return [stream.owner, *(name for name in stream.writers if name != stream.owner)]


def _described(stream: Stream) -> dict[str, Any]:
    """Return the gateway's own fields about a stream."""
    described: dict[str, Any] = {
        "stream_id": stream.id,
        "owner": stream.owner,
        "direction": stream.request["direction"],
        "created": timestamp(stream.created_at),
        "authorized_writers": _authorized(stream),
    }
    if stream.target:
        described["target"] = stream.target
    return described


def _entry(stream: Stream, viewing: Viewer) -> dict[str, Any]:
    # §3.8.1: every field of the request is kept, except those that only the gateway may set.
    if not viewing.sees(stream.ordinal, (*stream.to, stream.asker) if stream.to else None):
        return _described(stream)
    kept = {field: value for field, value in stream.request.items() if field not in _OURS}
    return {**_described(stream), **kept}


def _concerned(state: State, members: Members, stream: Stream) -> tuple[str, ...]:
    """Return the participants that learn of a stream's beginning and end: those that get or write its frames."""
    if not stream.target:
        return tuple(members.names)
    return (*still_same(state, stream.ordinal, stream.target), *stream.writers)


def _among(ctx: HandlerContext, stream: Stream, *names: str) -> tuple[str, ...]:
    """Return the participants that the gateway informs about a stream; none: all."""
    return (stream.owner, *names, *_concerned(ctx.state, ctx.members, stream)) if stream.target else ()


def _reason(ctx: HandlerContext, envelope: Envelope, reason: str | None) -> str | None:
    """Return the reason for the announcement; None if the envelope is addressed, as its recipients have it."""
    return None if envelope.to and ctx.state.settings.routing == "addressed" else reason


def _is_visible(state: State, members: Members, stream: Stream, viewing: Viewer) -> bool:
    """Return true if the participant learns of the stream. For others it does not exist."""
    if viewing.sees_all_now:
        return True
    return viewing.name == stream.owner or viewing.name in _concerned(state, members, stream)


def _tell_writers(
    ctx: HandlerContext, kind: str, stream: Stream, name: str, *, reason: str | None, correlation: tuple[str, ...]
) -> None:
    change: dict[str, Any] = {
        "stream_id": stream.id,
        "participant_id": name,
        "authorized_writers": _authorized(stream),
    }
    if reason is not None:
        change["reason"] = reason
    ctx.broadcast(kind, change, correlation=correlation, among=_among(ctx, stream, name))


def _find(ctx: HandlerContext, envelope: Envelope, id: str) -> Stream:
    stream = ctx.state.streams.get(id)
    if stream is None or not _is_visible(ctx.state, ctx.members, stream, ctx.viewer(envelope.sender)):
        raise _unknown(id)
    return stream


def _named(ctx: HandlerContext, envelope: Envelope, id: str | None) -> Stream:
    """Return the stream of that id, or the newest that the envelope correlates to; the sender's own before others'.

    Ids of requests are used again: one id may have asked for several streams.
    """
    if id is not None:
        return _find(ctx, envelope, id)
    ids = envelope.correlation_id or ()
    state, viewing = ctx.state, ctx.viewer(envelope.sender)
    named = [stream for stream in state.streams.values() if stream.requested_by in ids or stream.opened_by in ids]
    named = [stream for stream in named if _is_visible(state, ctx.members, stream, viewing)]
    if not named:
        raise Rejected("stream_not_found", "Neither `stream_id` nor `correlation_id` names an open stream.")
    return ([stream for stream in named if stream.owner == envelope.sender] or named)[-1]


def _unknown(id: str) -> Rejected:
    return Rejected("stream_not_found", f"There is no open stream {id!r} here.", stream_id=id)


def _check_owner(stream: Stream, name: str) -> None:
    if stream.owner != name:
        raise Rejected(
            "unauthorized",
            f"The stream {stream.id} belongs to {stream.owner}.",
            stream_id=stream.id,
            owner=stream.owner,
        )


def _may_come(ctx: HandlerContext, name: str) -> bool:
    return ctx.members.knows(name) and name not in ctx.state.kicked


def _check_known(ctx: HandlerContext, name: str) -> None:
    if not _may_come(ctx, name):
        raise Rejected("participant_not_found", f"Nobody here is called {name!r}.", participants=[name])


def _check_target(ctx: HandlerContext, target: tuple[str, ...]) -> None:
    unknown = [name for name in target if not _may_come(ctx, name)]
    if unknown:
        raise Rejected(
            "target_not_found", f"Nobody here is called {', '.join(map(repr, unknown))}.", participants=unknown
        )


def _check_room(state: State, name: str, more: dict[str, Any]) -> None:
    limit = state.settings.bounds.open_streams
    asker = viewer(state, name)
    asked = (stream for stream in state.streams.values() if stream.asker == name and asker.was_here(stream.ordinal))
    owned = [stream.request for stream in asked]
    if len(owned) >= limit:
        raise Rejected(
            "too_many_streams", f"{limit} streams that {name} asked for are open, the most allowed.", limit=limit
        )
    if owned and sum(len(msgspec.json.encode(one)) for one in (*owned, more)) > _LARGEST_TOGETHER:
        raise Rejected(
            "too_many_streams",
            f"The open streams that {name} asked for would be described by more than {_LARGEST_TOGETHER} bytes.",
            limit_bytes=_LARGEST_TOGETHER,
        )
