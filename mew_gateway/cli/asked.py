"""What somebody asks for: an MCP method and its parameters, as a person reads them before saying yes."""

from __future__ import annotations

import json
from typing import Any

from rich.text import Text

from .terminal import clean, one_line

_LONGEST = 400  # characters of one argument
_CALL = "tools/call"


def title(method: object, params: Any) -> str:
    """What it is: the name of a tool that is called, else the method."""
    name = params.get("name") if isinstance(params, dict) and method == _CALL else None
    return one_line(name) if isinstance(name, str) else one_line(method or "?")


def summary(method: object, params: Any) -> str:
    """All of it on one line, cut if it is long: `add(a=2, b=3)`."""
    told = ", ".join(f"{one_line(name)}={_compact(value)}" for name, value in _arguments(method, params).items())
    return one_line(f"{title(method, params)}({told})" if told else title(method, params))


def described(method: object, params: Any) -> Text:
    """All of it, an argument a line; what is cut says so."""
    text = Text(title(method, params), style="bold")
    for name, value in _arguments(method, params).items():
        text.append(f"\n  {one_line(name)} = {_cut(value)}", style="not bold")
    return text


def _arguments(method: object, params: Any) -> dict[str, Any]:
    """The arguments of a tool, and whatever else was given; the parameters of another method."""
    if not isinstance(params, dict):
        return {} if params is None else {"params": params}
    if method != _CALL:
        return params
    arguments, others = (
        params.get("arguments"),
        {key: params[key] for key in params if key not in ("name", "arguments")},
    )
    if isinstance(params.get("name"), str) and isinstance(arguments, dict | None):
        return {**(arguments or {}), **others}
    return params


def _cut(value: Any) -> str:
    text = clean(value if isinstance(value, str) and "\n" in value else _compact(value))
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… ({len(text):,} characters: --json has them all)"


def _compact(value: Any) -> str:
    return clean(json.dumps(value, ensure_ascii=False))
