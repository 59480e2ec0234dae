"""Add the allowed values of a field to the error about a value that is not allowed."""

from __future__ import annotations

import re
from typing import Any

import msgspec

_ENUM = re.compile(r"Invalid enum value .* - at `(?P<path>\$[^`]*)`", re.DOTALL)
_MOST = 50  # choices that are told


def with_choices(error: msgspec.ValidationError, schema: dict[str, Any]) -> str:
    """Return the error in words, with the allowed values of the field.

    `schema` is the JSON Schema of the whole document.
    """
    found = _ENUM.fullmatch(str(error))
    if found is None:
        return str(error)
    choices = sorted(map(repr, _choices(schema, schema, found["path"].split(".")[1:])))
    return f"{error}; it is one of {', '.join(choices[:_MOST])}" if choices else str(error)


def _choices(schema: dict[str, Any], whole: dict[str, Any], path: list[str]) -> list[Any]:
    """Return the values that a JSON Schema lists at a path, as msgspec writes it: `a.b[...]`."""
    if "$ref" in schema:
        return _choices(whole["$defs"][schema["$ref"].removeprefix("#/$defs/")], whole, path)
    if "anyOf" in schema:
        return [value for one in schema["anyOf"] for value in _choices(one, whole, path)]
    if not path:
        return list(schema.get("enum", ()))
    name, _, below = path[0].partition("[")
    if name:
        inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
    else:  # into a list
        inner, below = schema.get("items"), below.partition("]")[2].removeprefix("[")
    rest = ["[" + below, *path[1:]] if below else path[1:]
    return _choices(inner, whole, rest) if isinstance(inner, dict) else []
