"""A process under measurement, from outside: started once, then told to go on, in turns with others."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, NamedTuple

from bench.failure import BenchFailure

_TAIL = 1000  # characters of its complaints that a failure shows


class Did(NamedTuple):
    """What came of a turn: how long it was in seconds, and milliseconds for each time (see `turns`)."""

    seconds: float
    whole: list[float]
    part: list[float]


class Process:
    """One that says when it is ready."""

    def __init__(self, process: subprocess.Popen[str], complaints: IO[str]) -> None:
        self._process = process
        self._complaints = complaints

    def await_ready(self) -> None:
        """Raises `BenchFailure` when it ends instead."""
        self._line()

    def go(self, seconds: float) -> None:
        """Tells it to do it for so long; `did` waits for the end."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()

    def did(self) -> Did:
        """What came of it. Raises `BenchFailure`."""
        return Did(**json.loads(self._line()))

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._complaints.seek(0)
            raise BenchFailure(f"A process ended: {self._complaints.read().strip()[-_TAIL:] or 'it said nothing'}")
        return line


@contextmanager
def started(module: str, *arguments: str) -> Iterator[Process]:
    """`python -m module arguments`, until the end of the block; it may not be ready yet."""
    with tempfile.TemporaryFile("w+", errors="replace") as complaints:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            start_new_session=True,
        )
        with process:
            try:
                yield Process(process, complaints)
            finally:
                process.terminate()


@contextmanager
def all_started(modules: Sequence[tuple[str, ...]]) -> Iterator[list[Process]]:
    """Several of them, all ready."""
    with ExitStack() as stack:
        processes = [stack.enter_context(started(*one)) for one in modules]
        for process in processes:
            process.await_ready()
        yield processes


def together(processes: Sequence[Process], *, seconds: float) -> list[Did]:
    """All go at the same time, for so long."""
    for process in processes:
        process.go(seconds)
    return [process.did() for process in processes]
