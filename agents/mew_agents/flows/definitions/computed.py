"""An expression as a flow file writes it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from mew_gateway.documents.problems import echo
from mew_gateway.documents.refusal import refuse

from .expressions import Expression
from .operators import Unevaluable


def _expression(value: Any) -> Expression:
    """A text; a number, true, false or nothing of YAML is the expression that it looks like."""
    if isinstance(value, Expression):
        return value
    if value is not None and not isinstance(value, str | int | float):
        raise refuse(f"{echo(value)} is no expression.", "text; a text within it is quoted: `\"'yes'\"`")
    text = value if isinstance(value, str) else _LITERAL.get(str(value), str(value))
    try:
        return Expression(text)
    except Unevaluable as error:
        raise refuse(str(error), "docs/flow-files.md, expressions") from None


_LITERAL = {"True": "true", "False": "false", "None": "null"}
Computed = Annotated[
    Expression,
    PlainValidator(_expression),
    PlainSerializer(lambda value: value.text),
    WithJsonSchema({"type": ["string", "number", "boolean", "null"]}),
]
