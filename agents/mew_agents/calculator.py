"""An agent with MCP tools: add, multiply, and evaluate, which takes a whole expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Agent, Chat, ToolError
from mew_gateway.sdk.rpc import INVALID_PARAMS

from .expression import FUNCTIONS, MAX_LENGTH, Unevaluable, evaluate, finite
from .phrasebook import Phrasebook, Spoken

PHRASES = Phrasebook(
    {
        "value": {"en": "{text} = {value}", "es": "{text} = {value}", "pt": "{text} = {value}"},
        "none": {
            "en": "I cannot calculate that. Try something like 2 * (3 + 4) or sqrt(2).",
            "es": "Eso no lo puedo calcular. Prueba con algo como 2 * (3 + 4) o sqrt(2).",
            "pt": "Isso eu não consigo calcular. Tente algo como 2 * (3 + 4) ou sqrt(2).",
        },
    }
)


class Pair(Struct, forbid_unknown_fields=True):
    """The arguments of `add` and `multiply`."""

    a: int | float
    b: int | float


class Expression(Struct, forbid_unknown_fields=True):
    """The arguments of `evaluate`."""

    expression: Annotated[str, Meta(min_length=1, max_length=MAX_LENGTH)]


class Call(Struct):
    """The parameters of `tools/call`."""

    name: str
    arguments: dict[str, Any] = {}


class Tool(NamedTuple):
    """An MCP tool: what it takes, and what it does with it. `work` may raise `Unevaluable`."""

    description: str
    takes: type[Struct]
    properties: dict[str, dict[str, Any]]
    work: Callable[[Any], int | float]

    def listed(self, name: str) -> dict[str, Any]:
        """Its entry in `tools/list`."""
        schema = {
            "type": "object",
            "properties": self.properties,
            "required": list(self.properties),
            "additionalProperties": False,
        }
        return {"name": name, "description": self.description, "inputSchema": schema}


_NUMBERS = {"a": {"type": "number"}, "b": {"type": "number"}}

TOOLS: dict[str, Tool] = {
    "add": Tool("Adds two numbers.", Pair, _NUMBERS, lambda pair: pair.a + pair.b),
    "multiply": Tool("Multiplies two numbers.", Pair, _NUMBERS, lambda pair: pair.a * pair.b),
    "evaluate": Tool(
        f"Evaluates an arithmetic expression: + - * / // % **, pi, e, tau, {', '.join(FUNCTIONS)}.",
        Expression,
        {"expression": {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH}},
        lambda arguments: evaluate(arguments.expression),
    ),
}


class Calculator(Agent):
    """Answers `tools/list` and `tools/call`; an expression said to it in a chat is evaluated too."""

    Options = Spoken
    options: Spoken

    async def on_request(self, method: str, params: dict[str, Any], envelope: Envelope) -> Any:
        """MCP's two methods for tools."""
        if method == "tools/list":
            return {"tools": [tool.listed(name) for name, tool in TOOLS.items()]}
        if method == "tools/call":
            return call(params)
        return await super().on_request(method, params, envelope)

    async def on_chat(self, chat: Chat) -> None:
        """Evaluate what was said."""
        try:
            key, value = "value", str(evaluate(chat.text))
        except Unevaluable:
            key, value = "none", ""
        await self.reply(chat, PHRASES.say(key, self.options.language, text=chat.text.strip(), value=value))


def call(params: dict[str, Any]) -> dict[str, Any]:
    """Call a tool: MCP's result, with `isError` where the tool could not do it.

    Raises `ToolError` (-32602) for a tool that does not exist and for arguments it does not take.
    """
    try:
        asked = msgspec.convert(params, Call)
        tool = TOOLS.get(asked.name)
        if tool is None:
            raise ToolError(INVALID_PARAMS, f"Unknown tool: {asked.name}. There are: {', '.join(TOOLS)}.")
        arguments = msgspec.convert(asked.arguments, tool.takes)
    except msgspec.ValidationError as error:
        raise ToolError(INVALID_PARAMS, f"Wrong arguments: {error}.") from None
    try:
        return _said(str(finite(tool.work(arguments))), is_error=False)
    except Unevaluable as error:
        return _said(str(error), is_error=True)


def _said(text: str, *, is_error: bool) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}
