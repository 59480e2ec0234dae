"""Turn the faults of a document into problems with positions, in file order, one for each value."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .document import Document, Mark
from .problems import Fault, Problem, dotted

_MOST = 100


def problems(document: Document, faults: Iterable[Fault], file: Path) -> list[Problem]:
    """Return the problems in file order. For each value only the first fault counts."""
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
        found.append(Problem(file, 0, 0, "", f"There are {len(placed) - _MOST} more problems."))
    return found


def _problem(mark: Mark, fault: Fault, file: Path) -> Problem:
    return Problem(file, mark.line, mark.column, dotted(fault.path), fault.message, fault.suggestion)
