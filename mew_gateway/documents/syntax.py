"""Sentences for YAML that is not allowed here, and for errors of the parser."""

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


class Explanation(NamedTuple):
    """Words of a parser error, and the sentence for them. `at_start`: the fault is where the parser's context began."""

    words: str
    message: str
    suggestion: str | None
    at_start: bool = False


def refusal(event: NodeEvent, text: str) -> Refusal | None:
    """Return why a node is refused (an alias, or a node with an anchor or a tag); None if it is allowed."""
    is_tagged = isinstance(event, ScalarEvent | CollectionStartEvent) and event.tag is not None
    if is_tagged or event.anchor or isinstance(event, AliasEvent):
        return _refuse_indicator(text, event.start_mark.index)
    return None


def explain(error: MarkedYAMLError, text: str) -> tuple[StreamMark | None, str, str | None]:
    """Return position, sentence and suggestion for a parser error, by the first row that fits."""
    mark: StreamMark | None = error.problem_mark or error.context_mark
    context, problem = str(error.context or ""), str(error.problem or "")
    if re.search(r"an? (tag|alias|anchor)\b", context) and error.context_mark is not None:
        return error.context_mark, *_refuse_indicator(text, error.context_mark.index)
    if re.search(r"<(tag|alias|anchor)>|undefined tag handle", problem) and mark is not None:
        return mark, *_refuse_indicator(text, mark.index)
    for words, message, suggestion, at_start in _EXPLANATIONS:
        if words in f"{context}: {problem}":
            return error.context_mark if at_start else mark, message, suggestion
    return mark, f"This is not YAML: {shorten(problem or context)}.", None


def impossible_escape(text: str) -> int:
    """Return the index of the first escape beyond Unicode; 0 if there is none."""
    beyond = (match.start() for match in _LONG_ESCAPE.finditer(text) if int(match[1], 16) > sys.maxunicode)
    return next(beyond, 0)


def _refuse_indicator(text: str, start: int) -> Refusal:
    """Return the refusal of text that starts with a YAML indicator. A token is not repeated."""
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
_EXPLANATIONS = (
    Explanation("character '\\t'", "A tab cannot indent YAML.", "indent with spaces"),
    Explanation("cannot start any token", "No text can start with this character.", "quote it"),
    Explanation("a quoted scalar: found unexpected", "This quote is not closed.", None, at_start=True),
    Explanation("mapping values are not allowed", "A second `:` is not allowed here.", "quote text that holds `: `"),
    Explanation("escape character", "An unknown escape in a quoted text.", _ESCAPE),
    Explanation("escape sequence", "An unfinished escape in a quoted text.", _ESCAPE),
    Explanation("while parsing a flow mapping", "A `{` is not closed, or a `,` is missing.", _BRACKETS),
    Explanation("while parsing a flow sequence", "A `[` is not closed, or a `,` is missing.", _BRACKETS),
    Explanation("could not find expected ':'", "A `:` is missing after this key.", None, at_start=True),
    Explanation("expected <block end>", "The indentation does not fit the lines above.", None),
    Explanation("directive", "A line that starts with `%` is a YAML directive; it is not supported.", "delete it"),
    Explanation("incompatible YAML", "This file is read as YAML 1.2 only.", "delete the `%YAML` line"),
)
