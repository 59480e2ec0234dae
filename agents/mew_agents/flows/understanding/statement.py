"""What a model said of a message, as commands: what the text and the typed extractors do not bear out is nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mew_agents.flows.commands import (
    AnyCommand,
    CancelFlow,
    ChitChat,
    Clarify,
    CorrectSlot,
    Deny,
    Handoff,
    SetSlot,
    StartFlow,
)
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.filling import told, understanding
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.fluxi.interpreter.completion import ModelFault
from mew_agents.fluxi.interpreter.statement import candidate_of, first_object

_MOST: Final = 32  # commands of one message


def commands_of(said: str, text: str, standing: Standing) -> tuple[AnyCommand, ...]:
    """Pass 1. Raises ModelFault for an answer of no use, and for evidence that the message has not.

    Names that there are not are dropped; an answer of nothing else is of no use.
    """
    items = first_object(said, listing="commands")["commands"][:_MOST]
    found = tuple(_commands(items, text, standing))
    if items and not found:
        raise ModelFault("nothing_known")
    return found


def values_of(said: str, text: str, standing: Standing) -> tuple[SetSlot | CorrectSlot, ...]:
    """Pass 2, in the order of the flow's slots. Raises ModelFault likewise."""
    slots = _slots(standing)
    found: dict[str, SetSlot | CorrectSlot] = {}
    for item in map(_item, first_object(said, listing="slots")["slots"][:_MOST]):
        command = _valued(item, text, standing)
        if command is not None:
            found.setdefault(command.path, command)
    return tuple(found[path] for path in slots if path in found)


def _commands(items: list[Any], text: str, standing: Standing) -> Iterator[AnyCommand]:
    """Each kind once, and each slot: what a model says again is not done again."""
    seen: set[tuple[type[AnyCommand], str]] = set()
    for item in map(_item, items):
        command = _command(item, text, standing)
        if command is None:
            continue
        what = type(command), command.path if isinstance(command, SetSlot | CorrectSlot) else ""
        if what not in seen:
            seen.add(what)
            yield command


def _command(item: Mapping[str, Any], text: str, standing: Standing) -> AnyCommand | None:
    """None: there is no such command, or not here. A yes is never a model's to say."""
    match item.get("command"):
        case "start_flow":
            return _start(item, standing)
        case "cancel_flow":
            return CancelFlow(scope="all" if item.get("scope") == "all" else "top")
        case "set_slot" | "correct_slot":
            return _valued(item, text, standing)
        case "deny":
            return Deny() if standing.question is not None else None
        case "clarify":
            return Clarify()
        case "chit_chat":
            return ChitChat()
        case "handoff":
            return Handoff()
        case _:
            return None


def _start(item: Mapping[str, Any], standing: Standing) -> StartFlow | None:
    """A flow that there is, and that is not at hand while something is asked."""
    busy = standing.at_hand.name if standing.at_hand is not None and standing.question is not None else None
    names = [flow.name for flow in standing.flows if flow.name != busy]
    others = item.get("others")
    wanted = [item.get("flow"), *(others if isinstance(others, list) else ())]
    known = [name for name in names if name in wanted]
    known.sort(key=wanted.index)
    return StartFlow(flow=known[0], rivals=tuple(known[1:])) if known else None


def _valued(item: Mapping[str, Any], text: str, standing: Standing) -> SetSlot | CorrectSlot | None:
    """A value for a slot of the flow at hand; whether it is another one is for the dialogue to say, not for a model."""
    path = item.get("slot")
    slot = _slots(standing).get(path) if isinstance(path, str) else None
    if slot is None or standing.at_hand is None:
        return None
    known = understanding(standing, standing.language, within=standing.at_hand.name, asked=standing.asked)
    candidate: Candidate = candidate_of(slot, item, text, known)
    held = standing.values.get(slot.path)
    if held is None or slot.path == standing.asked:
        return SetSlot(**told(candidate))
    return CorrectSlot(**told(candidate)) if candidate.value != held else None


def _slots(standing: Standing) -> dict[str, Slot]:
    if standing.at_hand is None:
        return {}
    return {slot.path: slot for slot in standing.at_hand.definition.slots}


def _item(item: Any) -> Mapping[str, Any]:
    if not isinstance(item, dict):
        raise ModelFault("wrong_shape")
    return item
