"""Flows, places in their dialogues, and commands in short, as the tests of understanding write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, assert_never
from zoneinfo import ZoneInfo

from mew_agents.flows.commands import (
    Affirm,
    AnyCommand,
    CancelFlow,
    ChitChat,
    Clarify,
    CorrectSlot,
    Deny,
    Handoff,
    LeftOut,
    QueueFlow,
    ReopenSlot,
    SetSlot,
    StartFlow,
    Wait,
    WhichSlot,
)
from mew_agents.flows.definitions import parse
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.understanding.base import Standing
from mew_agents.fluxi import values
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.language.found import Language

NOW = datetime(2026, 11, 24, 10, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
FLOWS = parse((Path(__file__).parent / "flows.yaml").read_bytes())
BY_NAME = {flow.name: flow for flow in FLOWS}


def standing(
    language: Language,
    at: str | None = None,
    *,
    asked: str | None = None,
    confirm: bool = False,
    held: Mapping[str, Any] | None = None,
) -> Standing:
    """A place in a dialogue. `held`: values as files write them."""
    flow = None if at is None else BY_NAME[at]
    known = Understanding(language=language, now=NOW)
    given = {} if flow is None else (held or {})
    return Standing(
        language=language,
        now=NOW,
        flows=FLOWS,
        at_hand=flow,
        values={path: values.normal(flow.slots[path].slot, value, known) for path, value in given.items() if flow},
        asked=asked,
        question="execution" if confirm else None if asked is None else "slot",
    )


def short(commands: Sequence[AnyCommand], where: Standing) -> str:
    """Commands as the corpora write them."""
    return "; ".join(_short(command, where) for command in commands) or "nothing"


def _short(command: AnyCommand, where: Standing) -> str:
    match command:
        case StartFlow():
            return f"start {'|'.join((command.flow, *command.rivals))}"
        case CancelFlow():
            return "cancel" if command.scope == "top" else "cancel all"
        case SetSlot():
            return f"set {_value(command, where.at_hand)}"
        case CorrectSlot():
            return f"correct {_value(command, where.at_hand)}"
        case ReopenSlot():
            return f"reopen {command.path}"
        case LeftOut():
            return "left out"
        case QueueFlow():
            begun = next(flow for flow in where.flows if flow.name == command.flow)
            said = ", ".join(_value(one, begun) for one in command.values)
            return f"then {command.flow}{said and f' ({said})'}"
        case WhichSlot():
            return f"which {'|'.join(command.paths)}"
        case Affirm():
            return "affirm"
        case Deny():
            return "deny"
        case Clarify():
            return "clarify"
        case Wait():
            return "wait"
        case ChitChat():
            return "chat"
        case Handoff():
            return "handoff"
        case _:
            assert_never(command)


def _value(command: SetSlot | CorrectSlot, flow: Flow | None) -> str:
    assert flow is not None
    slot = flow.slots[command.path].slot
    return f"{command.path}={values.written(slot, command.value)}{'' if command.checked else ' ?'}"
