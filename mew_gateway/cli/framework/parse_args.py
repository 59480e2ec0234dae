"""Parser of `key=value` words into the arguments of a tool."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from .failure import mistake


def parse_arguments(words: Iterable[str], schema: dict[str, Any] | None) -> dict[str, Any]:
    """Return the arguments: typed by the tool's JSON Schema; without one, JSON if that loses nothing, else text.

    Raises `Failure` for a word without `=`, a name that is given twice, and a value that the schema does not allow.
    """
    properties = (schema or {}).get("properties")
    found: dict[str, Any] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not (sign and name):
            raise mistake(f"An argument must be name=value, got {word!r}.")
        if name in found:
            raise mistake(f"{name} is given twice.")
        known = properties.get(name) if isinstance(properties, dict) else None
        found[name] = _typed_value(name, text, known if isinstance(known, dict) else {}) if schema else _guess(text)
    return found


def json_arguments(text: str) -> dict[str, Any]:
    """Return the arguments in a JSON object. Raises `Failure`."""
    return json_object(text, "--arguments")


def json_object(text: str | None, option: str) -> dict[str, Any]:
    """Return the JSON object of an option; empty if it is not given. Raises `Failure`."""
    if text is None:
        return {}
    try:
        return msgspec.json.decode(text.encode("utf-8", "surrogateescape"), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise mistake(f"{option} is not a JSON object: {error}") from None


def json_or_text(text: str) -> Any:
    """Return what was typed as a JSON value, else as text."""
    read, is_json = _json(text)
    return read if is_json else text


def _guess(text: str) -> Any:
    """Return the value of an argument without a schema. `49.90` and `007` stay text, because JSON would change them."""
    read, is_json = _json(text)
    is_exact = is_json and (isinstance(read, list | dict) or msgspec.json.encode(read).decode() == text)
    return read if is_exact else text


def _typed_value(name: str, text: str, schema: dict[str, Any]) -> Any:
    """Return the value of an argument by its schema."""
    types = _types(schema)
    read, is_json = _json(text)
    if is_json and _fits(read, types):
        return read
    if not types or "string" in types:
        return text
    raise mistake(f"{name} must be {_with_article(types)}, got {text!r}.")


def _with_article(types: list[str]) -> str:
    """Return the types as in `an integer or a number`."""
    return " or ".join(name if name == "null" else f"{'an' if name[:1] in 'aeio' else 'a'} {name}" for name in types)


def _json(text: str) -> tuple[Any, bool]:
    try:
        return msgspec.json.decode(text.encode("utf-8", "surrogateescape")), True
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None, False


def _types(schema: dict[str, Any]) -> list[str]:
    """Return the types that a schema allows, none if it does not say."""
    said = schema.get("type")
    if isinstance(said, str):
        return [said]
    if isinstance(said, list):
        return [one for one in said if isinstance(one, str)]
    options = [one for key in ("anyOf", "oneOf") for one in schema.get(key, ()) if isinstance(one, dict)]
    if not options and "enum" in schema and all(isinstance(one, str) for one in schema["enum"]):
        return ["string"]
    found = [_types(one) for one in options]
    return [] if not all(found) else [name for names in found for name in names]


def _fits(value: Any, types: list[str]) -> bool:
    """Return true if a JSON value has one of the types. A quoted text does not count: where text is wanted, quotes
    are part of it."""
    if not types:
        return True
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, int):
        return "integer" in types or "number" in types
    if isinstance(value, float):
        return "number" in types or ("integer" in types and value.is_integer())
    if value is None:
        return "null" in types
    if isinstance(value, str):
        return False  # the quotes are part of the text
    return ("array" if isinstance(value, list) else "object") in types
