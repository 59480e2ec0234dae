"""What flows, slots and steps are called, and where a step may send the flow."""

from __future__ import annotations

import keyword
import re
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, WithJsonSchema

from mew_gateway.documents.problems import echo
from mew_gateway.documents.refusal import refuse

Outcome: TypeAlias = Literal["completed", "cancelled", "failed"]

# Words that stand for an end where a step's id could stand.
ENDS: dict[str, Outcome] = {"end": "completed", "cancel": "cancelled", "fail": "failed"}
# Names that an expression has besides the slots'.
GIVEN = ("today", "now", "result", "value")
_LITERALS = ("true", "false", "null")

# Short enough for `flow.step` to be an id as Fluxi has them.
_NAME = r"^[a-z][a-z0-9_]{0,30}$"


def _name(value: str) -> str:
    if re.fullmatch(_NAME, value) is None:
        raise refuse(f"{echo(value)} is no name.", "1 to 31 of a-z 0-9 _, beginning with a letter")
    return value


def _slot_name(value: str) -> str:
    if value in GIVEN or value in _LITERALS or keyword.iskeyword(value):
        raise refuse(f"{echo(value)} means something else in an expression.", "give it another name")
    return _name(value)


def _step_id(value: str) -> str:
    if value in ENDS:
        raise refuse(f"{echo(value)} stands for an end, so no step is called that.", "give it another id")
    return _name(value)


_SCHEMA = WithJsonSchema({"type": "string", "pattern": _NAME})
FlowName = Annotated[str, AfterValidator(_name), _SCHEMA]
SlotName = Annotated[str, AfterValidator(_slot_name), _SCHEMA]
StepId = Annotated[str, AfterValidator(_step_id), _SCHEMA]
# The id of a step in the same or an enclosing block, or one of `ENDS`.
Target = Annotated[str, AfterValidator(_name), _SCHEMA]
