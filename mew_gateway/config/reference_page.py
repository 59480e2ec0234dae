"""Generate the reference of all keys of spaces.yaml as Markdown, from the JSON Schema of the models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from mew_gateway.documents.durations import DURATION

from .loading import schema
from .rates import RATE

_NAMES = {"spaces": "SPACE", "participants": "PARTICIPANT"}  # placeholders for ids in a path
_SIMPLE = {"string": "text", "boolean": "`true` or `false`", "object": "mapping"}
_PATTERNS = {DURATION: "duration", RATE: "rate, such as `5/10s`"}
_HEAD = "| key | value | default | what it does |\n|---|---|---|---|\n"


class _Section(NamedTuple):
    """A mapping of the file: its path, and its schema."""

    path: str
    schema: dict[str, Any]


def markdown() -> str:
    """Return the Markdown: a section for each mapping of the file, with a table of its keys."""
    whole = schema()
    found: list[str] = []
    waiting = [_Section("", whole)]
    while waiting:
        section = waiting.pop(0)
        rows, below = [], []
        for key, described in section.schema.get("properties", {}).items():
            path = f"{section.path}.{key}".lstrip(".")
            inner = _mapping(path, described, whole)
            below.extend([] if inner is None else [inner])
            rows.append(_row(key, described, required=key in section.schema.get("required", ()), inner=inner))
        waiting[:0] = below
        title = f"`{section.path}`" if section.path else "The file"
        found.append(f"### {title}\n\n{section.schema.get('description', '')}\n\n{_HEAD}{''.join(rows)}")
    return "\n".join([*found, _capability(whole)])


def _capability(whole: dict[str, Any]) -> str:
    described = whole["$defs"]["Capability"]
    rows = (_row(key, one, required=key in described["required"]) for key, one in described["properties"].items())
    return f"### A capability\n\n{described['description']}\n\n{_HEAD}{''.join(rows)}"


def _mapping(path: str, described: dict[str, Any], whole: dict[str, Any]) -> _Section | None:
    """Return the section under a key; None for a value, a list, or a mapping without fixed keys."""
    for options in described.get("patternProperties", {}).values():
        return _Section(f"{path}.{_NAMES[path.rpartition('.')[2]]}", _resolved(options, whole))
    inner = _resolved(described, whole)
    return _Section(path, inner) if inner is not described and "properties" in inner else None


def _resolved(described: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    reference = described.get("$ref", "")
    return whole["$defs"][reference.rpartition("/")[2]] if reference else described


def _row(key: str, described: dict[str, Any], *, required: bool, inner: _Section | None = None) -> str:
    meaning = described.get("description", "")
    if inner is not None:
        value, meaning = "mapping", f"{meaning} See below.".strip()
    else:
        value = " or ".join(dict.fromkeys(_values(described)))
    default = "required" if required else _default(described)
    return f"| `{key}` | {value} | {default} | {meaning} |\n".replace("<", "&lt;")


def _default(described: dict[str, Any]) -> str:
    if "default" not in described:
        return ""
    default = described["default"]
    return f"`{default if isinstance(default, str) and default else json.dumps(default)}`"


def _values(described: dict[str, Any]) -> Iterator[str]:
    """Yield the allowed values of a key, in words."""
    if "enum" in described:
        yield " or ".join(f"`{one}`" for one in described["enum"])
    elif "anyOf" in described:
        for one in described["anyOf"]:
            yield from _values(one)
    elif "$ref" in described:
        yield described["$ref"].rpartition("/")[2].lower()
    elif described.get("type") == "null":
        yield "null"
    elif described.get("type") == "integer":
        yield _number(described)
    elif described.get("type") == "array":
        yield f"list of: {' or '.join(dict.fromkeys(_values(described['items'])))}"
    elif isinstance(described.get("additionalProperties"), dict):
        yield f"mapping of name to {' or '.join(_values(described['additionalProperties']))}"
    elif "propertyNames" in described:
        yield "`{step: {after: duration}}`"
    else:
        yield _PATTERNS.get(described.get("pattern", ""), _SIMPLE[described.get("type", "object")])


def _number(described: dict[str, Any]) -> str:
    least, most = described.get("minimum"), described.get("maximum")
    if least is None:
        return "whole number"
    return f"whole number from {least}" + ("" if most is None else f" to {most}")
