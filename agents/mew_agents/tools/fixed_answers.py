"""Answers that are written down for tools that nobody has written yet: what a definition or a flow is tried with.

A file of them is YAML, a tool a key:

    restaurant/book_table: {answers: {table: 7}}
    restaurant/tables: {answers: {list: {window: [the window, by the window]}}}
    restaurant/cancel_table: {fails: too_late}
    restaurant/table_status: silent
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mew_gateway.documents.composer import compose
from mew_gateway.documents.placing import problems
from mew_gateway.documents.problems import DocumentError, Fault, Problem, echo
from mew_gateway.documents.source import Unreadable, read

from .answer import Answer, applied, not_applied

_TOOL = re.compile(r"[^/\s]+/[^/\s]+")
_WAYS = "{answers: {…}}, {fails: CODE} or silent"


class FixedAnswer(NamedTuple):
    """The same answer to every call of a tool; `content` None: none at all."""

    content: Answer | None

    @classmethod
    def answers(cls, content: Mapping[str, Any]) -> FixedAnswer:
        """It is done. A `status` in the content says otherwise."""
        return cls({**applied("fixed"), **content})

    @classmethod
    def fails(cls, code: str) -> FixedAnswer:
        """It is certain that nothing was done."""
        return cls(not_applied(code))

    @classmethod
    def silent(cls) -> FixedAnswer:
        """Nobody answers."""
        return cls(None)

    def result(self, tool: str) -> dict[str, Any]:
        """MCP's result. Raises `TimeoutError` where nobody answers."""
        if self.content is None:
            raise TimeoutError(f"{tool} does not answer.")
        is_error = self.content["status"] != "applied"
        return {"content": [], "structuredContent": self.content, "isError": is_error}


class AnswersError(DocumentError):
    """A file of answers that cannot be used: `problems` in the order of the file, one a line in `str()`."""


def load(file: Path) -> dict[str, FixedAnswer]:
    """The answers of a file, by tool (`participant/name`). Raises `AnswersError`."""
    try:
        document = compose(read(file))
    except Unreadable as error:
        line, column = error.mark or (0, 0)
        raise AnswersError([Problem(file, line, column, "", error.message, error.suggestion)]) from None
    found = problems(document, _faults(document.root) if document.complete else (), file)
    if found:
        raise AnswersError(found)
    return {tool: _answer(told) for tool, told in document.root.items()}


def _faults(root: Any) -> Iterator[Fault]:
    if not isinstance(root, dict) or not root:
        yield Fault((), "A file of answers has a tool a key.", f"restaurant/book_table: {_WAYS}")
        return
    for tool, told in root.items():
        if _TOOL.fullmatch(tool) is None:
            yield Fault((tool,), f"{echo(tool)} is no tool.", "a tool is participant/name", at_key=True)
        if told == "silent":
            continue
        if not isinstance(told, dict) or len(told) != 1 or not set(told) <= {"answers", "fails"}:
            yield Fault((tool,), "How is it answered?", _WAYS)
        elif not isinstance(told.get("answers", {}), dict):
            yield Fault((tool, "answers"), "An answer is a mapping.", "answers: {table: 7}")
        elif not isinstance(told.get("fails", ""), str):
            yield Fault((tool, "fails"), "A code is a word.", "fails: too_late")


def _answer(told: Any) -> FixedAnswer:
    if told == "silent":
        return FixedAnswer.silent()
    return FixedAnswer.fails(told["fails"]) if "fails" in told else FixedAnswer.answers(told["answers"])
