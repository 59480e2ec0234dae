"""The join frame: the first message of a connection whose upgrade brought no token (docs/protocol.md §1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.codec import count_tokens
from mew_gateway.protocol.kinds import JOIN

LONGEST = 16_384  # bytes that a peer may send before it has authenticated
_TOKENS = 1_000  # of JSON: more is no join frame, and not decoded

_decoder = msgspec.json.Decoder()


class Join(NamedTuple):
    """Contents of a join frame; None for a field that it does not have. `name` is the alias that the peer wants."""

    token: str
    space: str | None
    name: str | None
    after: str | None


def read(data: bytes) -> Join:
    """Parse a join frame: `{"type": "join", "space", "participantId", "token"}`, or with `kind: "system/join"`.

    The fields are at the top level or in `payload`. Raises `Rejected` `join_refused` for anything else.
    """
    document = _object(data)
    if document.get("type") != "join" and document.get("kind") != JOIN:
        raise Rejected("join_refused", 'Say first who you are: {"type": "join", "space": …, "token": …}.')
    token = _text(document, "token")
    if token is None:
        raise Rejected("join_refused", "A join frame needs a `token`.")
    name = _text(document, "participantId") or _text(document, "participant_id")
    return Join(token, _text(document, "space"), name, _text(document, "after"))


def _object(data: bytes) -> dict[str, Any]:
    if count_tokens(data, most=_TOKENS) > _TOKENS:
        return {}
    try:
        document = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        document = None
    return document if isinstance(document, dict) else {}


def _text(document: dict[str, Any], field: str) -> str | None:
    payload = document.get("payload")
    value = document.get(field) or (payload.get(field) if isinstance(payload, dict) else None)
    if value is not None and not isinstance(value, str):
        raise Rejected("join_refused", f"`{field}` of a join frame is a string.")
    return value or None
