"""The load generator, run against one server on a core of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.build import tool
from bench.failure import BenchFailure
from bench.machine import cores, pin
from bench.server import Server


def load(server: Server, arguments: Sequence[str], *, patience_s: float = 60) -> dict[str, float | str]:
    """What `load` prints about one run. Raises `BenchFailure` with its sentence when it fails."""
    with _started(server, arguments) as process:
        try:
            line, complaint = process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            raise BenchFailure(f"The load did not end in {patience_s:.0f} s.") from None
        return _figures(process, line, complaint)


@contextmanager
def held(server: Server, arguments: Sequence[str]) -> Iterator[dict[str, float | str]]:
    """Idle connections: yields when all of them stand, and insists at the end that they still do."""
    with _started(server, ["--mode", "idle", *arguments]) as process:
        line = _first_line(process)
        yield json.loads(line)
        _figures(process, line, process.communicate(timeout=10)[1])


@contextmanager
def streaming(server: Server, arguments: Sequence[str]) -> Iterator[dict[str, float | str]]:
    """Writers of streams: yields when all of theirs are open and they begin; behind it what is yielded has what they
    wrote. Raises `BenchFailure` when a frame was lost or came out of order."""
    with _started(server, ["--mode", "stream", *arguments]) as process:
        _first_line(process)
        figures: dict[str, float | str] = {}
        yield figures
        line, complaint = process.communicate(timeout=10)
        figures |= _figures(process, line, complaint)


@contextmanager
def _started(server: Server, arguments: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    command = [str(tool("load")), "--port", str(server.port), "--token", server.token, *server.options, *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            pin(process.pid, cores().load)
            yield process
        finally:
            process.kill()  # has no effect on one that has ended


def _first_line(process: subprocess.Popen[str]) -> str:
    """What `load` prints when it is under way. Raises `BenchFailure` with its sentence when it never was."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        _, complaint = process.communicate(timeout=10)
        raise BenchFailure(complaint.strip() or f"The load ended with status {process.returncode}.")
    return line


def _figures(process: subprocess.Popen[str], line: str, complaint: str) -> dict[str, float | str]:
    if process.returncode != 0:
        raise BenchFailure(complaint.strip() or f"The load ended with status {process.returncode}.")
    figures: dict[str, float | str] = json.loads(line)
    return figures
