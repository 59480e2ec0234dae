"""Error of a value type within pydantic: a sentence and a suggestion."""

from __future__ import annotations

from pydantic_core import PydanticCustomError


def refuse(message: str, suggestion: str | None = None, *, below: str = "") -> PydanticCustomError:
    """Return an error for a validator. `validation_errors` makes a fault of it.

    `below` (`.method[0]`) extends the path.
    """
    context = {"message": message, "suggestion": suggestion, "below": below}
    return PydanticCustomError("refused", "{message}", context)
