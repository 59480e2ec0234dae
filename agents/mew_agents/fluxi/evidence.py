"""The words that a Work was asked for with: what a person who approves its call reads beside the arguments.

They go out in the proposal (`params._meta["mew/evidence"]`, decisions/0052), so nobody sees them who does not see that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mew_agents.fluxi.work import Work

META: Final = "mew/evidence"
_LONGEST: Final = 200  # characters of one quotation
_MOST: Final = 20  # quotations


def evidence_of(work: Work) -> dict[str, Any]:
    """Return who asked for it, and the words of each committed value as `{slot, words}`; what is long is cut."""
    said = [
        {"slot": path, "words": words}
        for path, slot in work.slots.items()
        if slot.status == "committed" and (words := _words(slot.evidence or {}))
    ]
    return {"person": work.owner, "work_id": work.work_id, "said": said[:_MOST]}


def _words(evidence: Mapping[str, Any]) -> str:
    """The words of a value; those of the piece that it was completed from come first."""
    earlier = evidence.get("earlier")
    told = [one["text"] for one in (earlier, evidence) if isinstance(one, Mapping) and isinstance(one.get("text"), str)]
    words = " … ".join(dict.fromkeys(told))
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
