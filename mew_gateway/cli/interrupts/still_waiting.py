"""Advice on how to cancel work that waits while no run is open, so that no interrupt can reach it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ..connecting.access import Access
from ..connecting.resume_rights import who_may_send
from ..framework.failure import Failure
from ..printing.ids import is_meant
from ..printing.terminal import command_name, one_line

_MAX_ENVELOPES = 1_000  # envelopes of the history that are read
_PAUSE = "participant/pause"
_MAX_LISTED = 5  # calls

# By the field of a conclusion that has its id, the likeliest first: the tool that cancels it, its singular and plural.
_TOOLS: Final[Mapping[str, tuple[str, str, str]]] = {
    "flow_id": ("flow_cancel", "A flow", "Flows"),
    "thread_id": ("thread_cancel", "A thread", "Threads"),
    "work_id": ("work_cancel", "A Work", "Works"),
}


class _Waiting(NamedTuple):
    key: str
    id: str


def pause_advice(access: Access, target: str) -> str:
    """Return what to type instead of an emergency for a target that runs nothing: a pause keeps it from starting."""
    rows: list[dict[str, Any]] = access.api.get("participants")["participants"]
    allowed = who_may_send(rows, _PAUSE, target)
    words = ["pause", target, *access.options(allowed)]
    who = " or ".join(map(one_line, allowed)) or "nobody here, as it stands: `mew grant`"
    return "\n".join(
        [
            "Nothing of it runs that an emergency could halt. "
            f"A pause keeps it from beginning anything, until `{command_name()} resume`. Who may pause it: {who}.",
            f"  {command_name()} {shlex.join(words)}",
        ]
    )


def cancel_advice(access: Access, target: str, sequence: str | None = None) -> str:
    """Return the calls that cancel the target's waiting work; only that of the run `sequence`, if given. Empty if
    none waits."""
    found = _waiting(_conclusions(access, target), sequence)[:_MAX_LISTED]
    calls = []
    for one in found:
        words = ["call", target, _TOOLS[one.key][0], f"{one.key}={one_line(one.id)}", "--space", access.space]
        calls.append(f"  {command_name()} {shlex.join(words)}")
    if not calls:
        return ""
    _, single, several = _TOOLS[found[0].key]
    what = f"{single} of it waits" if len(calls) == 1 else f"{several} of it wait"
    return "\n".join([f"{what}, and no run is open while it does. To cancel that:", *calls])


def _conclusions(access: Access, target: str) -> list[dict[str, Any]]:
    """Return the target's conclusions in the gateway's history, newest first."""
    try:
        found = [one["envelope"] for one in access.api.get("history", limit=_MAX_ENVELOPES)["envelopes"]]
    except Failure:
        return []
    ended = [one for one in found if one.get("kind") == "reasoning/conclusion" and one.get("from") == target]
    return ended[::-1]


def _waiting(conclusions: list[dict[str, Any]], sequence: str | None) -> list[_Waiting]:
    """Return what waits according to its newest conclusion; with `sequence`, only what that run was about."""
    newest: dict[_Waiting, str] = {}
    named: set[_Waiting] = set()
    for one in conclusions:
        payload = one.get("payload") or {}
        subject = _subject(payload)
        if subject is not None:
            newest.setdefault(subject, str(payload.get("outcome")))
            if sequence is None or is_meant(sequence, str(one.get("context"))):
                named.add(subject)
    return [one for one, outcome in newest.items() if one in named and outcome in ("waiting", "in_doubt")]


def _subject(payload: Mapping[str, Any]) -> _Waiting | None:
    """Return what a run was about. A flow comes before its Work: the flow can only be cancelled as a whole."""
    found = ((key, payload.get(key)) for key in _TOOLS)
    return next((_Waiting(key, id) for key, id in found if isinstance(id, str)), None)
