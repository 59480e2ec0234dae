"""What a kind asks of an envelope beyond its payload's types, as far as a schema can say it.

The space refuses what breaks one of these; what must exist or belong to somebody no schema knows.
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


# RFC 3339 with a zone. `format` alone is a remark that most validators pass over.
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
        "then": {  # docs/protocol.md §8: a ladder's rung, which says what it took, maybe nothing
            "properties": {
                "payload": {"required": ["grant_ids"], "properties": {"grant_ids": {"type": "array", "items": _TEXT}}}
            }
        },
        "else": {  # §3.6.2: one grant, or what patterns cover
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
    """The schema with a rule's keywords put in, key by key; of other values the rule's wins, `required` is joined."""
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
