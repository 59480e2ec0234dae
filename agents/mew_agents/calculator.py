"""An agent with MCP tools: add, multiply, and evaluate, which takes a whole expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from mew_gateway.sdk import Agent, Chat, ToolFailed, tool

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

Number = int | float
Expression = Annotated[str, Meta(min_length=1, max_length=MAX_LENGTH)]


class Calculator(Agent):
    """Offers its tools to who may call them; an expression said to it in a chat is evaluated too."""

    Options = Spoken
    options: Spoken

    @tool
    def add(self, a: Number, b: Number) -> str:
        """Adds two numbers."""
        return _said(lambda: a + b)

    @tool
    def multiply(self, a: Number, b: Number) -> str:
        """Multiplies two numbers."""
        return _said(lambda: a * b)

    @tool(description=f"Evaluates an arithmetic expression: + - * / // % **, pi, e, tau, {', '.join(FUNCTIONS)}.")
    def evaluate(self, expression: Expression) -> str:
        """Evaluates an expression."""
        return _said(lambda: evaluate(expression))

    async def on_chat(self, chat: Chat) -> None:
        """Evaluate what was said."""
        try:
            key, value = "value", str(evaluate(chat.text))
        except Unevaluable:
            key, value = "none", ""
        await self.reply(chat, PHRASES.say(key, self.options.language, text=chat.text.strip(), value=value))


def _said(work: Callable[[], Number]) -> str:
    """A tool's answer; what has no value is the tool's failure, and its text the answer."""
    try:
        return str(finite(work()))
    except Unevaluable as error:
        raise ToolFailed(str(error)) from None
