"""Who may lift a halt: as far as the gateway tells, for it decides when they try (docs/protocol.md §5)."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Sequence
from typing import Any, TypeAlias

from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import Capabilities, compile_capability
from mew_gateway.protocol.reasons import EMERGENCY, INTERRUPT

from ..framework.failure import Failure
from ..printing.terminal import command_name, one_line
from .access import Access
from .api import Api

_RESUME = "participant/resume"
_SAID = ("reason", "message")

# Of each halt that stands, by its target and its emergency's id, the participants who may lift it.
Lifters: TypeAlias = dict[tuple[str, str], list[str]]


def lifters(api: Api, rows: list[dict[str, Any]]) -> Lifters:
    """Those of all halts that `rows`, the listed participants, show. Raises `Failure`."""
    halts = [(row["id"], halt["interrupt"]) for row in rows if row["state"] for halt in row["state"]["halts"]]
    if not halts:
        return {}
    said = {
        (one["target"], one["id"]): {field: one[field] for field in _SAID}
        for one in api.every("interrupts")
        if one["class"] == EMERGENCY
    }
    return {halt: among(rows, halt[0], said.get(halt, {})) for halt in halts}


def among(rows: list[dict[str, Any]], target: str, said: dict[str, Any]) -> list[str]:
    """Those of the listed participants who may lift what this emergency, its payload, does to `target`."""
    return [row["id"] for row in rows if row["id"] != target and _may_lift(row["capabilities"], said, target)]


def who_may(rows: list[dict[str, Any]], kind: str, target: str) -> list[str]:
    """Those of the listed participants, besides `target`, who may send it this kind with an empty payload."""
    return [row["id"] for row in rows if row["id"] != target and _may_send(row["capabilities"], kind, target)]


def granters(access: Access) -> str:
    """Who may grant what somebody lacks, and with what, as a sentence; empty where that cannot be told."""
    me = access.participant
    if me is None:
        return ""
    try:
        able = who_may(access.api.get("participants")["participants"], "capability/grant", me)
    except Failure:
        return ""
    if not able:
        return "Nobody here may grant it: the configuration gives capabilities."
    words = shlex.join(["grant", me, "--kind", "KIND", "--space", access.space, "--as", able[0]])
    return f"Who may grant it: {', '.join(map(one_line, able))}, with `{command_name()} {words}`."


def named(names: Sequence[str]) -> str:
    """They, as the subject of a sentence."""
    return " or ".join(map(one_line, names)) or "somebody who may send emergencies (nobody else here may: grant it)"


def until(access: Access, target: str, said: dict[str, Any], *ids: str) -> str:
    """Who ends what an emergency, its payload, does to `target`, and with what: `guardian says …`, as far as the
    gateway tells."""
    able, who = [], "somebody who may send emergencies"
    with contextlib.suppress(Failure):
        able = among(access.api.get("participants")["participants"], target, said)
        who = named(able)
    return f"{who} says {call(access, target, able, *ids)}"


def call(access: Access, target: str, able: Sequence[str], *ids: str) -> str:
    """What one of the `able` types to lift the halts with these ids, or all."""
    words = ["resume", one_line(target), *ids, *access.options(able)]
    return f"`{command_name()} {shlex.join(words)}`"


def _may_send(sources: list[Any], kind: str, target: str) -> bool:
    try:
        return Capabilities(map(compile_capability, sources)).allow(kind, {}, (target,))
    except Rejected:  # a newer gateway's pattern
        return False


def _may_lift(sources: list[Any], said: dict[str, Any], target: str) -> bool:
    """Whether these capabilities are enough to lift this very emergency."""
    try:
        capabilities = Capabilities(map(compile_capability, sources))
    except Rejected:  # a newer gateway's pattern
        return False
    asked = {**said, "class": EMERGENCY}
    return capabilities.allow_emergency(INTERRUPT, asked, (target,)) and capabilities.allow(_RESUME, {}, (target,))
