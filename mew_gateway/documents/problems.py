"""Problems of a file, with their positions, and the error that carries all of them."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from mew_gateway.errors import MewError

KeyPath = tuple[str | int, ...]

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_ECHO = 60
_LONGEST_PATH = 120


class Problem(NamedTuple):
    """One problem to correct. `line` and `column` count from 1; line 0 means the whole file."""

    file: Path
    line: int
    column: int
    key_path: str
    message: str
    suggestion: str | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else f"{self.file}"
        path = f" {self.key_path}:" if self.key_path else ""
        if not self.suggestion:
            return f"{place}:{path} {self.message}"
        return f"{place}:{path} {self.message.removesuffix('.')} ({self.suggestion})"


class DocumentError(MewError):
    """The document cannot be used: `problems` in the order of the file, one per line in `str()`."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Fault(NamedTuple):
    """A problem with a key path, before its position is known. `at_key` points at the key instead of the value."""

    path: KeyPath
    message: str
    suggestion: str | None = None
    at_key: bool = False


def dotted(path: KeyPath) -> str:
    """Return a path as text: `spaces.demo.roles.supervisor[0].kind`. Unusual keys are quoted."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (
                part if _PLAIN.fullmatch(part) else json.dumps(shorten(part), ensure_ascii=False)
            )
    return text if len(text) <= _LONGEST_PATH else text[:_LONGEST_PATH] + "…"


def echo(value: Any) -> str:
    """Return a scalar in backticks, on one line and of bounded length."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return f"`{shorten(text)}`"


def shorten(text: str) -> str:
    """Return the text with unprintable characters escaped, cut to 60 characters."""
    printable = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text[:_LONGEST_ECHO]
    )
    return printable + ("…" if len(text) > _LONGEST_ECHO else "")


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """Return the nearest known word as a question, or all known words if they are at most twelve."""
    words = list(known)
    if words and len(words) <= 12:
        return nearest(word, words) or "known here: " + ", ".join(map(shorten, words))
    return nearest(word, words)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the nearest known word as a question; None if none is near."""
    near = difflib.get_close_matches(word[:_LONGEST_ECHO], known, n=1)
    return f"did you mean {echo(near[0])}?" if near else None
