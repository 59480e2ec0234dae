"""What pydantic found wrong, as faults: a sentence, the path of the key and a suggestion."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from .problems import Fault, KeyPath, did_you_mean, echo, nearest

_MAPPING = "a mapping (`key: value`)"
_EXPECTED = {
    "model_type": _MAPPING,
    "dict_type": _MAPPING,
    "list_type": "a list",
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "`true` or `false`",
}


def faults(error: ValidationError, model: type[BaseModel]) -> Iterator[Fault]:
    """The faults in a document that does not fit the model, in no particular order."""
    for details in error.errors(include_url=False):
        path = details["loc"]
        at_key = bool(path) and path[-1] == "[key]"
        yield _fault(details, path[:-1] if at_key else path, model, at_key=at_key)


def _fault(details: ErrorDetails, path: KeyPath, model: type[BaseModel], *, at_key: bool) -> Fault:
    kind, context, value = details["type"], details.get("ctx", {}), details["input"]
    if kind == "refused":
        path += tuple(_steps(value, context["below"]))
        return Fault(path, context["message"], context["suggestion"], at_key)
    if kind == "missing":
        return Fault(path, "The key is required.")
    if kind == "extra_forbidden":
        return Fault(path, "Unknown key.", did_you_mean(str(path[-1]), known_keys(path[:-1], model)), at_key=True)
    if path[-1:] == ("token",) or path[-2:-1] == ("tokens",):  # never repeated
        return Fault(path, "Expected the token as text.", "quote it")
    if path[-1:] == ("tokens",):
        return Fault(path, "Expected a list of tokens.", "put it in `[ ]`")
    if kind in _EXPECTED:
        return _mistaken(path, _EXPECTED[kind], value)
    if kind == "literal_error":
        choices = context["expected"].replace(" or ", ", ").replace("'", "").split(", ")
        return Fault(path, f"{_name(value)} is none of {', '.join(choices)}.", nearest(str(value), choices))
    return Fault(path, _BOUNDS[kind](context) if kind in _BOUNDS else f"{details['msg']}.")


_BOUNDS: dict[str, Callable[[dict[str, Any]], str]] = {
    "greater_than_equal": lambda context: f"The number must be at least {context['ge']}.",
    "less_than_equal": lambda context: f"The number must be at most {context['le']}.",
    "too_short": lambda _: "At least one is needed.",
    "string_too_short": lambda _: "The text must not be empty.",
}


def _mistaken(path: KeyPath, expected: str, value: Any) -> Fault:
    text = "the text " if isinstance(value, str) else ""
    return Fault(path, f"Expected {expected}, not {text}{_name(value)}.", _remedy(path, expected, value))


def _remedy(path: KeyPath, expected: str, value: Any) -> str | None:
    if expected == "text" and isinstance(value, bool | int | float):
        return f"quote it: `{json.dumps(json.dumps(value))}`"
    if expected == "a whole number" and isinstance(value, str) and value.isdecimal():
        return "write it without quotes"
    if expected == _MAPPING and value is None:
        return "`{}` is an empty one"
    if expected == _MAPPING and isinstance(value, str) and path and isinstance(path[-1], int):
        return echo(f"{{kind: {value}}}")  # the lists of mappings here are capabilities
    if expected == "a list" and isinstance(value, str | dict):
        return echo(f"[{value}]") if isinstance(value, str) else "put it in `[ ]`"
    return "`[]` is an empty one" if expected == "a list" and value is None else None


def _name(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else echo(value)


def known_keys(path: KeyPath, model: type[BaseModel]) -> list[str]:
    """The keys that the mapping at a path may have."""
    kind: Any = model
    for part in path:
        kind = kind.model_fields[part].annotation if _is_model(kind) else typing.get_args(kind)[-1]
        while typing.get_origin(kind) in (typing.Annotated, typing.Union, types.UnionType):
            kind = typing.get_args(kind)[0]
    return list(kind.model_fields) if _is_model(kind) else []


def _steps(value: Any, path: str) -> Iterator[str | int]:
    """A path such as `.a.b[0]`, step by step; the value it leads through tells where a key with dots ends."""
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
