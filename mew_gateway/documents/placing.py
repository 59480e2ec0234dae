"""The faults of a document as problems: each with its place, in the order of the file, a value blamed only once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .document import Document, Mark
from .problems import Fault, Problem, dotted

_MOST = 100


def problems(document: Document, faults: Iterable[Fault], file: Path) -> list[Problem]:
    """The problems in the order of the file; a value is complained about once, by who came first."""
    placed = list(document.placed)
    settled = set(document.unknown)
    for fault in faults:
        around = (fault.path[:length] for length in range(len(fault.path) + (not fault.at_key)))
        if settled.isdisjoint(around):
            placed.append((document.mark(fault), fault))
            if not fault.at_key:
                settled.add(fault.path)
    placed.sort(key=lambda pair: pair[0])
    found = [_problem(mark, fault, file) for mark, fault in placed[:_MOST]]
    if len(placed) > _MOST:
        found.append(Problem(file, 0, 0, "", f"There are {len(placed) - _MOST} problems more."))
    return found


def _problem(mark: Mark, fault: Fault, file: Path) -> Problem:
    return Problem(file, mark.line, mark.column, dotted(fault.path), fault.message, fault.suggestion)
