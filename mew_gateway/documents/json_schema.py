"""Generate the JSON Schema of a document from its model."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema


def json_schema(model: type[BaseModel], title: str) -> dict[str, Any]:
    """Return the schema (draft 2020-12), with descriptions, defaults and patterns."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(schema_generator=_Untitled),
        "title": title,
    }


class _Untitled(GenerateJsonSchema):
    """Schema generator without titles for keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False
