"""What a tool's result or error says about an effect: done, certainly not done, or unknown (docs/fluxi.md §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

from mew_agents.fluxi.ports import Answer, Outcome

# JSON-RPC: the request was not understood, so nothing was done.
_NOT_UNDERSTOOD: Final = range(-32602, -32599)
# Answers of tools (docs/tools.md) after which another attempt, with a new deadline and fence, may succeed.
_PASSING: Final = ("too_late", "fenced", "busy")
# A deadline that does not pass: whoever asks what became of a key may hear of it at any time.
NEVER: Final = 2**53 - 1


def outcome_of(result: object) -> Answer:
    """An MCP result. One without a status is done, unless it is an error: then nobody knows."""
    if not isinstance(result, Mapping):
        return garbage(result)
    structured = result.get("structuredContent")
    content: dict[str, Any] = dict(structured) if isinstance(structured, Mapping) else {}
    status: Any = content.get("status")
    outcome: Outcome = "unknown" if result.get("isError") or "status" in content else "applied"
    if status in get_args(Outcome):
        outcome = status
    code = str(content.get("code", ""))
    retry = outcome == "not_applied" and (content.get("retry") is True or code in _PASSING)
    return Answer(outcome=outcome, content=content, code=code, message=_words(result), retry=retry)


def outcome_of_error(code: int | str, message: str, *, first: bool = True) -> Answer:
    """A JSON-RPC error, or a coded refusal by whoever routes the request.

    A refusal proves that nothing was done only for an attempt's `first` send; it may pass, so it is tried again.
    """
    if isinstance(code, int):
        definite = code in _NOT_UNDERSTOOD
        return Answer(outcome="not_applied" if definite else "unknown", code=str(code), message=message)
    if first and code != "duplicate_id":
        return Answer(outcome="not_applied", code=code, message=message, retry=True)
    return Answer(outcome="unknown", code=code, message=message)


def answer_of_question(answer: Answer) -> Answer:
    """What a tool said when it was asked about a key: only a status tells; that it cannot be asked tells nothing."""
    return answer if "status" in answer.content else replace(answer, outcome="unknown", retry=False)


def names_in(content: object) -> Mapping[str, Sequence[str]] | None:
    """The list in a tool's structured answer, id → names; None for anything else."""
    listed = content.get("list") if isinstance(content, Mapping) else None
    if not isinstance(listed, Mapping):
        return None
    well_formed = all(isinstance(names, list) and names for names in listed.values())
    return listed if well_formed and all(isinstance(name, str) for one in listed.values() for name in one) else None


def garbage(what: object) -> Answer:
    """Something that is no answer at all: nobody knows what was done."""
    return Answer(outcome="unknown", code="unreadable", message=f"The tool answered {str(what)[:200]!r}.")


def _words(result: Mapping[str, Any]) -> str:
    content = result.get("content")
    items = content if isinstance(content, list) else []
    return "\n".join(str(item["text"]) for item in items if isinstance(item, Mapping) and "text" in item)
