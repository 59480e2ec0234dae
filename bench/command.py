"""What the commands of the bench have in common: their progress, the machine, and how they end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, TypeVar

import typer
from rich.console import Console

from bench.failure import BenchFailure

_T = TypeVar("_T", bound=str)


def exit_on_signals() -> None:
    """Lets SIGINT, SIGTERM and SIGHUP end this process the ordinary way, so that what it started is stopped."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _exit)


def _exit(number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)


def progress_console() -> Console:
    """Where progress is told: stderr."""
    return Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def width(columns: int) -> int | None:
    """For a console of results: a terminal's own; elsewhere so many columns, that none of a table is folded."""
    return None if sys.stdout.isatty() else columns


@contextmanager
def experiment(progress: Console) -> Iterator[None]:
    """A block whose `BenchFailure` is told, and ends the command with status 1."""
    try:
        yield
    except BenchFailure as failure:
        progress.print(f"The experiment cannot go on: {failure}", style="red")
        raise typer.Exit(1) from None


def show_machine(console: Console, machine: Mapping[str, str]) -> None:
    """What `bench.machine.describe` found, a line each."""
    for name, value in machine.items():
        console.print(f"{name + ':':<14}{value}", highlight=False, markup=False, soft_wrap=True)


def chosen(text: str, *, among: Sequence[_T], option: str) -> tuple[_T, ...]:
    """What a comma-separated option names, in its order. Raises `typer.BadParameter` for a name that is none."""
    names: dict[str, _T] = {name: name for name in among}
    wanted = [part.strip() for part in text.split(",")]
    if unknown := sorted(set(wanted) - set(names)):
        raise typer.BadParameter(f"{unknown[0]!r} is none of {', '.join(among)}", param_hint=option)
    return tuple(names[part] for part in wanted)
