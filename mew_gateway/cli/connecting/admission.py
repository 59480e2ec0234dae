"""Rules that decide on an envelope besides capabilities: implicit permissions, and states that block it now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import KINDS, UNKNOWN, is_reserved
from mew_gateway.protocol.reasons import EMERGENCY, INTERRUPT, class_of
from mew_gateway.space import fence

from ..printing.ids import short
from ..printing.terminal import one_line
from .http_client import Api

# docs/protocol.md §3, "Implicit for everyone".
_IMPLIED = {
    "system/heartbeat": "it is a sign of life, which everybody may give",
    "mcp/response": "everybody answers a request that is addressed to it",
    "capability/grant-ack": "everybody acknowledges its own grants",
    "reasoning/conclusion": "everybody concludes its own sequence, if this is one",
    "reasoning/cancel": "everybody cancels its own sequence, if this is one",
}
_FENCED_STATES = ("stopping", "completing_thought")


def implied_permission(envelope: Envelope) -> str | None:
    """Return why the envelope needs no capability, None if it needs one (docs/protocol.md §3). Conditions are in the
    sentence."""
    if envelope.kind == INTERRUPT:
        payload = envelope.payload or {}
        own = envelope.to == [envelope.sender]
        if own and class_of(payload.get("reason"), payload.get("class")) != EMERGENCY:
            return "everybody interrupts its own sequence"
        return None
    return _IMPLIED.get(envelope.kind)


def current_refusals(api: Api, row: dict[str, Any], envelope: Envelope) -> list[str]:
    """Return what would refuse it now, whatever its sender's capabilities, in the order of the checks. Raises
    `Failure`."""
    return list(_refusals(api, row, envelope))


def _refusals(api: Api, row: dict[str, Any], envelope: Envelope) -> Iterator[str]:
    state = row["state"] or {"kicked": False, "ends_in_ms": None, "pauses": [], "halts": []}
    kind = KINDS.get(envelope.kind, UNKNOWN)
    if state["kicked"]:
        yield "removed: it was kicked"
    if is_reserved(envelope.kind):
        yield f"reserved_kind: only the gateway sends {one_line(envelope.kind)}"
    if state["ends_in_ms"] is not None:
        yield "shutting_down: it was asked to shut down, and may only say goodbye"
    if state["pauses"] and not kind.passes_pause:
        by = ", ".join(dict.fromkeys(one_line(one["by"]) for one in state["pauses"]))
        yield f"paused: by {by} (`mew resume {row['id']}`)"
    acts = kind.acting and fence.acts(envelope)
    root = (envelope.context or "").partition("/")[0]
    for halt in state["halts"]:
        if (acts or envelope.kind == "reasoning/start") and root != halt["sequence"]:
            yield f"halted: by the emergency {short(halt['interrupt'])} (`mew resume {row['id']}`)"
    if acts:
        yield from _fences(api, row["id"], root)


def _fences(api: Api, owner: str, root: str) -> Iterator[str]:
    """Yield the fence that blocks it, if any: a sequence that promised to end. Sequences opened before the promise
    go on."""
    listed = api.every("sequences", open=1)
    own = {one["id"]: one for one in listed if one["owner"] == owner}
    fenced = [id for id, one in own.items() if one["state"] in _FENCED_STATES]
    if not fenced:
        return
    acks = [one["ack"]["at"] for one in api.every("interrupts") if one["sequence"] in fenced and one["ack"]]
    was_open = root in own and root not in fenced and own[root]["opened_at"] <= min(acks, default="")
    if not was_open:
        yield f"fenced: its interrupted sequence {short(fenced[0])} has not concluded"
