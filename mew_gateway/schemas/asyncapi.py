"""Generate the AsyncAPI 3.0 document of the wire: address, join, messages in each direction, close codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import mew_gateway
from mew_gateway.protocol.codes import CLOSES, ERRORS, Code
from mew_gateway.protocol.gateway_payloads import GATEWAY_PAYLOADS
from mew_gateway.protocol.kinds import HEARTBEAT, KINDS

from .shapes import EVERY_KIND, file_of

_FORMAT = "application/schema+json;version=draft-2020-12"

_SPACE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "space": {"type": "string", "description": "The space to join."},
        "after": {"type": "string", "description": "The newest envelope that you have: what followed is replayed."},
    },
}
_TOKEN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "Authorization": {"type": "string", "pattern": "^Bearer "},
        "Sec-WebSocket-Protocol": {"type": "string", "description": "From a browser: `mew.v0.4, mew.token.<token>`."},
    },
}


def document() -> dict[str, Any]:
    """Return the document as JSON values. Payloads refer to the other schema files."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "MEW gateway",
            "version": mew_gateway.__version__,
            "description": _description(),
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "gateway": {"host": "127.0.0.1:8080", "protocol": "ws", "description": "As `listen` in spaces.yaml says."}
        },
        "channels": _channels(),
        "operations": _operations(),
        "components": {"messages": _messages(), "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _description() -> str:
    return "\n\n".join(
        [
            "The WebSocket side of a gateway for the MEW protocol v0.4: one JSON envelope a message, and raw frames "
            "`#stream_id#data` of open streams. `system/welcome` comes first.",
            "A refusal is a `system/error` to its sender; the connection goes on.",
            _table("Code of a `system/error`", ERRORS),
            "Close codes 4500 to 4999 mean *stop*; after any other a client may come back.",
            _table("Close code", {str(code): row for code, row in CLOSES.items()}),
        ]
    )


def _table(what: str, rows: Mapping[str, Code]) -> str:
    lines = [f"| {what} | meaning | what to do |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| `{code}` | {row.meaning} | {row.remedy} |" for code, row in rows.items())])


def _channels() -> dict[str, Any]:
    messages = {_name(kind): _reference("components/messages", _name(kind)) for kind in EVERY_KIND}
    messages["frame"] = _reference("components/messages", "frame")
    return {
        "space": {
            "address": "/ws",
            "title": "A space",
            "description": "Who you are is known from the token before the upgrade: 401 where it is of no use.",
            "messages": messages,
            "bindings": {"ws": {"method": "GET", "query": _SPACE, "headers": _TOKEN, "bindingVersion": "0.1.0"}},
        },
        "door": {
            "address": "/",
            "title": "A space, joined by the first message",
            "description": "Any path, without a token: the join frame comes first, within 10 s. Close code 4501 where "
            "its token is of no use. All else is as in `space`.",
            "messages": {"join": _reference("components/messages", "join"), **messages},
        },
    }


def _operations() -> dict[str, Any]:
    """Return the operations of the gateway: AsyncAPI describes them from its side."""
    said = [*KINDS, HEARTBEAT]
    told = [*KINDS, *(kind for kind in GATEWAY_PAYLOADS if kind != HEARTBEAT)]
    return {
        "join": _operation("receive", "door", ["join"], "Somebody says who they are."),
        "hear": _operation("receive", "space", [*map(_name, said), "frame"], "A participant sends; capabilities rule."),
        "tell": _operation("send", "space", [*map(_name, told), "frame"], "What was accepted, and the gateway's own."),
    }


def _operation(action: str, channel: str, messages: Iterable[str], summary: str) -> dict[str, Any]:
    return {
        "action": action,
        "channel": _reference("channels", channel),
        "summary": summary,
        "messages": [_reference(f"channels/{channel}/messages", message) for message in messages],
    }


def _messages() -> dict[str, Any]:
    return {
        "join": _message("join", "The join frame.", "join.schema.json"),
        **{_name(kind): _message(kind, _summary(kind), file_of(kind)) for kind in EVERY_KIND},
        "frame": {
            "name": "frame",
            "summary": "A chunk of a stream, text or binary: `#`, the stream's id, `#`, then anything at all.",
            "contentType": "application/octet-stream",
            "payload": {"type": "string", "pattern": "^#[^#]+#"},
        },
    }


def _message(name: str, summary: str, file: str) -> dict[str, Any]:
    return {"name": name, "summary": summary, "payload": {"schemaFormat": _FORMAT, "schema": {"$ref": file}}}


def _summary(kind: str) -> str:
    shape = KINDS[kind].payload if kind in KINDS else GATEWAY_PAYLOADS[kind]
    return " ".join((shape.__doc__ or "").split())


def _name(kind: str) -> str:
    """Return a kind as a key of the document: a slash would need an escape in every reference."""
    return kind.replace("/", ".")


def _reference(where: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/{where}/{name}"}
