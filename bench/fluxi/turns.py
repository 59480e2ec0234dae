"""How a process under measurement is told to go on, and says what it did: lines of JSON (`bench.fluxi.process`)."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator


class Turn:
    """So many seconds of doing the same again and again."""

    def __init__(self, seconds: float) -> None:
        self._began = time.perf_counter()
        self._end = self._began + seconds
        self.whole: list[float] = []
        self.part: list[float] = []

    def goes_on(self) -> bool:
        """Whether there is time to do it once more."""
        return time.perf_counter() < self._end

    def took(self, whole: float, part: float = 0.0) -> None:
        """It was done once: in so many milliseconds, and the part of them that is looked at apart."""
        self.whole.append(whole)
        self.part.append(part)

    def figures(self) -> dict[str, object]:
        """What came of it."""
        return {"seconds": time.perf_counter() - self._began, "whole": self.whole, "part": self.part}


def turns() -> Iterator[Turn]:
    """A turn for each line with seconds on stdin. What was done in it is said when the next one is asked for."""
    _say("ready")
    while line := sys.stdin.readline():
        turn = Turn(float(line))
        yield turn
        _say(turn.figures())


def _say(value: object) -> None:
    print(json.dumps(value), flush=True)
