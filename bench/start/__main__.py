"""The command: `python -m bench.start`."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Annotated, NamedTuple

import typer
from rich.console import Console

from bench.command import exit_on_signals, experiment, progress_console, show_machine
from bench.failure import BenchFailure
from bench.machine import describe
from bench.mortal import Mortal
from bench.start.journal import spaces_file
from bench.verdicts import Target

READY = Target("≤", 2)  # seconds from a new process to its /ready 200

_HELP = """Times `mew serve` from the new process to its /ready 200, on a journal that a SIGKILL has left.

The journal is written by the gateway's own broker in a process that kills itself: one entry an envelope, 64 a commit,
50 participants in 5 spaces who chat and think. Each start gets a copy; `cold`: nothing of it is in the page cache. A
million entries take about half a minute, and half a gigabyte in TMPDIR, twice. Progress goes to stderr.

Examples:

\b
    python -m bench.start
    python -m bench.start --entries 10000 --behind 5000 --times 1     for a first look
"""


class Start(NamedTuple):
    """From a new process to /ready: on the clock, and of CPU (a busy machine makes the first longer)."""

    seconds: float
    cpu: float


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    entries: Annotated[int, typer.Option(min=1, help="Of the journal, at least.")] = 1_000_000,
    behind: Annotated[int, typer.Option(min=0, max=49_900, help="Of them behind the newest snapshot.")] = 49_900,
    times: Annotated[int, typer.Option(min=1, help="Starts, each warm and cold.")] = 5,
) -> None:
    progress, out = progress_console(), Console(highlight=False, soft_wrap=True)
    with experiment(progress):
        found = run(entries=entries, behind=behind, times=times, progress=progress.print)
    show_machine(out, describe())
    for name, starts in found.items():
        seconds, cpu = ([start[nth] for start in starts] for nth in (0, 1))
        verdict = f"{READY.verdict(median(seconds))}: at most {READY.bound:g} s"
        out.print(
            f"ready, {name + ':':<6}{median(seconds):.2f} s ({min(seconds):.2f} – {max(seconds):.2f}); "
            f"{verdict}; of CPU {median(cpu):.2f} s ({min(cpu):.2f} – {max(cpu):.2f})"
        )


def run(*, entries: int, behind: int, times: int, progress: Callable[[str], None]) -> dict[str, list[Start]]:
    """Starts, cold and warm in turns. Raises `BenchFailure`."""
    found: dict[str, list[Start]] = {"warm": [], "cold": []}
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        written = Path(folder, "written")
        written.mkdir()
        _write(written, entries, behind)
        size = sum(file.stat().st_size for file in (written / "state").glob("journal.db*"))
        progress(f"  a journal of {size / 2**20:,.0f} MiB")
        for nth in range(2 * times):
            kind = ("warm", "cold")[nth % 2]
            start = asyncio.run(_started(written, Path(folder, "life"), is_cold=kind == "cold"))
            found[kind].append(start)
            progress(f"  {kind}: ready after {start.seconds:.2f} s, {start.cpu:.2f} s of CPU")
    return found


def _write(folder: Path, entries: int, behind: int) -> None:
    """Raises `BenchFailure` if whoever writes the journal does not die of what it is to die of."""
    file = folder / "spaces.yaml"
    file.write_text(spaces_file(), encoding="utf-8")
    command = [sys.executable, "-m", "bench.start.journal", str(file), str(entries), str(behind)]
    status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode
    if status != -signal.SIGKILL:
        raise BenchFailure(f"The journal could not be written: status {status}.")


async def _started(written: Path, folder: Path, *, is_cold: bool) -> Start:
    """A start on a copy of what was written, which is gone afterwards."""
    shutil.copytree(written, folder)
    try:
        gateway = Mortal(folder, spaces_file())
        for file in gateway.journal.parent.glob("journal.db*"):
            with file.open("rb") as copied:
                os.fsync(copied.fileno())
                if is_cold:
                    os.posix_fadvise(copied.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        try:
            seconds = await gateway.start()
            return Start(seconds, gateway.cpu)
        finally:
            await gateway.kill()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench.start")
