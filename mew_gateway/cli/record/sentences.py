"""Sentences for kinds that belong to no sequence: grants, controls, streams, invitations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from rich.text import Text

from mew_gateway.protocol.envelope import Envelope

from ..printing.ids import short
from ..printing.moment import clock, duration
from ..printing.terminal import clean, one_line

_POSITIVE = "green"
_NEGATIVE = "red"
_WARNING = "yellow"


class Sentence(NamedTuple):
    """A mark, and what the sender does."""

    mark: str
    text: Text
    style: str | None = None


Formatter: TypeAlias = Callable[[Envelope], Sentence]


def _withdraw(envelope: Envelope) -> Sentence:
    return Sentence("−", _with_reason(f"withdraws its proposal {_references(envelope)}", envelope), "dim")


def _reject(envelope: Envelope) -> Sentence:
    text = _with_reason(f"rejects the proposal {_references(envelope)}", envelope)
    message = _field(envelope, "message")
    return Sentence("✗", text.append(f" – {message}") if message else text, _NEGATIVE)


def _acknowledge(envelope: Envelope) -> Sentence:
    status = _field(envelope, "status")
    return Sentence("✓", Text(f"has seen {_references(envelope)}{f' ({status})' if status else ''}"), "dim")


def _cancel_chat(envelope: Envelope) -> Sentence:
    return Sentence("−", _with_reason(f"says that {_references(envelope)} needs nobody any more", envelope), "dim")


def _grant(envelope: Envelope) -> Sentence:
    until = _field(envelope, "expires_at")
    text = f"lets {_field(envelope, 'recipient')} send {_patterns(envelope)}{f' until {clock(until)}' if until else ''}"
    return Sentence("+", Text.assemble(_with_reason(text, envelope), _id(envelope)), _POSITIVE)


def _revoke(envelope: Envelope) -> Sentence:
    grant = (envelope.payload or {}).get("grant_id")
    what = f"the grant {short(str(grant))}" if grant else _patterns(envelope)
    return Sentence("−", _with_reason(f"takes {what} from {_field(envelope, 'recipient')}", envelope), _NEGATIVE)


def _grant_ack(envelope: Envelope) -> Sentence:
    return Sentence("✓", Text(f"has seen the grant {_references(envelope)}"), "dim")


def _invite(envelope: Envelope) -> Sentence:
    given = (envelope.payload or {}).get("initial_capabilities")
    may = f", who may send {_patterns(envelope, 'initial_capabilities')}" if given else ""
    return Sentence("+", _with_reason(f"invites {_field(envelope, 'participant_id')}{may}", envelope), _POSITIVE)


def _invite_ack(envelope: Envelope) -> Sentence:
    how = "may come back" if _field(envelope, "status") == "readmitted" else "has a token now"
    return Sentence("+", Text(f"{_field(envelope, 'participant_id')} {how}"), _POSITIVE)


def _kick(envelope: Envelope) -> Sentence:
    return Sentence("−", _with_reason(f"sends {_field(envelope, 'participant_id')} out", envelope), f"bold {_NEGATIVE}")


def _pause(envelope: Envelope) -> Sentence:
    seconds = (envelope.payload or {}).get("timeout_seconds")
    for_ = f" for {duration(round(seconds * 1000))}" if isinstance(seconds, int | float) else ""
    return Sentence(
        "‖", Text.assemble(_with_reason(f"pauses {_to(envelope)}{for_}", envelope), _id(envelope)), _WARNING
    )


def _status(envelope: Envelope) -> Sentence:
    metrics = ", ".join(f"{one_line(name)} {one_line(value)}" for name, value in (envelope.payload or {}).items())
    return Sentence("·", Text(f"says how it stands: {metrics or 'nothing'}"))


def _control(what: str) -> Formatter:
    def sentence(envelope: Envelope) -> Sentence:
        return Sentence("‖", _with_reason(f"asks {_to(envelope)} to {what}", envelope), _WARNING)

    return sentence


def _compacted(envelope: Envelope) -> Sentence:
    payload = envelope.payload or {}
    if payload.get("skipped"):
        return Sentence("·", _with_reason("had nothing to compact", envelope))
    freed = [
        f"{payload[key]} {key.removeprefix('freed_')}" for key in ("freed_tokens", "freed_messages") if key in payload
    ]
    return Sentence("·", Text("has compacted" + (f": {one_line(', '.join(freed))}" if freed else "")))


def _stream_request(envelope: Envelope) -> Sentence:
    return Sentence("≈", Text(f"asks for a stream{_stream_details(envelope)}"), "dim")


def _stream_open(envelope: Envelope) -> Sentence:
    text = f"{_stream(envelope)} of {_field(envelope, 'owner') or _to(envelope)} is open{_stream_details(envelope)}"
    return Sentence("≈", Text(text), _POSITIVE)


def _stream_close(envelope: Envelope) -> Sentence:
    return Sentence("≈", _with_reason(f"closes {_stream(envelope)}", envelope), _NEGATIVE)


def _writer(what: str, style: str | None = None) -> Formatter:
    def sentence(envelope: Envelope) -> Sentence:
        who = _field(envelope, "participant_id") or _field(envelope, "new_owner")
        return Sentence("≈", _with_reason(what.format(who=who, stream=_stream(envelope)), envelope), style)

    return sentence


SENTENCES: dict[str, Formatter] = {
    "mcp/withdraw": _withdraw,
    "mcp/reject": _reject,
    "chat/acknowledge": _acknowledge,
    "chat/cancel": _cancel_chat,
    "capability/grant": _grant,
    "capability/revoke": _revoke,
    "capability/grant-ack": _grant_ack,
    "space/invite": _invite,
    "space/invite-ack": _invite_ack,
    "space/kick": _kick,
    "participant/pause": _pause,
    "participant/status": _status,
    "participant/request-status": _control("say how it stands"),
    "participant/forget": _control("forget something"),
    "participant/compact": _control("compact what it remembers"),
    "participant/compact-done": _compacted,
    "participant/clear": _control("forget everything"),
    "participant/restart": _control("begin anew"),
    "participant/shutdown": _control("shut down"),
    "stream/request": _stream_request,
    "stream/open": _stream_open,
    "stream/close": _stream_close,
    "stream/grant-write": _writer("lets {who} write to {stream}", _POSITIVE),
    "stream/revoke-write": _writer("lets {who} no more write to {stream}", _NEGATIVE),
    "stream/transfer-ownership": _writer("gives {stream} to {who}"),
    "stream/write-granted": _writer("{who} may write to {stream}", "dim"),
    "stream/write-revoked": _writer("{who} may not write to {stream} any more", "dim"),
    "stream/ownership-transferred": _writer("{stream} belongs to {who}", "dim"),
}


def resume(envelope: Envelope, halted: Mapping[str, Sequence[str]]) -> Sentence:
    """Return the sentence of a resume, with the addressees that it leaves `halted`, by which emergencies."""
    if not halted:
        which = f" ({_references(envelope)})" if envelope.correlation_id else ""
        return Sentence("▶", _with_reason(f"lets {_to(envelope)} go on{which}", envelope), _POSITIVE)
    what = _references(envelope) if envelope.correlation_id else "every pause"
    left = ", ".join(f"{one_line(name)} ({', '.join(map(short, ids))})" for name, ids in halted.items())
    text = _with_reason(f"lifts {what} of {_to(envelope)}", envelope)
    return Sentence("‖", Text.assemble(text, f"; still halted: {left}"), _WARNING)


def _with_reason(what: str, envelope: Envelope) -> Text:
    """Return a sentence, with the reason that was given for it."""
    reason = _field(envelope, "reason")
    return Text(f"{what}: {reason}" if reason else what)


def _field(envelope: Envelope, name: str) -> str:
    value = (envelope.payload or {}).get(name)
    return "" if value is None else one_line(value)


def _to(envelope: Envelope) -> str:
    return ", ".join(map(one_line, envelope.to or ())) or "all"


def _references(envelope: Envelope) -> str:
    return ", ".join(map(short, envelope.correlation_id or ())) or "?"


def _id(envelope: Envelope) -> tuple[str, str]:
    return f"  {short(envelope.id)}", "dim"


def _stream(envelope: Envelope) -> str:
    return _field(envelope, "stream_id") or "a stream"


def _stream_details(envelope: Envelope) -> str:
    text = [_field(envelope, name) for name in ("content_type", "description")]
    text += [f"for {_names(envelope)}"] if _names(envelope) else []
    return f" ({', '.join(filter(None, text))})" if any(text) else ""


def _names(envelope: Envelope) -> str:
    target = (envelope.payload or {}).get("target")
    return ", ".join(map(one_line, target)) if isinstance(target, list) else ""


def _patterns(envelope: Envelope, field: str = "capabilities") -> str:
    """Return the capabilities of a payload, on one line."""
    given = (envelope.payload or {}).get(field)
    return ", ".join(map(_pattern, given)) if isinstance(given, list) and given else "something"


def _pattern(capability: Any) -> str:
    if isinstance(capability, dict) and list(capability) == ["kind"] and isinstance(capability["kind"], str):
        return one_line(capability["kind"])
    return one_line(clean(json.dumps(capability, ensure_ascii=False)))
