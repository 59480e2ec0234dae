"""The command: `python -m bench.fuzz`."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bench.command import chosen, progress_console, width

from .campaign import Campaign, Outcome
from .feeding import Found
from .target import draw
from .targets import TARGETS

_HELP = """Feeds what reads other people's bytes with garbage: frames, envelopes, patterns, spaces.yaml, flows, Works.

An input follows from the seed and its number alone. One that something is wrong with is written to a file; `--file`
feeds it again. Fails too where an input takes five seconds of the processor, hangs, or the memory goes on growing.
Progress goes to stderr, the table to stdout.

Examples:

\b
    python -m bench.fuzz                                   a million inputs for each, in some hours
    python -m bench.fuzz --target frames,patterns --inputs 20000
    python -m bench.fuzz --target envelopes --seed x --first 4711 --inputs 1
    python -m bench.fuzz --target envelopes --file .cache/fuzz/envelopes-0-4711
    python -m bench.fuzz --target envelopes --guided       by coverage, with atheris (extra `fuzz`)
"""
_SLOW = 5_000.0  # milliseconds of the processor: a YAML file of the most values there may be takes two seconds
_DRIFT = 64 * 1024  # KiB

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    target: Annotated[str, typer.Option(help="Targets, separated by commas.")] = ",".join(TARGETS),
    inputs: Annotated[int, typer.Option(min=1, help="For each target.")] = 1_000_000,
    seed: Annotated[str, typer.Option(help="What the inputs are drawn from.")] = "0",
    first: Annotated[int, typer.Option(min=0, help="The number of the first input.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Targets that are fed at a time.")] = 1,
    guided: Annotated[bool, typer.Option("--guided", help="Guided by what the inputs reach (needs atheris).")] = False,
    file: Annotated[Path | None, typer.Option(help="Feed only what is in this file.")] = None,
    folder: Annotated[Path, typer.Option(help="Where inputs are written that something is wrong with.")] = Path(
        ".cache/fuzz"
    ),
) -> None:
    names = chosen(target, among=tuple(TARGETS), option="--target")
    if file is not None:
        for name in names:
            TARGETS[name]().one(file.read_bytes())
        return
    folder.mkdir(parents=True, exist_ok=True)
    if guided:
        raise typer.Exit(max(_guided(name, inputs, folder) for name in names))
    progress = progress_console()
    with ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(_run, name, seed, first, inputs, folder, progress) for name in names]
    outcomes = dict(zip(names, (run.result() for run in runs), strict=True))
    Console(width=width(150)).print(_table(outcomes))
    wrong = [line for name, outcome in outcomes.items() for line in _wrong(name, outcome)]
    for line in wrong:
        progress.print(line, style="red")
    raise typer.Exit(1 if wrong else 0)


def _guided(name: str, inputs: int, folder: Path) -> int:
    """atheris never returns from its work: it has a process of its own."""
    command = [sys.executable, "-m", "bench.fuzz.guided", name, str(inputs), str(folder)]
    return subprocess.run(command, check=False).returncode


def _run(name: str, seed: str, first: int, inputs: int, folder: Path, progress: Console) -> Outcome:
    tenth = max(1, inputs // 10)
    told = first

    def saw(number: int) -> None:
        nonlocal told
        if number - told >= tenth:
            told = number
            progress.print(f"{name}: {number - first} of {inputs}")

    def found(fault: Found) -> None:
        where = folder / f"{name}-{seed}-{fault.number}"
        where.write_bytes(draw(TARGETS[name](), seed, fault.number))
        progress.print(f"{name}: input {fault.number} of seed {seed!r}, now in {where}:\n{fault.what}", style="red")

    return Campaign(name, seed=seed, saw=saw, found=found).run(first, inputs)


def _wrong(name: str, outcome: Outcome) -> list[str]:
    slow = [one for one in outcome.slowest if one.milliseconds >= _SLOW]
    return [
        *(f"{name}: input {found.number} is wrong." for found in outcome.found),
        *(f"{name}: input {one.number} took {one.milliseconds:.0f} ms." for one in slow),
        *([f"{name}: it grew by {outcome.drift_kib} KiB."] if outcome.drift_kib > _DRIFT else []),
    ]


def _table(outcomes: dict[str, Outcome]) -> Table:
    table = Table(title="Garbage in", title_justify="left")
    for heading in (
        "target",
        "inputs",
        "a second",
        "slowest (ms, number)",
        "memory (MiB)",
        "grown since warm",
        "wrong",
    ):
        table.add_column(heading, justify="left" if heading == "target" else "right")
    for name, outcome in outcomes.items():
        table.add_row(
            name,
            f"{outcome.inputs:,}",
            f"{outcome.inputs / (outcome.seconds or 1):,.0f}",
            ", ".join(f"{one.milliseconds:.1f} (#{one.number})" for one in outcome.slowest),
            f"{outcome.end_kib / 1024:.0f}",
            f"{outcome.drift_kib / 1024:+.1f}",
            str(len(outcome.found)),
        )
    return table


if __name__ == "__main__":
    app(prog_name="python -m bench.fuzz")
