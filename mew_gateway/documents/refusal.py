"""How a type of value refuses what does not fit it, within pydantic: a sentence and what to do."""

from __future__ import annotations

from pydantic_core import PydanticCustomError


def refuse(message: str, suggestion: str | None = None, *, below: str = "") -> PydanticCustomError:
    """What a validator raises; `explain` turns it into a fault, `below` (`.method[0]`) the value's path."""
    context = {"message": message, "suggestion": suggestion, "below": below}
    return PydanticCustomError("refused", "{message}", context)
