"""What waits although no run about it is open: an interrupt cannot reach it, a tool of its agent or a pause can."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ..connecting.access import Access
from ..connecting.resume_rights import who_may
from ..framework.failure import Failure
from ..printing.ids import is_meant
from ..printing.terminal import command_name, one_line

_MOST = 1_000  # envelopes looked through
_PAUSE = "participant/pause"
_NAMED = 5  # of what waits, so much is offered

# By the key that a conclusion names it under, the likeliest first: the tool that cancels it, one of it, several.
_TOOLS: Final[Mapping[str, tuple[str, str, str]]] = {
    "flow_id": ("flow_cancel", "A flow", "Flows"),
    "thread_id": ("thread_cancel", "A thread", "Threads"),
    "work_id": ("work_cancel", "A Work", "Works"),
}


class _Waiting(NamedTuple):
    key: str
    id: str


def hold(access: Access, target: str) -> str:
    """What to type to keep the target from going on, for whoever would have halted it: nothing of it runs."""
    rows: list[dict[str, Any]] = access.api.get("participants")["participants"]
    able = who_may(rows, _PAUSE, target)
    words = ["pause", target, *access.options(able)]
    who = " or ".join(map(one_line, able)) or "nobody here, as it stands: `mew grant`"
    return "\n".join(
        [
            "Nothing of it runs that an emergency could halt. "
            f"A pause keeps it from beginning anything, until `{command_name()} resume`. Who may pause it: {who}.",
            f"  {command_name()} {shlex.join(words)}",
        ]
    )


def offer(access: Access, target: str, sequence: str | None = None) -> str:
    """What to type to cancel what waits of the target, of the run named, if any; empty where nothing does."""
    found = _waiting(_conclusions(access, target), sequence)[:_NAMED]
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
    """The conclusions of the target that are still held, newest first."""
    try:
        found = [one["envelope"] for one in access.api.get("history", limit=_MOST)["envelopes"]]
    except Failure:
        return []
    ended = [one for one in found if one.get("kind") == "reasoning/conclusion" and one.get("from") == target]
    return ended[::-1]


def _waiting(conclusions: list[dict[str, Any]], sequence: str | None) -> list[_Waiting]:
    """What waited when it was last seen; with a run named, only what that was about."""
    newest: dict[_Waiting, str] = {}
    named: set[_Waiting] = set()
    for one in conclusions:
        payload = one.get("payload") or {}
        about = _about(payload)
        if about is not None:
            newest.setdefault(about, str(payload.get("outcome")))
            if sequence is None or is_meant(sequence, str(one.get("context"))):
                named.add(about)
    return [one for one, outcome in newest.items() if one in named and outcome in ("waiting", "in_doubt")]


def _about(payload: Mapping[str, Any]) -> _Waiting | None:
    """What a run was about: the Work of a flow's effect is the flow's, which alone can be cancelled as a whole."""
    found = ((key, payload.get(key)) for key in _TOOLS)
    return next((_Waiting(key, id) for key, id in found if isinstance(id, str)), None)
