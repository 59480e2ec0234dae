"""Works that wait although no run of theirs is open: an interrupt cannot reach them, a tool of their agent can."""

from __future__ import annotations

import shlex
from typing import Any

from .access import Access
from .failure import Failure
from .hints import command_name
from .ids import is_meant
from .terminal import one_line

_MOST = 1_000  # envelopes looked through
_NAMED = 5  # Works that are offered


def offer(access: Access, target: str, sequence: str | None = None) -> str:
    """What to type to cancel a waiting Work of the target, of the run named, if any; empty where there is none."""
    calls = []
    for work in _waiting(_conclusions(access, target), sequence)[:_NAMED]:
        words = ["call", target, "work_cancel", f"work_id={one_line(work)}", "--space", access.space]
        calls.append(f"  {command_name()} {shlex.join(words)}")
    if not calls:
        return ""
    what = "A Work of it waits" if len(calls) == 1 else "Works of it wait"
    return "\n".join([f"{what}, and no run is open while it does. To cancel that:", *calls])


def _conclusions(access: Access, target: str) -> list[dict[str, Any]]:
    """The conclusions of the target that are still held, newest first."""
    try:
        found = [one["envelope"] for one in access.api.get("history", limit=_MOST)["envelopes"]]
    except Failure:
        return []
    ended = [one for one in found if one.get("kind") == "reasoning/conclusion" and one.get("from") == target]
    return ended[::-1]


def _waiting(conclusions: list[dict[str, Any]], sequence: str | None) -> list[str]:
    """The Works that waited when they were last seen; with a run named, only the one that it was about."""
    newest: dict[str, str] = {}
    named: set[str] = set()
    for one in conclusions:
        payload = one.get("payload") or {}
        work = payload.get("work_id")
        if isinstance(work, str):
            newest.setdefault(work, str(payload.get("outcome")))
            if sequence is None or is_meant(sequence, str(one.get("context"))):
                named.add(work)
    return [work for work, outcome in newest.items() if work in named and outcome in ("waiting", "in_doubt")]
