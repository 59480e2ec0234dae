"""The experiment: start the program, kill it at a place, start it again, and count the payments."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from bench.failure import BenchFailure
from bench.kill.payments import POSITIONS, STANDING, TOOLS, Position, Tool
from bench.process import started

System: TypeAlias = Literal["fluxi", "dbos", "langgraph"]

SYSTEMS: tuple[System, ...] = ("fluxi", "dbos", "langgraph")
_AT_ONCE = 2
_PATIENCE = 60.0  # seconds for a program to reach its place, or its end


class Cell(NamedTuple):
    """A system with a tool, killed at a position."""

    system: System
    tool: Tool
    position: Position


class Ended(NamedTuple):
    """What was left after the second start: how many payments, and how the program says that it ended."""

    payments: int
    status: str


def run(*, systems: tuple[System, ...], times: int, saw: Callable[[Cell, Ended], None]) -> dict[Cell, Counter[Ended]]:
    """Kills each system with each tool at each position so many times. Raises `BenchFailure`."""
    found: dict[Cell, Counter[Ended]] = {cell: Counter() for cell in _cells(systems)}
    # In turns, so that whatever the machine is doing meets all systems alike.
    cells = [cell for _ in range(times) for cell in found]
    with ThreadPoolExecutor(_AT_ONCE) as workers:
        for cell, ended in zip(cells, workers.map(_kill_once, cells), strict=True):
            found[cell][ended] += 1
            saw(cell, ended)
    return found


def _cells(systems: tuple[System, ...]) -> Iterator[Cell]:
    for tool, system, position in product(TOOLS, systems, POSITIONS):
        yield Cell(system, tool, position)


def _kill_once(cell: Cell) -> Ended:
    with tempfile.TemporaryDirectory(prefix="mew-kill-") as folder:
        command = [sys.executable, "-m", f"bench.kill.with_{cell.system}", folder, cell.tool]
        with started([*command, cell.position], talks=True) as process:
            line = process.line().strip()
            process.kill()
        if line != STANDING:
            raise BenchFailure(f"{cell.system} did not get {POSITIONS[cell.position]}: it said {line!r}.")
        again = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=_PATIENCE, check=False)
        if again.returncode != 0:
            raise BenchFailure(f"{cell.system} ended with status {again.returncode} when it was started again.")
        payments = Path(folder, "payments")
        made = payments.read_text().splitlines() if payments.exists() else []
        return Ended(len(made), again.stdout.strip())
