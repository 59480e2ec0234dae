"""Whatever JSON comes in: it is refused with a code, or every reader of what is forwarded sees what the gateway saw."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from mew_gateway.errors import Rejected
from mew_gateway.protocol.codec import Sealer, encode, receive, reread
from mew_gateway.protocol.codes import ERRORS
from mew_gateway.protocol.envelope import Envelope

settings.register_profile(
    "codec", derandomize=True, deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)
PROFILE = settings.get_profile("codec")

FIELDS = ("protocol", "id", "ts", "from", "kind", "to", "correlation_id", "context", "payload")
REQUIRED = ("protocol", "id", "ts", "from", "kind")
_SPACE = st.sampled_from(["", "", "", " ", "\n", "\t\r "])
# Few characters, and those that count: colons, quotes, backslashes, two spellings of a key.
_TEXT = st.text(alphabet=':"\\/{[a\u00e9\u2603\U0001f600\n', max_size=4)


class Pairs(list[tuple[str, Any]]):
    """An object as it stands in the text: keys in order, twins included."""


@st.composite
def _strings(draw: st.DrawFn, text: str) -> str:
    """One of the many spellings of a string."""
    spelled = ""
    for character in text:
        plain = json.dumps(character, ensure_ascii=False)[1:-1]
        escaped = "".join(f"\\u{unit:04x}" for unit in _utf16(character))
        spelled += draw(st.sampled_from([plain, plain, plain, escaped]))
    return f'"{spelled}"'


def _utf16(character: str) -> list[int]:
    data = character.encode("utf-16-be")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


_numbers = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(json.dumps),
    st.sampled_from(["0", "-0", "1e5", "1E400", "-1e400", "1e-400", "01", "1.", "NaN", "18446744073709551616"]),
)


@st.composite
def _render(draw: st.DrawFn, value: Any) -> str:
    """A value as text, with white space and escapes wherever they may be."""

    def space() -> str:
        return draw(_SPACE)

    if isinstance(value, Pairs):
        pairs = (
            f"{space()}{draw(_strings(key))}{space()}:{space()}{draw(_render(item))}{space()}" for key, item in value
        )
        return "{" + ",".join(pairs) + space() + "}"
    if isinstance(value, list):
        return "[" + ",".join(f"{space()}{draw(_render(item))}{space()}" for item in value) + "]"
    if isinstance(value, str):
        return draw(_strings(value))
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return draw(_numbers)


class Number:
    """A place for a number, which is drawn as text."""


_leaves = st.one_of(_TEXT, st.booleans(), st.none(), st.builds(Number))
_objects = st.deferred(lambda: st.lists(st.tuples(_TEXT, _values), max_size=4).map(Pairs))
_values: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(_leaves, _leaves, _objects, st.lists(_values, max_size=3))
)

_FIELD_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "protocol": st.sampled_from([*["mew/v0.4"] * 10, *["mew/v0.3"] * 5, "mew/v1"]),
    "id": st.sampled_from([*["c1", "a:b", "ñ"] * 5, ""]),
    "ts": st.sampled_from(["2027-01-15T08:00:00Z", "now", ":"]),
    "from": st.sampled_from(["human", "h:n"]),
    "kind": st.sampled_from(["chat", "mcp/request", "a:b"]),
    "to": st.one_of(st.lists(st.sampled_from(["solver", ":"]), max_size=2), st.just("solver"), st.none()),
    "correlation_id": st.one_of(st.lists(st.sampled_from(["c0", "::"]), max_size=2), st.just("c0"), st.none()),
    "context": st.one_of(st.sampled_from(["r1", "r1/a:b"]), st.none()),
    "payload": st.one_of(*[_objects] * 6, st.none(), _values),
}


@st.composite
def _envelopes(draw: st.DrawFn) -> str:
    """An envelope as text: mostly complete, now and then with a field too few, a twin, an unknown field."""
    fields = [field for field in REQUIRED if draw(st.integers(0, 15)) != 7]
    fields += draw(st.lists(st.sampled_from([*FIELDS[5:], "payload", "payload"]), max_size=3, unique=True))
    if draw(st.integers(0, 3)) == 0:
        fields.append(draw(st.sampled_from(FIELDS)))
    pairs = Pairs((field, draw(_FIELD_VALUES[field])) for field in draw(st.permutations(fields)))
    if draw(st.integers(0, 7)) == 0:
        pairs.append((draw(_TEXT), draw(_values)))
    return draw(_SPACE) + draw(_render(pairs)) + draw(_SPACE)


def _take(data: bytes) -> tuple[Envelope, bytes] | str:
    """What came in, or the code it was refused with."""
    try:
        return receive(data, Sealer(sender="human", new_id=lambda: "drawn"), now=0)
    except Rejected as rejected:
        code = rejected.code
    assert code in ERRORS
    return code


class _Twins(Exception):
    pass


def _without_twins(found: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(found)) != len(found):
        raise _Twins
    return dict(found)


def _as_others_read(data: bytes | str) -> Any:
    """The document, as Python's own reader has it. Raises `_Twins`, or ValueError."""
    return json.loads(data, object_pairs_hook=_without_twins, parse_constant=lambda name: int(name))


def _fits(value: Any) -> bool:
    """Whether every number is one that the wire allows."""
    if isinstance(value, dict):
        return all(map(_fits, value.values()))
    if isinstance(value, list):
        return all(map(_fits, value))
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or -(2**63) <= value < 2**64


def _held(envelope: Envelope) -> dict[str, Any]:
    """What the gateway holds of an envelope, by its names on the wire; what is absent is left out."""
    values = (
        envelope.protocol,
        envelope.id,
        envelope.ts,
        envelope.sender,
        envelope.kind,
        envelope.to,
        envelope.correlation_id,
        envelope.context,
        envelope.payload,
    )
    return {field: value for field, value in zip(FIELDS, values, strict=True) if value is not None}


@PROFILE
@given(_envelopes())
def test_accepted_frame_decodes_as_in_other_parsers(text: str) -> None:
    data = text.encode()
    outcome = _take(data)
    if isinstance(outcome, str):
        return
    envelope, forwarded = outcome
    read = _as_others_read(forwarded)  # not even one key is lost, for there are no twins
    assert {field: read[field] for field in FIELDS if field in read} == _held(envelope)
    assert _fits(read)
    assert reread(forwarded) == envelope
    again = _take(forwarded)
    assert again == (envelope, forwarded), "what was forwarded is complete, and taken as it is"


@PROFILE
@given(_envelopes())
def test_forwarded_envelope_has_all_sent_fields(text: str) -> None:
    data = text.encode()
    outcome = _take(data)
    if isinstance(outcome, str):
        return
    came = {
        field: [value] if field in ("to", "correlation_id") and isinstance(value, str) else value
        for field, value in _as_others_read(data).items()
        if value is not None or field not in FIELDS
    }
    forwarded = _as_others_read(outcome[1])
    assert {field: forwarded[field] for field in came} == came
    assert set(forwarded) - set(came) <= set(REQUIRED)
    if set(came) >= set(REQUIRED) and came == _as_others_read(data):
        assert outcome[1] == data, "a complete envelope is forwarded byte for byte"


@PROFILE
@given(_envelopes())
def test_refusal_code_agrees_with_other_parsers(text: str) -> None:
    code = _take(text.encode())
    assume(isinstance(code, str))
    try:
        read = _as_others_read(text)
    except _Twins:
        assert code in ("duplicate_key", "invalid_json", "invalid_number")
    except ValueError:
        assert code == "invalid_json"
    else:
        expected = "invalid_envelope" if _fits(read) else "invalid_number"
        assert code == expected


@PROFILE
@given(st.binary(max_size=60))
def test_random_bytes_are_refused_or_accepted(data: bytes) -> None:
    _take(data)


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@PROFILE
@given(
    payload=st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), _json, max_size=4),
    to=st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), max_size=3),
    now=st.integers(0, 4_000_000_000_000),
)
def test_gateway_envelopes_round_trip(payload: dict[str, Any], to: list[str], now: int) -> None:
    data = encode(id="gw-1", now=now, sender="system:gateway", kind="acme/x", payload=payload, to=tuple(to))
    outcome = _take(data)
    assert not isinstance(outcome, str)
    envelope, forwarded = outcome
    assert forwarded == data
    assert (envelope.payload, envelope.to or []) == (payload, to)
