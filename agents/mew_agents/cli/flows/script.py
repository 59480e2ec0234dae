"""A dialogue as a flow author writes it down: who says what, and what is to come of it."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from mew_gateway.cli.framework.failure import mistake
from mew_gateway.cli.printing.terminal import one_line

Mark: TypeAlias = Literal["<", "|", "!"]
Kind: TypeAlias = Literal["said", "setting", "deed", "comment", "outcome"]

# What a reply is, and whatever goes on behind it, when a script says nothing of either.
ALL = frozenset[str]("<|!")
_SAID = re.compile(r"(?P<who>\w*)> (?P<text>.*)")
# What looks like a mark; of something that is said, only its own mark stands before it.
_UNKNOWN = re.compile(rf"([{re.escape(string.punctuation.replace('>', ''))}]) ")
_FIRST: dict[str, Kind] = {"=": "setting", "*": "deed", "#": "comment", "<": "outcome", "|": "outcome", "!": "outcome"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a script. `text` is without its mark, `who` whoever says it, "" for the one person there is."""

    number: int
    kind: Kind
    raw: str
    text: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """The lines of a file. `marks`: the kinds of outcome that it says anything about; the others are not compared."""

    file: Path
    lines: tuple[Line, ...]

    @property
    def marks(self) -> frozenset[str]:
        found = {line.raw[0] for line in self.lines if line.kind == "outcome"}
        return frozenset(found | {"|"} if "<" in found else found)

    def wrong(self, line: Line, message: str) -> Exception:
        """The mistake in a line."""
        return mistake(f"{self.file}:{line.number}: {message}")


def read(file: Path) -> Script:
    """The script in a file. Raises `Failure` (exit status 2)."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise mistake(f"{file} cannot be read: {why}.") from None
    script = Script(file, tuple(_line(number, raw) for number, raw in enumerate(text.splitlines(), 1)))
    for line in script.lines:
        mark = _UNKNOWN.match(line.raw) if line.kind == "said" else None
        if mark is not None:
            raise script.wrong(line, f"There is no mark {mark[1]!r}; if that is said, write `> {one_line(line.raw)}`.")
    return script


def kept(lines: Iterable[str], marks: frozenset[str]) -> list[str]:
    """The lines without the outcomes of other marks."""
    return [line for line in lines if not _is_outcome(line) or line[0] in marks]


def outcome(mark: Mark, text: str) -> list[str]:
    """Something that came of a line, as lines; those after the first are marked `|`."""
    first, *others = text.splitlines() or [""]
    return [f"{mark} {first}".rstrip(), *(f"| {other}".rstrip() for other in others)]


def acts(lines: Sequence[Line]) -> list[Line]:
    """The lines that are no outcomes."""
    return [line for line in lines if line.kind != "outcome"]


def _is_outcome(line: str) -> bool:
    return _line(0, line).kind == "outcome"


def _line(number: int, raw: str) -> Line:
    said = _SAID.fullmatch(raw)
    if said is not None:
        return Line(number, "said", raw, said["text"], said["who"])
    kind = _FIRST.get(raw[:1])
    if not raw.strip():
        return Line(number, "comment", raw, "")
    if kind is not None and raw[1:2] in ("", " "):
        return Line(number, kind, raw, raw[2:].strip())
    return Line(number, "comment" if kind == "comment" else "said", raw, raw.strip())
