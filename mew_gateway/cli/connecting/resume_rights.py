"""Participants that may lift a halt, and the command for it. A forecast: the gateway decides (docs/protocol.md §5).

A halt may be lifted by a participant who may send the very emergency that caused it, and who is not its target.
"""

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
from .http_client import Api

_RESUME = "participant/resume"
_EMERGENCY_FIELDS = ("reason", "message")

# By target and emergency, the participants who may lift that halt.
ResumeRights: TypeAlias = dict[tuple[str, str], list[str]]


def find_resume_rights(api: Api, rows: list[dict[str, Any]]) -> ResumeRights:
    """Return who may lift each halt that `rows`, the listed participants, show. Raises `Failure`."""
    halts = [(row["id"], halt["interrupt"]) for row in rows if row["state"] for halt in row["state"]["halts"]]
    if not halts:
        return {}
    emergency = {
        (one["target"], one["id"]): {field: one[field] for field in _EMERGENCY_FIELDS}
        for one in api.every("interrupts")
        if one["class"] == EMERGENCY
    }
    return {halt: who_may_resume(rows, halt[0], emergency.get(halt, {})) for halt in halts}


def who_may_resume(rows: list[dict[str, Any]], target: str, emergency: dict[str, Any]) -> list[str]:
    """Return which of the listed participants may lift what an emergency, by its payload, does to `target`."""
    return [row["id"] for row in rows if row["id"] != target and _may_resume(row["capabilities"], emergency, target)]


def who_may_send(rows: list[dict[str, Any]], kind: str, target: str) -> list[str]:
    """Return which of the listed participants, besides `target`, may send it this kind with an empty payload."""
    return [row["id"] for row in rows if row["id"] != target and _may_send(row["capabilities"], kind, target)]


def grant_advice(access: Access) -> str:
    """Return a sentence on who may grant a missing capability, and with which command; empty if that is unknown."""
    me = access.participant
    if me is None:
        return ""
    try:
        allowed = who_may_send(access.api.get("participants")["participants"], "capability/grant", me)
    except Failure:
        return ""
    if not allowed:
        return "Nobody here may grant it: the configuration gives capabilities."
    words = shlex.join(["grant", me, "--kind", "KIND", "--space", access.space, "--as", allowed[0]])
    return f"Who may grant it: {', '.join(map(one_line, allowed))}, with `{command_name()} {words}`."


def subject(names: Sequence[str]) -> str:
    """Return the names as the subject of a sentence."""
    return " or ".join(map(one_line, names)) or "a participant that may send emergencies (no other here may: grant it)"


def resume_sentence(access: Access, target: str, emergency: dict[str, Any], *ids: str) -> str:
    """Return who has to type what to end an emergency's halt: `guardian says …`. As far as the gateway shows it."""
    allowed, who = [], "a participant that may send emergencies"
    with contextlib.suppress(Failure):
        allowed = who_may_resume(access.api.get("participants")["participants"], target, emergency)
        who = subject(allowed)
    return f"{who} says {resume_command(access, target, allowed, *ids)}"


def resume_command(access: Access, target: str, allowed: Sequence[str], *ids: str) -> str:
    """Return what one of the `allowed` types to lift the halts with these ids, or all."""
    words = ["resume", one_line(target), *ids, *access.options(allowed)]
    return f"`{command_name()} {shlex.join(words)}`"


def _may_send(sources: list[Any], kind: str, target: str) -> bool:
    try:
        return Capabilities(map(compile_capability, sources)).allow(kind, {}, (target,))
    except Rejected:  # a newer gateway's pattern
        return False


def _may_resume(sources: list[Any], emergency: dict[str, Any], target: str) -> bool:
    """Return true if these capabilities suffice to lift this very emergency."""
    try:
        capabilities = Capabilities(map(compile_capability, sources))
    except Rejected:  # a newer gateway's pattern
        return False
    asked = {**emergency, "class": EMERGENCY}
    return capabilities.allow_emergency(INTERRUPT, asked, (target,)) and capabilities.allow(_RESUME, {}, (target,))
