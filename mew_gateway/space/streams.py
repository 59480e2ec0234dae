"""Streams: opened for their owner, written by whom it lets, closed with it (§3.10; docs/protocol.md §4)."""

from __future__ import annotations

from typing import Any

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope, timestamp
from mew_gateway.protocol.payloads import StreamClose, StreamRequest, StreamTransfer, StreamWriter

from . import grace
from .handler_context import Turn
from .members import Members
from .state import State, Stream
from .visibility import Viewer, same, viewer

_LARGEST = 16_384  # bytes of a `stream/request`: every welcome carries its payload (§3.8.1)
_LARGEST_TOGETHER = 65_536  # bytes of the payloads that one owner's open streams were asked for with
_OURS = ("stream_id", "owner", "direction", "created", "target", "authorized_writers")


def request(turn: Turn, envelope: Envelope, payload: StreamRequest, data: bytes) -> None:
    """`stream/request` (§3.10.1): answered with `stream/open`, which names the stream."""
    state, owner = turn.state, envelope.sender
    target = tuple(dict.fromkeys(payload.target or ()))
    if len(data) > _LARGEST:
        raise Rejected(
            "invalid_payload",
            f"stream/request: more than {_LARGEST} bytes, which every welcome would carry - at `$.payload`",
        )
    _check_target(turn, target)
    _check_room(state, owner, envelope.payload or {})
    turn.forward(envelope, data)
    state.streamed += 1
    stream = Stream(
        id=f"stream-{state.streamed}",
        ordinal=state.next_ordinal(),
        asker=owner,
        to=tuple(envelope.to or ()),
        owner=owner,
        request=envelope.payload or {},
        created_at=turn.now,
        requested_by=envelope.id,
        opened_by="",
        target=target,
    )
    state.streams[stream.id] = stream
    stream.opened_by, _ = turn.announce(
        "stream/open",
        {**_described(stream), "encoding": "binary"},
        to=(owner,),
        correlation=(envelope.id,),
        also=_concerned(turn.state, turn.members, stream),
    )


def close(turn: Turn, envelope: Envelope, payload: StreamClose, data: bytes) -> None:
    """`stream/close` (§3.10.4): no frame of it is let through from here on.

    Of an addressed one, the others whom the stream concerns are told by the gateway.
    """
    stream = _named(turn, envelope, payload.stream_id)
    _check_owner(stream, envelope.sender)
    del turn.state.streams[stream.id]
    turn.forward(envelope, data)
    if not envelope.to or turn.state.settings.routing == "visible":
        return
    shown = (envelope.sender, *envelope.to, *turn.members.observers)
    others = tuple(name for name in _concerned(turn.state, turn.members, stream) if name not in shown)
    if others:  # the words are not for them, the end is
        turn.inform(others, "stream/close", {"stream_id": stream.id}, correlation=(stream.opened_by,))


def grant_write(turn: Turn, envelope: Envelope, payload: StreamWriter, data: bytes) -> None:
    """`stream/grant-write` (§3.10.5): one more may write. Said twice it is acknowledged twice."""
    stream, name = _find(turn, envelope, payload.stream_id), payload.participant_id
    _check_owner(stream, envelope.sender)
    _check_known(turn, name)
    turn.forward(envelope, data)
    if name not in stream.writers:
        stream.writers.append(name)
    reason = _reason(turn, envelope, payload.reason)
    _tell_writers(turn, "stream/write-granted", stream, name, reason=reason, correlation=(envelope.id,))


def revoke_write(turn: Turn, envelope: Envelope, payload: StreamWriter, data: bytes) -> None:
    """`stream/revoke-write` (§3.10.6). Of somebody who may not write it is acknowledged all the same."""
    stream, name = _find(turn, envelope, payload.stream_id), payload.participant_id
    _check_owner(stream, envelope.sender)
    if name == stream.owner:
        raise Rejected("invalid_operation", f"{name} owns {stream.id} and may always write to it.", stream_id=stream.id)
    if name not in stream.writers:
        _check_known(turn, name)
    turn.forward(envelope, data)
    if name in stream.writers:
        stream.writers.remove(name)
    reason = _reason(turn, envelope, payload.reason)
    _tell_writers(turn, "stream/write-revoked", stream, name, reason=reason, correlation=(envelope.id,))


def transfer(turn: Turn, envelope: Envelope, payload: StreamTransfer, data: bytes) -> None:
    """`stream/transfer-ownership` (§3.10.7): who had it keeps write access only if it was granted before."""
    new = payload.new_owner
    stream = _find(turn, envelope, payload.stream_id)
    _check_owner(stream, envelope.sender)
    _check_known(turn, new)
    turn.forward(envelope, data)
    previous, stream.owner = stream.owner, new
    if not turn.members.connections(new):
        grace.begin(turn, new)
    told: dict[str, Any] = {
        "stream_id": stream.id,
        "previous_owner": previous,
        "new_owner": new,
        "authorized_writers": _authorized(stream),
    }
    if (reason := _reason(turn, envelope, payload.reason)) is not None:
        told["reason"] = reason
    among = _among(turn, stream, previous)
    turn.broadcast("stream/ownership-transferred", told, correlation=(envelope.id,), among=among)


def left(turn: Turn, name: str) -> None:
    """A participant is gone: its streams are closed, its rights to write to others' end."""
    state = turn.state
    for stream in list(state.streams.values()):
        if stream.owner == name:
            del state.streams[stream.id]
            ended = {"stream_id": stream.id, "reason": "owner_left"}
            among = _among(turn, stream)
            turn.broadcast("stream/close", ended, correlation=(stream.opened_by,), among=among)
        elif name in stream.writers:
            stream.writers.remove(name)
            _tell_writers(turn, "stream/write-revoked", stream, name, reason="writer_left", correlation=())


def listed(turn: Turn, name: str) -> list[dict[str, Any]]:
    """The `active_streams` of a participant's welcome (§3.8.1): each with what it was asked for with, and what we know
    of it."""
    state, asking = turn.state, turn.viewer(name)
    return [
        _entry(stream, asking) for stream in state.streams.values() if _is_told(state, turn.members, stream, asking)
    ]


def owns(state: State, name: str) -> bool:
    """Whether the participant has an open stream."""
    return any(stream.owner == name for stream in state.streams.values())


def recipients(state: State, members: Members, participant: str, stream: str) -> tuple[int, ...]:
    """Where a frame of the participant's goes: the stream's targets or, without any, everybody, the writer too.

    Raises `Rejected`: `stream_not_found`, `unauthorized_stream_write`.
    """
    found = state.streams.get(stream)
    if found is None:
        raise _unknown(stream)
    if participant != found.owner and participant not in found.writers:
        if not _is_told(state, members, found, viewer(state, participant)):
            raise _unknown(stream)
        raise Rejected(
            "unauthorized_stream_write",
            f"{found.owner}, the owner of {stream}, has not let you write to it.",
            stream_id=stream,
            owner=found.owner,
        )
    return members.connections_of(same(state, found.ordinal, found.target)) if found.target else members.everyone


def _authorized(stream: Stream) -> list[str]:
    """Who may write, the owner first (§3.10.8)."""
    return [stream.owner, *(name for name in stream.writers if name != stream.owner)]


def _described(stream: Stream) -> dict[str, Any]:
    """What the gateway itself says about a stream."""
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


def _entry(stream: Stream, asking: Viewer) -> dict[str, Any]:
    # §3.8.1: every field of the request is kept, but none that says what only the gateway knows.
    if not asking.sees(stream.ordinal, stream.created_at, (*stream.to, stream.asker) if stream.to else None):
        return _described(stream)
    kept = {field: value for field, value in stream.request.items() if field not in _OURS}
    return {**_described(stream), **kept}


def _concerned(state: State, members: Members, stream: Stream) -> tuple[str, ...]:
    """Who hears of a stream's beginning and end, whatever the routing: those who get or write its frames."""
    if not stream.target:
        return tuple(members.names)
    return (*same(state, stream.ordinal, stream.target), *stream.writers)


def _among(turn: Turn, stream: Stream, *names: str) -> tuple[str, ...]:
    """Whom the gateway tells what happens to a stream: everybody, unless it has targets."""
    return (stream.owner, *names, *_concerned(turn.state, turn.members, stream)) if stream.target else ()


def _reason(turn: Turn, envelope: Envelope, reason: str | None) -> str | None:
    """The reason as everybody is told it: whom an addressed one is for has the envelope itself."""
    return None if envelope.to and turn.state.settings.routing == "addressed" else reason


def _is_told(state: State, members: Members, stream: Stream, asking: Viewer) -> bool:
    """Whether somebody hears of a stream, as if it had been here at its beginning. For others there is none."""
    if asking.observes or state.visible_since is not None:
        return True
    return asking.name == stream.owner or asking.name in _concerned(state, members, stream)


def _tell_writers(
    turn: Turn, kind: str, stream: Stream, name: str, *, reason: str | None, correlation: tuple[str, ...]
) -> None:
    told: dict[str, Any] = {
        "stream_id": stream.id,
        "participant_id": name,
        "authorized_writers": _authorized(stream),
    }
    if reason is not None:
        told["reason"] = reason
    turn.broadcast(kind, told, correlation=correlation, among=_among(turn, stream, name))


def _find(turn: Turn, envelope: Envelope, id: str) -> Stream:
    stream = turn.state.streams.get(id)
    if stream is None or not _is_told(turn.state, turn.members, stream, turn.viewer(envelope.sender)):
        raise _unknown(id)
    return stream


def _named(turn: Turn, envelope: Envelope, id: str | None) -> Stream:
    """The stream of that id, or the newest whose request or opening is correlated to, the sender's own before others'.

    Ids of requests come back: the same one may have asked for several streams.
    """
    if id is not None:
        return _find(turn, envelope, id)
    ids = envelope.correlation_id or ()
    state, asking = turn.state, turn.viewer(envelope.sender)
    named = [stream for stream in state.streams.values() if stream.requested_by in ids or stream.opened_by in ids]
    named = [stream for stream in named if _is_told(state, turn.members, stream, asking)]
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


def _may_come(turn: Turn, name: str) -> bool:
    return turn.members.knows(name) and name not in turn.state.kicked


def _check_known(turn: Turn, name: str) -> None:
    if not _may_come(turn, name):
        raise Rejected("participant_not_found", f"Nobody here is called {name!r}.", participants=[name])


def _check_target(turn: Turn, target: tuple[str, ...]) -> None:
    unknown = [name for name in target if not _may_come(turn, name)]
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
