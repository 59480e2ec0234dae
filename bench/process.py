"""A process that the bench starts: what it is told, what it says, and its end."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO

from bench.failure import BenchFailure

_STOP_SECONDS = 5.0
_TAIL = 2000  # characters of its output that a failure shows


class Process:
    """One that was started. Its output, but for the lines that are read, is kept for a failure."""

    def __init__(self, process: subprocess.Popen[str], output: IO[str]) -> None:
        self.pid = process.pid
        self._process = process
        self._output = output

    def tell(self, line: str) -> None:
        """Give it a line, if it talks."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def line(self) -> str:
        """Its next line, if it talks. Raises `BenchFailure` when it ends instead."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self.check()
        return line

    def check(self) -> None:
        """Raises `BenchFailure`, with the end of its output, if it has ended."""
        if self._process.poll() is not None:
            raise BenchFailure(f"The process ended with status {self._process.returncode}.{self.last_words}")

    def kill(self) -> None:
        """SIGKILL; it is gone afterwards."""
        self._process.kill()
        self._process.wait()

    @property
    def last_words(self) -> str:
        """The end of its output."""
        self._output.seek(0)
        return last_words(self._output.read())


@contextmanager
def started(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, talks: bool = False
) -> Iterator[Process]:
    """Runs `command` until the end of the block, whatever happens. One that `talks` is told lines and says some; what
    another says belongs to its output."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
            stdout=subprocess.PIPE if talks else output,
            stderr=output,
            text=True,
            env=environment,
            start_new_session=True,  # a Ctrl-C is for us: we stop it, so that its end is never a surprise
        )
        with process:
            try:
                yield Process(process, output)
            finally:
                _stop(process)


def last_words(output: str) -> str:
    """The end of what a process wrote, as a failure shows it."""
    text = output.strip()
    return f" The end of its output:\n{text[-_TAIL:]}" if text else " It wrote nothing."


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
