"""The effect: a payment is a line in a file; and the places where the process that makes it is killed."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Literal, TypeAlias

Tool: TypeAlias = Literal["plain", "asked", "keyed"]
Position: TypeAlias = Literal["before", "between", "behind"]

TOOLS: dict[Tool, str] = {
    "plain": "pays each time it is called, and cannot be asked",
    "asked": "pays each time it is called, and can be asked whether it did",
    "keyed": "pays once for a key",
}
POSITIONS: dict[Position, str] = {
    "before": "before the effect",
    "between": "after the effect, before it returns",
    "behind": "after its record, before the next step",
}
STANDING = "standing"  # the line by which a process says that it can be killed now


class Place:
    """Where this process is to be killed: there it says so, and stands still."""

    def __init__(self, position: str | None) -> None:
        self._position = position

    def reach(self, position: Position) -> None:
        """The program is at `position` now."""
        if position == self._position:
            print(STANDING, flush=True)
            threading.Event().wait()


class Payments:
    """A tool in the process of its caller. A line holds the key that it was called with; it is on the disk before the
    call returns."""

    def __init__(self, folder: Path, *, place: Place, tool: Tool) -> None:
        self._file = folder / "payments"
        self._place = place
        self._tool = tool

    def pay(self, key: str) -> None:
        """Pays: with a keyed tool only if this key has not paid yet."""
        self._place.reach("before")
        if self._tool != "keyed" or not self.paid(key):
            self._append(key)
        self._place.reach("between")

    def paid(self, key: str) -> bool:
        """Whether there is a payment of this key."""
        return key in self.made()

    def made(self) -> list[str]:
        """The keys of all payments, in order."""
        return self._file.read_text().splitlines() if self._file.exists() else []

    def _append(self, key: str) -> None:
        with self._file.open("a") as file:
            file.write(f"{key}\n")
            file.flush()
            os.fsync(file.fileno())


def told() -> tuple[Path, Tool, Place]:
    """What such a program is told: the folder of its files, the tool, and, unless it is to recover, the place."""
    folder, tool, position = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
    chosen = next(name for name in TOOLS if name == tool)
    return Path(folder), chosen, Place(position)
