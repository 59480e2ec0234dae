"""What a participant asks for: an MCP method and its parameters, as a person reads them before saying yes.

The arguments of a tool are shown exactly as the tool will get them. Other parameters are told apart from them. The
proposer chooses every name and every value, so nothing of them can look like another line or another argument: a name
that is more than letters and digits is quoted, a value stays in its own column, and what is cut tells its length.

`_meta` is the proposer's word on its own proposal, and nobody has verified it: for whom it asks, the words that the
values were read in, that the tool is asked to do it once. It stands under "the proposer says", below the arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..printing.terminal import clean, one_line

_LONGEST = 400  # characters of one value
_LONGEST_NAME = 24  # characters of its name
_SHORT = 80  # of one value, and of a name, where everything is on one line
_ROOM = 400  # characters of all arguments on one line
_CALL = "tools/call"
_EFFECT = "mew/effect"  # in `_meta`: the key under which the tool remembers what it did (docs/tools.md)
_EVIDENCE = "mew/evidence"  # in `_meta`: who asked for it, and with which words
_FIELDS = {_EFFECT: ("key", "attempt", "fence", "deadline"), _EVIDENCE: ("person", "work_id", "said")}
_MOST = 20  # quotations, and lines of one value
_ROWS = 100  # arguments
_ALL = ": --json has them all"
_OTHERS = "other parameters"
_NAME = re.compile(r"[\w./:@-]+")
_BLANK = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")  # letters and symbols that look like nothing


class _Asked(NamedTuple):
    """The parameters: those that the tool or the method works with, and whatever else was given."""

    arguments: dict[str, Any]
    others: dict[str, Any]


def title(method: object, params: Any) -> str:
    """What it is: the name of a tool that is called, else the method."""
    name = params.get("name") if isinstance(params, dict) and method == _CALL else None
    if isinstance(name, str):
        return _named(name)
    told = _named(method) if isinstance(method, str) else "?"
    return told if "/" in told else f"method {told}"  # not to be taken for a tool


def summary(method: object, params: Any) -> str:
    """All of it on one line: `add(a=2, b=3)`. What is cut says so."""
    arguments, others = _parts(method, params)
    told = f"{title(method, params)}({_listed(arguments)})" if arguments or others else title(method, params)
    return f"{told} and {_OTHERS}: {_listed(others)}" if others else told


def described(method: object, params: Any, *, about: str | None = None) -> RenderableType:
    """All of it, an argument a line; what is cut says so. `about`: what the proposer was doing."""
    arguments, others = _parts(method, params)
    parts: list[RenderableType] = [Text(title(method, params), style="bold", overflow="fold")]
    if arguments:
        parts.append(_grid(arguments))
    if others:
        parts.append(Text(f"  {_OTHERS}, which are no arguments:", style="not bold yellow"))
        parts.append(Padding(_grid(others), (0, 0, 0, 2)))
    notes = Table.grid(padding=(0, 1, 0, 0))
    notes.add_column(no_wrap=True)
    notes.add_column(overflow="fold")
    for line in _claims(params, about):
        notes.add_row("  ─", Text(line, style="not bold italic"))
    if notes.row_count:
        parts += [Text("  the proposer says:", style="not bold dim"), notes]
    return Group(*parts)


def during(row: dict[str, Any], sequences: dict[str, dict[str, Any]]) -> str | None:
    """What a listed proposal's agent was doing: what it said of its run, mostly the words that somebody said to it."""
    message = sequences.get(row["sequence"] or "", {}).get("message")
    return one_line(message) if message else None


def _parts(method: object, params: Any) -> _Asked:
    """The arguments of a tool, and whatever else was given; the parameters of another method."""
    if not isinstance(params, dict):
        return _Asked({} if params is None else {"params": params}, {})
    if method != _CALL:
        return _Asked(params, {})
    if not (isinstance(params.get("name"), str) and isinstance(params.get("arguments"), dict | None)):
        return _Asked({}, params)  # no call that a tool could take
    others = {key: value for key, value in params.items() if key not in ("name", "arguments", "_meta")}
    meta = params.get("_meta")
    if isinstance(meta, dict):  # what is told in words need not be told again
        meta = _untold(meta)
    return _Asked(params.get("arguments") or {}, others | ({"_meta": meta} if meta else {}))


def _untold(meta: dict[str, Any]) -> dict[str, Any]:
    """What of `_meta` is not told in words: everything but our own fields of an effect and of evidence."""
    untold = {}
    for key, value in meta.items():
        left = value
        if isinstance(value, dict) and key in _FIELDS and (key == _EVIDENCE or _attempt(value) is not None):
            left = {name: one for name, one in value.items() if name not in _FIELDS[key]}
            if not left:
                continue
        untold[key] = left
    return untold


def _claims(params: Any, about: str | None) -> Iterator[str]:
    """What the proposer says of its proposal besides what is to be done: for whom, in which words, how often."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    found = meta if isinstance(meta, dict) else {}
    evidence, effect = found.get(_EVIDENCE), found.get(_EFFECT)
    if isinstance(evidence, dict):
        yield from _evidence(evidence)
    attempt = _attempt(effect) if isinstance(effect, dict) else None
    if attempt is not None:
        again = "" if attempt == 1 else f"; this is attempt {attempt}"
        yield f"to be done once, if the tool keeps to that{again}"
    if about is not None:
        yield f"about: {about}"


def _attempt(effect: dict[str, Any]) -> int | None:
    """Which attempt at an effect it is; None: the effect is not well-formed, and no tool is asked to do it once."""
    numbers = [effect.get(name) for name in ("attempt", "fence", "deadline")]
    key, attempt = effect.get("key"), effect.get("attempt")
    is_whole = isinstance(key, str) and key != "" and all(type(number) is int for number in numbers)
    return attempt if is_whole and isinstance(attempt, int) and attempt >= 1 else None


def _evidence(evidence: dict[str, Any]) -> Iterator[str]:
    """Who asked for it, and with which words."""
    if evidence.get("person") is not None:
        yield f"for {one_line(evidence['person'])}"
    said = evidence.get("said")
    for one in said[:_MOST] if isinstance(said, list) else ():
        if isinstance(one, dict) and isinstance(one.get("words"), str):
            yield f"{one_line(one.get('slot', 'said'))}: “{one_line(one['words'], longest=_LONGEST)}”"


def _grid(values: dict[str, Any]) -> RenderableType:
    """The values by their names. No line of a value begins where a name does, however it is wrapped."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in list(values.items())[:_ROWS]:  # a long name must not push the values off the screen
        grid.add_row(Text(f"  {_cut(_named(name), _LONGEST_NAME)}"), "=", _lines(value))
    if len(values) > _ROWS:
        grid.add_row(Text("  …"), "", Text(f"and {len(values) - _ROWS:,} more{_ALL}"))
    return Padding(grid, 0, style="not bold")


def _lines(value: Any) -> Text:
    """A value in its column: a text of several lines is shown as such, anything else as JSON."""
    if not (isinstance(value, str) and "\n" in value):
        return Text(_cut(_exact(value), _LONGEST, _ALL))
    kept = "\n".join(value[:_LONGEST].split("\n")[:_MOST])
    shown = "\n".join(f"│ {_exact(line)[1:-1]}" for line in kept.split("\n"))
    return Text(shown if kept == value else f"{shown}{_told_cut(value, _ALL)}")


def _listed(values: dict[str, Any]) -> str:
    """`a=2, b=3`, and how many are left out where there is no more room."""
    told: list[str] = []
    room = _ROOM
    for name, value in values.items():
        one = f"{_named(name)}={_cut(_exact(value), _SHORT)}"
        room -= len(one)
        if room < 0 and told:
            return ", ".join([*told, f"… and {len(values) - len(told)} more"])
        told.append(one)
    return ", ".join(told)


def _named(name: str) -> str:
    """A name that cannot be taken for anything else: quoted if it is more than letters and digits."""
    is_plain = _NAME.fullmatch(name) and not _BLANK.search(name)
    return _cut(name if is_plain else json.dumps(name), _SHORT)


def _cut(text: str, longest: int, more: str = "") -> str:
    return text if len(text) <= longest else f"{text[:longest]}{_told_cut(text, more)}"


def _told_cut(text: str, more: str) -> str:
    return f"… ({len(text):,} characters{more})"


def _exact(value: Any) -> str:
    """The value as JSON on one line; what cannot be seen is escaped."""
    text = clean(json.dumps(value, ensure_ascii=False))
    return _BLANK.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
