"""Preview of a request: an MCP method and its parameters, as a person reads them before approving.

The arguments of a tool are shown exactly as the tool will get them, and other parameters apart from them. The
proposer chooses every name and every value. Therefore nothing of them can look like another line or another
argument: a name with more than letters and digits is quoted, a value stays in its own column, and shortened text
states its length.

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

_MAX_VALUE = 400  # characters of one value
_MAX_NAME = 24  # characters of its name
_MAX_SHORT = 80  # characters of a value or a name in a one-line summary
_MAX_LINE = 400  # characters of all arguments in a one-line summary
_CALL = "tools/call"
_EFFECT = "mew/effect"  # in `_meta`: the tool's idempotency key (docs/tools.md)
_EVIDENCE = "mew/evidence"  # in `_meta`: who asked for the effect, and with which words
_FIELDS = {_EFFECT: ("key", "attempt", "fence", "deadline"), _EVIDENCE: ("person", "work_id", "said")}
_MAX_LINES = 20  # quotations, and lines of one value
_MAX_ROWS = 100  # arguments
_ALL = ": --json has them all"
_OTHERS = "other parameters"
_NAME = re.compile(r"[\w./:@-]+")
_BLANK = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")  # letters and symbols that are invisible


class _Parameters(NamedTuple):
    """The parameters: those that the tool or the method works with, and all others."""

    arguments: dict[str, Any]
    others: dict[str, Any]


def title(method: object, params: Any) -> str:
    """Return the name of the called tool, else the method."""
    name = params.get("name") if isinstance(params, dict) and method == _CALL else None
    if isinstance(name, str):
        return _name(name)
    text = _name(method) if isinstance(method, str) else "?"
    return text if "/" in text else f"method {text}"  # must not look like a tool


def summary(method: object, params: Any) -> str:
    """Return all of it on one line: `add(a=2, b=3)`. Shortened text says so."""
    arguments, others = _parameters(method, params)
    text = f"{title(method, params)}({_list(arguments)})" if arguments or others else title(method, params)
    return f"{text} and {_OTHERS}: {_list(others)}" if others else text


def details(method: object, params: Any, *, about: str | None = None) -> RenderableType:
    """Return all of it, an argument a line. Shortened text says so. `about`: what the proposer was doing."""
    arguments, others = _parameters(method, params)
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


def run_message(row: dict[str, Any], sequences: dict[str, dict[str, Any]]) -> str | None:
    """Return what the proposer said of its run, None if nothing: mostly the words that a person said to it."""
    message = sequences.get(row["sequence"] or "", {}).get("message")
    return one_line(message) if message else None


def _parameters(method: object, params: Any) -> _Parameters:
    """Split the parameters: the arguments of a tool and the others; of another method all are arguments."""
    if not isinstance(params, dict):
        return _Parameters({} if params is None else {"params": params}, {})
    if method != _CALL:
        return _Parameters(params, {})
    if not (isinstance(params.get("name"), str) and isinstance(params.get("arguments"), dict | None)):
        return _Parameters({}, params)  # not a valid call
    others = {key: value for key, value in params.items() if key not in ("name", "arguments", "_meta")}
    meta = params.get("_meta")
    if isinstance(meta, dict):  # what is shown in words is not repeated
        meta = _not_in_words(meta)
    return _Parameters(params.get("arguments") or {}, others | ({"_meta": meta} if meta else {}))


def _not_in_words(meta: dict[str, Any]) -> dict[str, Any]:
    """Return what of `_meta` is not shown in words: everything but our own fields of an effect and of evidence."""
    rest = {}
    for key, value in meta.items():
        left = value
        if isinstance(value, dict) and key in _FIELDS and (key == _EVIDENCE or _attempt(value) is not None):
            left = {name: one for name, one in value.items() if name not in _FIELDS[key]}
            if not left:
                continue
        rest[key] = left
    return rest


def _claims(params: Any, about: str | None) -> Iterator[str]:
    """Yield what the proposer says of its proposal besides what is to be done: for whom, in which words, how often."""
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
    """Return the attempt number of an effect; None: it is not well-formed, and no tool is asked to do it once."""
    numbers = [effect.get(name) for name in ("attempt", "fence", "deadline")]
    key, attempt = effect.get("key"), effect.get("attempt")
    is_whole = isinstance(key, str) and key != "" and all(type(number) is int for number in numbers)
    return attempt if is_whole and isinstance(attempt, int) and attempt >= 1 else None


def _evidence(evidence: dict[str, Any]) -> Iterator[str]:
    """Yield who asked for it, according to the proposer, and with which words."""
    if evidence.get("person") is not None:
        yield f"for {one_line(evidence['person'])}"
    said = evidence.get("said")
    for one in said[:_MAX_LINES] if isinstance(said, list) else ():
        if isinstance(one, dict) and isinstance(one.get("words"), str):
            yield f"{one_line(one.get('slot', 'said'))}: “{one_line(one['words'], longest=_MAX_VALUE)}”"


def _grid(values: dict[str, Any]) -> RenderableType:
    """Lay out the values by their names. No line of a value begins in the column of names, however it wraps."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in list(values.items())[:_MAX_ROWS]:  # a long name must not push the values off the screen
        grid.add_row(Text(f"  {_cut(_name(name), _MAX_NAME)}"), "=", _lines(value))
    if len(values) > _MAX_ROWS:
        grid.add_row(Text("  …"), "", Text(f"and {len(values) - _MAX_ROWS:,} more{_ALL}"))
    return Padding(grid, 0, style="not bold")


def _lines(value: Any) -> Text:
    """Format a value for its column: a text of several lines as such, anything else as JSON."""
    if not (isinstance(value, str) and "\n" in value):
        return Text(_cut(_exact(value), _MAX_VALUE, _ALL))
    kept = "\n".join(value[:_MAX_VALUE].split("\n")[:_MAX_LINES])
    shown = "\n".join(f"│ {_exact(line)[1:-1]}" for line in kept.split("\n"))
    return Text(shown if kept == value else f"{shown}{_cut_note(value, _ALL)}")


def _list(values: dict[str, Any]) -> str:
    """Return `a=2, b=3`, and how many are left out for lack of room."""
    text: list[str] = []
    room = _MAX_LINE
    for name, value in values.items():
        one = f"{_name(name)}={_cut(_exact(value), _MAX_SHORT)}"
        room -= len(one)
        if room < 0 and text:
            return ", ".join([*text, f"… and {len(values) - len(text)} more"])
        text.append(one)
    return ", ".join(text)


def _name(name: str) -> str:
    """Return a name that cannot be mistaken for anything else: quoted if it has more than letters and digits."""
    is_plain = _NAME.fullmatch(name) and not _BLANK.search(name)
    return _cut(name if is_plain else json.dumps(name), _MAX_SHORT)


def _cut(text: str, longest: int, more: str = "") -> str:
    return text if len(text) <= longest else f"{text[:longest]}{_cut_note(text, more)}"


def _cut_note(text: str, more: str) -> str:
    return f"… ({len(text):,} characters{more})"


def _exact(value: Any) -> str:
    """Return the value as JSON on one line; invisible characters are escaped."""
    text = clean(json.dumps(value, ensure_ascii=False))
    return _BLANK.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
