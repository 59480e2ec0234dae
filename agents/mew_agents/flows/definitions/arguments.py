"""What an action's tool is given."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, PlainValidator, Tag, WithJsonSchema

from mew_agents.fluxi.definitions import fields, template
from mew_agents.fluxi.definitions.effects import FromSlot, FromWork
from mew_gateway.documents.problems import echo
from mew_gateway.documents.refusal import refuse

from .computed import Computed
from .section import FlowSection, key


class FromExpression(FlowSection):
    """What an expression comes to, left out when that is nothing."""

    expr: Computed = key("The expression.")


_KINDS: dict[str, type[Any]] = {"slot": FromSlot, "work": FromWork, "expr": FromExpression}
_FORMS = "text, a number, true, false, `{slot: …}`, `{work: …}` or `{expr: …}`"


def _tag(value: Any) -> str:
    """Which kind of argument it is, by the key that it alone has."""
    for name, kind in _KINDS.items():
        if isinstance(value, kind) or (isinstance(value, dict) and name in value):
            return f"({name})"
    return "(literal)"


def _literal(value: Any) -> Any:
    if not isinstance(value, str | int | float | bool):
        raise refuse(f"{echo(value)} is no argument.", _FORMS)
    if isinstance(value, str):
        try:
            template.parse(value)
        except ValueError as error:
            raise refuse(f"{error}.", "`{slot}` is a slot's value; `{{` and `[[` are the signs themselves") from None
    return value


_SCHEMA = WithJsonSchema({"type": ["string", "number", "boolean"]})
# A text is a template, filled with the slots' values as machines write them (docs/definitions.md).
FlowArgument = Annotated[
    Annotated[FromSlot, Tag("(slot)")]
    | Annotated[FromWork, Tag("(work)")]
    | Annotated[FromExpression, Tag("(expr)")]
    | Annotated[str | int | float | bool, PlainValidator(_literal), _SCHEMA, Tag("(literal)")],
    Discriminator(_tag),
]
FlowArguments: TypeAlias = dict[fields.Id, FlowArgument]
