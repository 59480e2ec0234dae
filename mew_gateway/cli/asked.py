"""What somebody asks for: an MCP method and its parameters, as a person reads them before saying yes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from .terminal import clean, one_line

_LONGEST = 400  # characters of one argument
_CALL = "tools/call"
_EFFECT = "mew/effect"  # in `_meta`: the key under which the tool remembers what it did (docs/tools.md)
_EVIDENCE = "mew/evidence"  # in `_meta`: who asked for it, and with which words
_MOST = 20  # quotations


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
    for line in _evidence(params):
        text.append(f"\n  {line}", style="not bold italic")
    effect = _told(params, _EFFECT)
    if effect is not None:
        again = f", attempt {one_line(effect['attempt'])}" if effect.get("attempt") not in (None, 1) else ""
        text.append(f"\n  done once, whoever approves it{again}", style="not bold dim")
    return text


def during(row: dict[str, Any], sequences: dict[str, dict[str, Any]]) -> Text | None:
    """What a listed proposal's agent was doing: what it said of its run, mostly the words that somebody said to it."""
    message = sequences.get(row["sequence"] or "", {}).get("message")
    return Text(f"  about: {one_line(message)}", style="not bold italic") if message else None


def _arguments(method: object, params: Any) -> dict[str, Any]:
    """The arguments of a tool, and whatever else was given; the parameters of another method."""
    if not isinstance(params, dict):
        return {} if params is None else {"params": params}
    if method != _CALL:
        return params
    arguments = params.get("arguments")
    others = {key: params[key] for key in params if key not in ("name", "arguments", "_meta")}
    meta = {key: value for key, value in (_meta(params)).items() if key not in (_EFFECT, _EVIDENCE)}
    others |= {"_meta": meta} if meta else {}
    if isinstance(params.get("name"), str) and isinstance(arguments, dict | None):
        return {**(arguments or {}), **others}
    return params


def _meta(params: Any) -> dict[str, Any]:
    found = params.get("_meta") if isinstance(params, dict) else None
    return found if isinstance(found, dict) else {}


def _told(params: Any, key: str) -> dict[str, Any] | None:
    """What `_meta` has under a key: of the effect, keys for the tool, nothing that a person decides by."""
    found = _meta(params).get(key)
    return found if isinstance(found, dict) else None


def _evidence(params: Any) -> Iterator[str]:
    """Who asked for it, as the proposer tells it, and with which words."""
    evidence = _told(params, _EVIDENCE)
    if evidence is None:
        return
    if evidence.get("person") is not None:
        yield f"for {one_line(evidence['person'])}"
    said = evidence.get("said")
    for one in said[:_MOST] if isinstance(said, list) else ():
        if isinstance(one, dict) and isinstance(one.get("words"), str):
            yield f"{one_line(one.get('slot', 'said'))}: “{one_line(one['words'], longest=_LONGEST)}”"


def _cut(value: Any) -> str:
    text = clean(value if isinstance(value, str) and "\n" in value else _compact(value))
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… ({len(text):,} characters: --json has them all)"


def _compact(value: Any) -> str:
    return clean(json.dumps(value, ensure_ascii=False))
