"""What this file does not allow of YAML, and the parser's complaints, as sentences a person understands."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from ruamel.yaml.error import MarkedYAMLError, StreamMark
from ruamel.yaml.events import AliasEvent, CollectionStartEvent, NodeEvent, ScalarEvent

from .problems import echo, shorten

Refusal = tuple[str, str | None]

_MEANING = {"!": "a tag", "*": "an alias", "&": "an anchor"}
_BEFORE_TOKEN = re.compile(r"tokens?[\"']?\s*:[^:{}\]]*\Z")
_LONG_ESCAPE = re.compile(r"\\U([0-9A-Fa-f]{8})")
_WORD = re.compile(r"[^\s,\[\]{}]*")


class Complaint(NamedTuple):
    """Words of the parser, what they mean to a person, and whether the fault is where the parser began."""

    words: str
    message: str
    suggestion: str | None
    at_start: bool = False


def refusal(event: NodeEvent, text: str) -> Refusal | None:
    """Why a node of the text is refused: it is an alias, or has an anchor or a tag. None: it is not."""
    is_tagged = isinstance(event, ScalarEvent | CollectionStartEvent) and event.tag is not None
    if is_tagged or event.anchor or isinstance(event, AliasEvent):
        return _indicated(text, event.start_mark.index)
    return None


def explain(error: MarkedYAMLError, text: str) -> tuple[StreamMark | None, str, str | None]:
    """The parser's complaint about a text: its place, a sentence and a suggestion, by the first row that fits."""
    mark: StreamMark | None = error.problem_mark or error.context_mark
    context, problem = str(error.context or ""), str(error.problem or "")
    if re.search(r"an? (tag|alias|anchor)\b", context) and error.context_mark is not None:
        return error.context_mark, *_indicated(text, error.context_mark.index)
    if re.search(r"<(tag|alias|anchor)>|undefined tag handle", problem) and mark is not None:
        return mark, *_indicated(text, mark.index)
    for words, message, suggestion, at_start in _COMPLAINTS:
        if words in f"{context}: {problem}":
            return error.context_mark if at_start else mark, message, suggestion
    return mark, f"This is not YAML: {shorten(problem or context)}.", None


def impossible_escape(text: str) -> int:
    """Where the first escape stands that is beyond Unicode; 0 if there is none."""
    beyond = (match.start() for match in _LONG_ESCAPE.finditer(text) if int(match[1], 16) > sys.maxunicode)
    return next(beyond, 0)


def _indicated(text: str, start: int) -> Refusal:
    """The refusal of what starts with a character that means something to YAML. A token is not repeated."""
    if _BEFORE_TOKEN.search(text, max(0, start - 600), start):
        return "A token that starts with `!`, `*` or `&` must be quoted.", None
    indicator = text[start : start + 1]
    if indicator not in _MEANING:
        return "Tags, aliases and anchors are not allowed here.", None
    found = _WORD.match(text, start)
    quoted = echo(f'"{found[0] if found else indicator}"')
    message = f"`{indicator}` starts {_MEANING[indicator]} in YAML, which is not allowed here."
    return message, f"a pattern that starts with `{indicator}` must be quoted: {quoted}"


_BRACKETS = "text with a bracket or a comma must be quoted"
_ESCAPE = "single quotes take `\\` as it is"
_COMPLAINTS = (
    Complaint("character '\\t'", "A tab cannot indent YAML.", "indent with spaces"),
    Complaint("cannot start any token", "No text can start with this character.", "quote it"),
    Complaint("a quoted scalar: found unexpected", "This quote is not closed.", None, at_start=True),
    Complaint("mapping values are not allowed", "A second `:` makes no sense here.", "quote text that holds `: `"),
    Complaint("escape character", "An unknown escape in a quoted text.", _ESCAPE),
    Complaint("escape sequence", "An unfinished escape in a quoted text.", _ESCAPE),
    Complaint("while parsing a flow mapping", "A `{` is not closed, or a `,` is missing.", _BRACKETS),
    Complaint("while parsing a flow sequence", "A `[` is not closed, or a `,` is missing.", _BRACKETS),
    Complaint("could not find expected ':'", "A `:` is missing behind this key.", None, at_start=True),
    Complaint("expected <block end>", "The indentation does not fit what stands above.", None),
    Complaint("directive", "A line that starts with `%` is a YAML directive; it is not understood.", "delete it"),
    Complaint("incompatible YAML", "This file is read as YAML 1.2 only.", "delete the `%YAML` line"),
)
