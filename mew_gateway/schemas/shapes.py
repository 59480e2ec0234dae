"""Generate the JSON Schemas (draft 2020-12) of the envelope, of each kind, and of the join frame."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import msgspec

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.gateway_payloads import GATEWAY_PAYLOADS, Join
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.kinds import HEARTBEAT, KINDS

from .rules import RULES, merge

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

EVERY_KIND = (*KINDS, *GATEWAY_PAYLOADS)


def file_of(kind: str) -> str:
    """Return the path of a kind's schema below `schemas/`."""
    return f"kinds/{kind.replace('/', '.')}.schema.json"


def envelope() -> dict[str, Any]:
    """Return the schema of an envelope as it is forwarded: complete, and with the sender's additional fields."""
    schema = _schema_of(Envelope)
    del schema["additionalProperties"]  # strict decoding is the codec's fast path, not a rule of the wire
    schema["title"] = "MEW v0.4 envelope"
    for field in ("to", "correlation_id", "context", "payload"):  # sealing removes null
        schema["properties"][field] = schema["properties"][field]["anyOf"][0]
    return {"$schema": _DIALECT, **schema}


def kind(name: str) -> dict[str, Any]:
    """Return the schema of a kind. Only the gateway may send a kind of its own."""
    shape = KINDS[name].payload if name in KINDS else GATEWAY_PAYLOADS[name]
    payload = _schema_of(shape)
    del payload["title"]
    schema = envelope()
    schema["title"] = name
    schema["description"] = payload.pop("description")
    schema["properties"]["kind"] = {"const": name}
    schema["properties"]["payload"] = payload
    if payload.get("required"):
        schema["required"].append("payload")
    if name in GATEWAY_PAYLOADS and name != HEARTBEAT:
        schema["properties"]["from"] = {"const": GATEWAY}
    return merge(schema, RULES.get(name, {}))


def join() -> dict[str, Any]:
    """Return the schema of the join frame: its fields are at the top or in `payload`, beside `type` or `kind`."""
    fields = _schema_of(Join)
    token = fields.pop("required")
    description = fields.pop("description")
    del fields["title"]
    return {
        "$schema": _DIALECT,
        "title": "join frame",
        "description": description,
        **fields,
        "properties": {**fields["properties"], "payload": fields},
        "allOf": [
            {
                "anyOf": [
                    {"properties": {"type": {"const": "join"}}, "required": ["type"]},
                    {"properties": {"kind": {"const": "system/join"}}, "required": ["kind"]},
                ]
            },
            {
                "anyOf": [
                    {"required": token},
                    {"properties": {"payload": {"required": token}}, "required": ["payload"]},
                ]
            },
        ],
    }


def _schema_of(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """Return a type's schema with references resolved and descriptions on one line."""
    (reference,), definitions = msgspec.json.schema_components([shape], ref_template="{name}")
    return dict(_resolved(reference, definitions))


def _resolved(value: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_resolved(one, definitions) for one in value]
    if not isinstance(value, dict):
        return deepcopy(value)
    if "$ref" in value:
        return _resolved(definitions[value["$ref"]], definitions)
    resolved = {key: _resolved(one, definitions) for key, one in value.items()}
    if isinstance(resolved.get("description"), str):
        resolved["description"] = " ".join(resolved["description"].split())
    return resolved
