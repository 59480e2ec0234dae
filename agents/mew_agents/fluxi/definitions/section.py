"""A mapping of a definition with fixed keys, in camel case in the file."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Section(BaseModel):
    """An unknown key is refused, and nothing is converted silently."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, alias_generator=to_camel, hide_input_in_errors=True
    )


def key(description: str, default: Any = ..., **bounds: Any) -> Any:
    """A key with its description; without a default it is required."""
    return Field(default, description=description, **bounds)


def duration(description: str, default: int, written: str) -> Any:
    """A key whose default, in milliseconds, the schema shows as it is written in a file."""
    return Field(default, description=description, json_schema_extra={"default": written})
