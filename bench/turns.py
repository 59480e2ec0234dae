"""Turns: processes under measurement do the same again and again for some seconds, one after the other or together.

Each is started once. It says that it is ready, is told how many seconds a turn has, and says what it did in it: lines
of JSON. Whoever measures has `all_started` and `together`, a process itself has `turns`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from bench.process import Process, started


class Did(NamedTuple):
    """What came of a turn: how long it was in seconds, and what `Turn.took` was told, each time."""

    seconds: float
    whole: list[float]
    part: list[float]


@contextmanager
def all_started(modules: Sequence[tuple[str, ...]]) -> Iterator[list[Process]]:
    """Each `python -m module arguments`, all ready, until the end of the block. Raises `BenchFailure`."""
    with ExitStack() as stack:
        processes = [stack.enter_context(started([sys.executable, "-m", *one], talks=True)) for one in modules]
        for process in processes:
            process.line()
        yield processes


def together(processes: Sequence[Process], *, seconds: float) -> list[Did]:
    """A turn of them all, at the same time. Raises `BenchFailure`."""
    for process in processes:
        process.tell(str(seconds))
    return [Did(**json.loads(process.line())) for process in processes]


class Turn:
    """So many seconds of doing the same again and again."""

    def __init__(self, seconds: float) -> None:
        self._began = time.perf_counter()
        self._end = self._began + seconds
        self._whole: list[float] = []
        self._part: list[float] = []

    def goes_on(self) -> bool:
        """Whether there is time to do it once more."""
        return time.perf_counter() < self._end

    def took(self, whole: float, part: float = 0.0) -> None:
        """It was done once: in so many milliseconds, and the part of them that is looked at apart."""
        self._whole.append(whole)
        self._part.append(part)

    def did(self) -> Did:
        """What came of it."""
        return Did(time.perf_counter() - self._began, self._whole, self._part)


def turns() -> Iterator[Turn]:
    """A turn for each line with seconds on stdin. What was done in it is said when the next one is asked for."""
    _say("ready")
    while line := sys.stdin.readline():
        turn = Turn(float(line))
        yield turn
        _say(turn.did()._asdict())


def _say(value: object) -> None:
    print(json.dumps(value), flush=True)
