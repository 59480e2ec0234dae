"""Codec: bytes to envelopes and back. All that docs/protocol.md §2 refuses is refused here, with a code and a path.

A frame is forwarded byte for byte if it is a complete envelope. So `receive` has a fast way, on which a frame is
decoded once and not encoded, and a slow way (`_receive_incomplete`), which seals: it adds missing fields, makes scalar
references arrays, and replaces aliases (`Sealer`).

The hard part is what a decoder does not report: a key that stands twice, an optional field that is null, an integer
beyond 64 bits. The fast way proves their absence by counting: every pair of an object has one colon outside strings. So
if the colons outside the decoded strings equal the decoded pairs, no pair was lost (`_is_unambiguous`,
`_has_all_keys`). Only if the count fails, the frame is parsed again by a slower decoder.

Decoding may be slow for hostile input. `count_tokens` estimates its cost beforehand, for the rate limit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import msgspec

from mew_gateway.errors import Rejected

from .allowed_values import with_choices
from .envelope import PROTOCOL, Envelope, timestamp
from .ids import MAX_ENVELOPE_ID
from .kinds import Kind
from .payloads import Payload


class _IdAndKind(msgspec.Struct):
    id: str | None = None
    kind: str = ""


class _Addresses(msgspec.Struct):
    sender: str = msgspec.field(name="from")
    to: list[str] = []


_id_and_kind_decoder = msgspec.json.Decoder(_IdAndKind)
_addresses_decoder = msgspec.json.Decoder(_Addresses)
_typed = msgspec.json.Decoder(Envelope)
_untyped = msgspec.json.Decoder()
_top = msgspec.json.Decoder(dict[str, msgspec.Raw])
_encoder = msgspec.json.Encoder()
_packer = msgspec.msgpack.Encoder()

_OPTIONAL = ("to", "correlation_id", "context", "payload")
_FIELDS = {field.encode_name for field in msgspec.structs.fields(Envelope)}
# Kinds that `validation: off` leaves unchecked: the gateway reads nothing of their payload.
_UNREAD = ("chat", "chat/acknowledge", "chat/cancel", "mcp/withdraw")

_REQUIRED = (b'"protocol"', b'"ts"', b'"from"', b'"id"', b'"kind"')
_LARGE = 4_096  # bytes of an envelope that is checked for its fields before it is decoded

# The shape of numbers, to search for: each digit is 0, an exponent has a small e and no sign.
_SHAPE = bytes.maketrans(b"123456789E", b"000000000e")
_LONG_INT = b"0" * 19  # shorter integers fit 64 bits
_LONG_NUMBER, _LONG_NUMBER_TOKENS = b"0" * 20, 10  # the cost of each 20 digits in a row
_EXTREME, _EXTREME_TOKENS = b"0e000", 50  # an exponent of three digits: msgspec takes 10 µs for such a number
_ESCAPES = 8  # escapes in strings that cost one token
_FEW, _SHORT = 32, 8_192  # tokens and bytes of an envelope that cannot be slow to decode
_DOUBTFUL = 4_096  # tokens for numbers; more may be in strings, which has to be checked
_NAMED = 16_384  # bytes of an envelope in which a duplicate key is searched for, to name it


class Sealer:
    """Completes what a sender left out. `new_id` returns an id, `sender` is the participant of the connection.

    `alias` is the connection's own alias; `aliases` maps each live alias of the space to its participant, so that a
    sealed envelope names participants only (docs/protocol.md §1).
    """

    __slots__ = ("alias", "aliases", "new_id", "sender")

    def __init__(
        self,
        *,
        sender: str,
        new_id: Callable[[], str],
        alias: str | None = None,
        aliases: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.sender = sender
        self.new_id = new_id
        self.alias = alias
        self.aliases = aliases

    def resolves(self, envelope: Envelope) -> bool:
        """Return true if a complete envelope names an alias."""
        if envelope.sender == self.alias:
            return True
        return envelope.to is not None and bool(self.aliases) and any(name in self.aliases for name in envelope.to)

    def seal(self, document: dict[str, Any], now: int) -> dict[str, Any]:
        """Return the document as a complete envelope.

        `protocol`, `id`, `ts` and `from` are present, scalar references are arrays, no optional field is null, and
        aliases are replaced by participants.
        """
        sealed = {"protocol": PROTOCOL, **document}
        for field in _OPTIONAL:
            if field in sealed and sealed[field] is None:
                del sealed[field]
        if "id" not in sealed:
            sealed["id"] = self.new_id()
        if "ts" not in sealed:
            sealed["ts"] = timestamp(now)
        if sealed.setdefault("from", self.sender) == self.alias is not None:
            sealed["from"] = self.sender
        for field in ("to", "correlation_id"):
            if isinstance(sealed.get(field), str):
                sealed[field] = [sealed[field]]
        if self.aliases and isinstance(sealed.get("to"), list):
            sealed["to"] = self._resolved(sealed["to"])
        return sealed

    def _resolved(self, to: list[Any]) -> list[Any]:
        """Return the recipients without aliases, each once if there was one.

        Non-strings are left for the types to refuse.
        """
        if not all(isinstance(name, str) for name in to) or not any(name in self.aliases for name in to):
            return to
        return list(dict.fromkeys(self.aliases.get(name, name) for name in to))


def receive(data: bytes, sealer: Sealer, *, now: int, depth: int = 64) -> tuple[Envelope, bytes]:
    """Return the envelope in a frame, and the bytes to journal and forward: the sender's own if it was complete.

    Raises `Rejected` with `invalid_json`, `invalid_number`, `too_deep`, `duplicate_key` or `invalid_envelope`.
    """
    if len(data) > _LARGE and not all(name in data for name in _REQUIRED):  # else it would be decoded twice
        return _receive_incomplete(data, sealer, now, depth)
    try:
        envelope = _typed.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _receive_incomplete(data, sealer, now, depth)
    if sealer.resolves(envelope):
        return _receive_incomplete(data, sealer, now, depth)
    if _is_unambiguous(envelope, data):
        return envelope, data
    if b"null" in data:  # perhaps an optional field that is null: it is sealed away
        return _receive_incomplete(data, sealer, now, depth)
    document = {field: value for field, value in msgspec.structs.asdict(envelope).items() if value is not None}
    _check_keys(data, document, depth, envelope.id)
    _check_numbers(data, envelope.payload, envelope.id)
    return envelope, data


def count_tokens(data: bytes, *, most: int) -> int:
    """Estimate the cost of decoding a message, in tokens of JSON, at 0.2 µs each: its brackets, commas and colons.

    Slow items count as several tokens: numbers with exponents of three digits or with many digits, and escapes in
    strings. Marks inside strings count too if that is little, and not if the sum would exceed `most`. Counting takes 2
    to 10 ms a megabyte.
    """
    tokens = _count_marks(data)
    if tokens <= _FEW and len(data) <= _SHORT:
        return tokens
    tokens += (escapes := data.count(b"\\") // _ESCAPES)
    if tokens <= most and (numbers := _slow_numbers(data)) <= _DOUBTFUL and tokens + numbers <= most:
        return tokens + numbers
    unescaped = _unescaped(data)
    strings = unescaped.count(b'"') // 2
    if strings > most:
        return strings
    outside = b"".join(unescaped.split(b'"')[::2])
    return _count_marks(outside) + _slow_numbers(outside) + escapes


def peek(data: bytes) -> tuple[str | None, str]:
    """Return the id and the kind in a message without decoding the rest; None and "" if they cannot be read."""
    try:
        head = _id_and_kind_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None, ""
    return head.id if head.id is not None and 0 < len(head.id) <= MAX_ENVELOPE_ID else None, head.kind


def _count_marks(data: bytes) -> int:
    return data.count(b"{") + data.count(b"[") + data.count(b",") + data.count(b":")


def _slow_numbers(data: bytes) -> int:
    shape = data.translate(_SHAPE, b"+-")
    return _EXTREME_TOKENS * shape.count(_EXTREME) + _LONG_NUMBER_TOKENS * shape.count(_LONG_NUMBER)


def _unescaped(data: bytes) -> bytes:
    if b"\\\\" in data:
        data = data.replace(b"\\\\", b"")
    return data.replace(b'\\"', b"") if b"\\" in data else data


def _outside_strings(data: bytes) -> bytes:
    """Return the part of a JSON document that is outside its strings."""
    return b"".join(_unescaped(data).split(b'"')[::2])


def names_in(data: bytes) -> frozenset[str]:
    """Return the names in `from` and `to` of an envelope."""
    found = _addresses_decoder.decode(data)
    return frozenset((found.sender, *found.to))


def rename(data: bytes, name: str, alias: str) -> bytes:
    """Return an envelope with `alias` in place of `name` in `from` and `to`. All other bytes of the fields stay.

    It is the same object if `name` does not occur.
    """
    fields = _top.decode(data)
    sender, to = _untyped.decode(fields["from"]), _untyped.decode(fields.get("to", b"[]"))
    if sender != name and name not in to:
        return data
    if sender == name:
        fields["from"] = msgspec.Raw(_encoder.encode(alias))
    if name in to:
        fields["to"] = msgspec.Raw(_encoder.encode([alias if one == name else one for one in to]))
    return _encoder.encode(fields)


def reread(data: bytes) -> Envelope:
    """Return the envelope in bytes that `receive` accepted.

    Unknown fields are skipped. Raises `msgspec.MsgspecError`.
    """
    try:
        return _typed.decode(data)
    except msgspec.ValidationError:
        return _convert(_untyped.decode(data))


def payload_of(envelope: Envelope, kind: Kind, *, strict: bool = True) -> Payload:
    """Return the envelope's payload as the type of its kind.

    Raises `Rejected` `invalid_payload` with the path of the fault.

    `strict` False is `validation: off`: a kind that the gateway does not act on passes unchecked.
    """
    if not strict and envelope.kind in _UNREAD:
        return Payload()
    try:
        return msgspec.convert(envelope.payload or {}, kind.payload)
    except msgspec.ValidationError as error:
        fault = with_choices(error, _schema(kind.payload)).replace("`$", "`$.payload")
        if "$" not in fault:
            fault += " - at `$.payload`"
        raise Rejected("invalid_payload", f"{envelope.kind}: {fault}", correlation=envelope.id) from None


@cache
def _schema(payload: type[Payload]) -> dict[str, Any]:
    """The JSON Schema of the payloads of a kind."""
    (reference,), components = msgspec.json.schema_components([payload], ref_template="#/$defs/{name}")
    return {**reference, "$defs": components}


def encode(
    *,
    id: str,
    now: int,
    sender: str,
    kind: str,
    payload: dict[str, Any],
    to: tuple[str, ...] = (),
    correlation_id: tuple[str, ...] = (),
) -> bytes:
    """The bytes of an envelope of our own making. `now` is in milliseconds since the epoch."""
    document: dict[str, Any] = {
        "protocol": PROTOCOL,
        "id": id,
        "ts": timestamp(now),
        "from": sender,
        "kind": kind,
    }
    if to:
        document["to"] = to
    if correlation_id:
        document["correlation_id"] = correlation_id
    document["payload"] = payload
    return _encoder.encode(document)


def _receive_incomplete(data: bytes, sealer: Sealer, now: int, depth: int) -> tuple[Envelope, bytes]:
    """Take an incomplete, unusual or invalid frame: refuse it with its fault, or seal it."""
    document = _parse(data)
    if not isinstance(document, dict):
        raise Rejected("invalid_json", "A frame must be one JSON object: an envelope.")
    known = document.get("id")
    correlation = known if isinstance(known, str) and 0 < len(known) <= 200 else None
    _check_keys(data, document, depth, correlation)
    _check_numbers(data, document, correlation)
    sealed = sealer.seal(document, now)
    try:
        envelope = _convert(sealed)
    except msgspec.ValidationError as error:
        raise Rejected("invalid_envelope", _explain(error), correlation=correlation) from None
    return envelope, data if sealed == document else _encoder.encode(sealed)


def _parse(data: bytes) -> Any:
    try:
        return _untyped.decode(data)
    except RecursionError:
        raise Rejected("too_deep", "The JSON is nested deeper than any envelope may be.") from None
    except UnicodeDecodeError as error:
        raise Rejected("invalid_json", f"A string is not UTF-8: {error.reason}.") from None
    except msgspec.ValidationError as error:
        raise Rejected("invalid_number", f"{error}.") from None
    except msgspec.DecodeError as error:
        raise Rejected("invalid_json", f"{error}.") from None


def _convert(document: Any) -> Envelope:
    known = {k: v for k, v in document.items() if k in _FIELDS} if isinstance(document, dict) else document
    return msgspec.convert(known, Envelope)


def _explain(error: msgspec.ValidationError) -> str:
    text = str(error)
    if "protocol" in text and "Invalid enum" in text:
        return f"{text}; this gateway speaks {PROTOCOL} and mew/v0.3."
    return f"{text}."


def _is_unambiguous(envelope: Envelope, data: bytes) -> bool:
    """Return true if an envelope is flat, and a count shows that nothing was lost: no key twice, no optional null.

    Every pair has one colon outside strings. Without a backslash, the colons inside strings are those of the decoded
    strings: if the rest equals the number of decoded keys, no key was lost.
    """
    pairs = 5 + (envelope.to is not None) + (envelope.correlation_id is not None) + (envelope.context is not None)
    payload = envelope.payload
    if payload is not None:
        pairs += 1 + len(payload)
        for value in payload.values():
            if type(value) is not str and value is not None and type(value) is not bool:
                return False
    if b"\\" in data:
        return False
    left = data.count(b":") - pairs - envelope.ts.count(":")
    return left == 0 or left == _colons(envelope)


def _colons(envelope: Envelope) -> int:
    """Count the colons in the strings of a flat envelope, except in `ts`."""
    strings = [envelope.id, envelope.sender, envelope.kind, envelope.context or ""]
    strings += envelope.to or []
    strings += envelope.correlation_id or []
    strings += [value for value in (envelope.payload or {}).values() if isinstance(value, str)]
    return sum(string.count(":") for string in strings)


def _has_all_keys(data: bytes, document: dict[str, Any], pairs: int) -> bool:
    """Return true if the `pairs` that were decoded are all that were written: each has one colon outside strings."""
    inside = data.count(b":") - pairs
    if not inside:
        return True
    if b"\\u003" in data:  # a colon in a string may be written as an escape
        return _outside_strings(data).count(b":") == pairs
    ts = document.get("ts")
    if type(ts) is str and inside == ts.count(":"):  # the usual case
        return True
    return inside == _colons_in(document)


def _colons_in(document: dict[str, Any]) -> int:
    """Count the colons in all keys and strings of a document."""
    pending: list[Any] = [document]
    colons = 0
    while pending:
        value = pending.pop()
        if type(value) is dict:
            colons += sum(key.count(":") for key in value if ":" in key)
            value = value.values()
        for item in value:
            if type(item) is str:
                colons += item.count(":")
            elif type(item) is dict or type(item) is list:
                pending.append(item)
    return colons


def _check_keys(data: bytes, document: dict[str, Any], depth: int, correlation: str | None) -> None:
    """Raise `Rejected`: `too_deep`, or `duplicate_key` if fewer pairs were decoded than were written."""
    if _has_all_keys(data, document, _count_pairs(document, depth, correlation)):
        return
    if len(data) > _NAMED:
        raise Rejected("duplicate_key", "A key stands twice.", correlation=correlation)

    def unique(found: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in found]
        if len(set(keys)) != len(keys):
            counted = Counter(keys)  # `keys.count` for each would take minutes over a frame full of keys
            twice = next(key for key in keys if counted[key] > 1)
            raise Rejected("duplicate_key", f"The key {twice!r} stands twice.", correlation=correlation)

    json.loads(data, object_pairs_hook=unique, parse_float=str, parse_int=str)  # str: converting numbers may be slow


def _count_pairs(document: Any, limit: int, correlation: str | None) -> int:
    """Return the number of pairs in all objects of a document. Raises `Rejected` `too_deep`."""
    level, depth, pairs = [document], 0, 0
    while level:
        depth += 1
        if depth > limit:
            raise Rejected("too_deep", f"The JSON is nested more than {limit} levels deep.", correlation=correlation)
        inside: list[Any] = []
        for value in level:
            if type(value) is dict:
                pairs += len(value)
                inside += value.values()
            else:
                inside += value
        level = [value for value in inside if type(value) is dict or type(value) is list]
    return pairs


def _check_numbers(data: bytes, value: Any, correlation: str | None) -> None:
    """Refuse integers beyond 64 bits. MessagePack has none, and its encoder finds them faster than a search."""
    if _LONG_INT not in data.translate(_SHAPE):
        return
    try:
        _packer.encode(value)
    except OverflowError:
        raise Rejected("invalid_number", "An integer does not fit 64 bits.", correlation=correlation) from None
