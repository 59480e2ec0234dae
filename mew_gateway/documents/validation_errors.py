"""Translate pydantic errors into faults: a sentence, the path of the key and a suggestion."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from pydantic import BaseModel, Tag, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from .problems import Fault, KeyPath, did_you_mean, echo, nearest

# Returns the caller's own fault for an error at a path, or None for the standard one.
Special: TypeAlias = Callable[[KeyPath, ErrorDetails], Fault | None]

MAPPING = "a mapping (`key: value`)"
_EXPECTED = {
    "model_type": MAPPING,
    "dict_type": MAPPING,
    "list_type": "a list",
    "tuple_type": "a list",
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "`true` or `false`",
}


def faults(error: ValidationError, model: type[BaseModel], special: Special | None = None) -> Iterator[Fault]:
    """Yield the faults of a document that does not fit the model, in no particular order."""
    for details in error.errors(include_url=False):
        location = details["loc"]
        at_key = bool(location) and location[-1] == "[key]"
        path, kind = _resolve_location(location[:-1] if at_key else location, model)
        own = special(path, details) if special is not None and details["type"] not in _STRUCTURAL else None
        yield own or _fault(details, path, kind, at_key=at_key)


_STRUCTURAL = ("refused", "missing", "extra_forbidden")


def _fault(details: ErrorDetails, path: KeyPath, above: Any, *, at_key: bool) -> Fault:
    kind, context, value = details["type"], details.get("ctx", {}), details["input"]
    if kind == "refused":
        path += tuple(_steps(value, context["below"]))
        return Fault(path, context["message"], context["suggestion"], at_key)
    if kind == "missing":
        return Fault(path, "The key is required.")
    if kind == "extra_forbidden":
        return Fault(path, "Unknown key.", did_you_mean(str(path[-1]), _keys(above)), at_key=True)
    if kind in _EXPECTED:
        return type_fault(path, _EXPECTED[kind], value)
    if kind == "literal_error":
        choices = context["expected"].replace(" or ", ", ").replace("'", "").split(", ")
        return Fault(path, f"{_name(value)} is not one of {', '.join(choices)}.", nearest(str(value), choices), at_key)
    if kind == "union_tag_not_found":
        key = context["discriminator"].strip("'")
        if not isinstance(value, dict):
            return type_fault(path, MAPPING, value)
        return Fault((*path, key), "The key is required.")
    if kind == "union_tag_invalid":
        key = context["discriminator"].strip("'")
        choices = context["expected_tags"].replace("'", "").split(", ")
        message = f"{_name(context['tag'])} is not one of {', '.join(choices)}."
        return Fault((*path, key), message, nearest(context["tag"], choices))
    return Fault(path, _BOUNDS[kind](context) if kind in _BOUNDS else f"{details['msg']}.")


_BOUNDS: dict[str, Callable[[dict[str, Any]], str]] = {
    "greater_than_equal": lambda context: f"The number must be at least {context['ge']}.",
    "less_than_equal": lambda context: f"The number must be at most {context['le']}.",
    "too_short": lambda _: "At least one is needed.",
    "string_too_short": lambda _: "The text must not be empty.",
}


def type_fault(path: KeyPath, expected: str, value: Any, remedy: str | None = None) -> Fault:
    """Return the fault of a value of the wrong type."""
    text = "the text " if isinstance(value, str) else ""
    return Fault(path, f"Expected {expected}, not {text}{_name(value)}.", remedy or _remedy(expected, value))


def _remedy(expected: str, value: Any) -> str | None:
    if expected == "text" and isinstance(value, bool | int | float):
        return f"quote it: `{json.dumps(json.dumps(value))}`"
    if expected == "a whole number" and isinstance(value, str) and value.isdecimal():
        return "write it without quotes"
    if expected == MAPPING and value is None:
        return "`{}` is an empty one"
    if expected == "a list" and isinstance(value, str | dict):
        return echo(f"[{value}]") if isinstance(value, str) else "put it in `[ ]`"
    return "`[]` is an empty one" if expected == "a list" and value is None else None


def _name(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else echo(value)


def _resolve_location(location: KeyPath, model: type[BaseModel]) -> tuple[KeyPath, Any]:
    """Return a location without the tags of unions, which are not keys, and the type that holds its last key."""
    path: KeyPath = ()
    kind: Any = model
    above: Any = model
    for part in location:
        member = _union_member(kind, part)
        if member is not None:
            kind = member
            continue
        path += (part,)
        above, kind = _plain_type(kind), _type_of_key(_plain_type(kind), part)
    return path, above


def _type_of_key(kind: Any, key: str | int) -> Any:
    if _is_model(kind):
        named = {_alias(name, field): field for name, field in kind.model_fields.items()}
        return _annotated(named[str(key)]) if key in named else None
    arguments = [argument for argument in typing.get_args(kind) if argument is not Ellipsis]
    return arguments[-1] if arguments else None


def _annotated(field: FieldInfo) -> Any:
    """Return a field's type with its discriminator, which pydantic stores apart."""
    if field.discriminator is None:
        return field.annotation
    return typing.Annotated[field.annotation, FieldInfo(discriminator=field.discriminator)]


def _union_member(kind: Any, part: str | int) -> Any:
    """Return the member of a tagged union for a tag; None for any other type."""
    while typing.get_origin(kind) is typing.Annotated and not _is_union(typing.get_args(kind)[0]):
        kind = typing.get_args(kind)[0]
    if typing.get_origin(kind) is not typing.Annotated or not isinstance(part, str):
        return None
    marks = typing.get_args(kind)
    by = next((getattr(mark, "discriminator", None) for mark in marks[1:] if hasattr(mark, "discriminator")), None)
    for member in typing.get_args(marks[0]):
        if isinstance(by, str) and part in typing.get_args(_plain_type(member).model_fields[by].annotation):
            return member
        if any(isinstance(mark, Tag) and mark.tag == part for mark in getattr(member, "__metadata__", ())):
            return member
    return None


def _plain_type(kind: Any) -> Any:
    """Return a type without annotations; for an optional type, the type itself."""
    while typing.get_origin(kind) is typing.Annotated or _is_union(kind):
        kind = typing.get_args(kind)[0]
    return kind


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def _keys(kind: Any) -> list[str]:
    """Return the keys that a mapping of this type may have."""
    return [_alias(name, field) for name, field in kind.model_fields.items()] if _is_model(kind) else []


def _alias(name: str, field: FieldInfo) -> str:
    return field.alias or name


def _steps(value: Any, path: str) -> Iterator[str | int]:
    """Yield the steps of a path such as `.a.b[0]`; the value shows where a key with dots ends."""
    while path:
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            step = f".{key}" if isinstance(value, dict) else f"[{key}]"
            if path == step or path.startswith((f"{step}.", f"{step}[")):
                yield key
                value, path = child, path[len(step) :]
                break
        else:
            return


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
