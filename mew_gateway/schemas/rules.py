"""Rules of a kind beyond the types of its payload, as JSON Schema keywords.

The space refuses an envelope that breaks one. Rules about state (what must exist, who owns it) cannot be in a schema.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.reasons import REASONS

_ANSWERS_SOMETHING: dict[str, Any] = {
    "properties": {"correlation_id": {"minItems": 1}},
    "required": ["correlation_id"],
}
_ADDRESSED: dict[str, Any] = {"properties": {"to": {"minItems": 1}}, "required": ["to"]}
_ONE = {"minItems": 1, "maxItems": 1}
_NONE, _TEXT, _LIST = {"type": "null"}, {"type": "string"}, {"type": "array"}


# RFC 3339 with a zone. Most validators ignore `format`.
_MOMENT = r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$"

RULES: dict[str, dict[str, Any]] = {
    "mcp/response": _ANSWERS_SOMETHING,  # §3.1.2
    "mcp/withdraw": _ANSWERS_SOMETHING,  # §3.3.1
    "mcp/reject": _ANSWERS_SOMETHING,  # §3.3.2
    "capability/grant-ack": _ANSWERS_SOMETHING,  # §3.6.3
    "reasoning/interrupt-ack": _ANSWERS_SOMETHING,  # seed 004
    "reasoning/interrupt": {  # seed 004: exactly one agent, exactly one sequence, one of six reasons
        "properties": {
            "to": _ONE,
            "correlation_id": _ONE,
            "payload": {
                "properties": {"reason": {"enum": list(REASONS)}},
                "required": ["reason"],
                "if": {"properties": {"reason": {"const": "other"}}},
                "then": {"properties": {"message": {"type": "string", "minLength": 1}}, "required": ["message"]},
            },
        },
        "required": ["to", "correlation_id", "payload"],
    },
    "capability/grant": {"properties": {"payload": {"properties": {"expires_at": {"pattern": _MOMENT}}}}},
    "capability/revoke": {
        "if": {"properties": {"from": {"const": GATEWAY}}, "required": ["from"]},
        "then": {  # docs/protocol.md §8: an escalation step, which lists the revoked grants, possibly none
            "properties": {
                "payload": {"required": ["grant_ids"], "properties": {"grant_ids": {"type": "array", "items": _TEXT}}}
            }
        },
        "else": {  # §3.6.2: one grant, or all that the patterns cover
            "properties": {
                "payload": {
                    "oneOf": [
                        {"required": ["grant_id"], "properties": {"grant_id": _TEXT, "capabilities": _NONE}},
                        {"required": ["capabilities"], "properties": {"grant_id": _NONE, "capabilities": _LIST}},
                    ]
                }
            }
        },
    },
    "participant/pause": _ADDRESSED,
    "participant/resume": _ADDRESSED,
    "participant/shutdown": _ADDRESSED,
    "stream/close": {  # §3.10.4
        "anyOf": [
            {
                "properties": {"payload": {"properties": {"stream_id": {"type": "string"}}, "required": ["stream_id"]}},
                "required": ["payload"],
            },
            _ANSWERS_SOMETHING,
        ]
    },
    "system/error": {  # §3.8.2
        "properties": {
            "payload": {
                "if": {"properties": {"error": {"const": "capability_violation"}}},
                "then": {"required": ["attempted_kind", "your_capabilities"]},
            }
        }
    },
}


def merge(schema: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    """Merge a rule into a schema: mappings key by key, `required` as a union; for other values the rule's wins."""
    merged = deepcopy(schema)
    for key, value in rule.items():
        known = merged.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            merged[key] = merge(known, value)
        elif key == "required":
            merged[key] = list(dict.fromkeys([*(known or ()), *value]))
        else:
            merged[key] = deepcopy(value)
    return merged
