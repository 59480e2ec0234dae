"""What was measured, as a table for people and as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from bench.command import show_machine
from bench.measurement import Result, Row, brief

_QUIET = 0.15  # cores that others may use before the figures are doubtful


def show(console: Console, *, machine: Mapping[str, str], command: str, found: Mapping[str, Result]) -> None:
    """Prints the machine, the command, one table, and a line each for what does not fit in it."""
    show_machine(console, machine)
    console.print(f"{'command:':<14}{command}\n", highlight=False, markup=False, soft_wrap=True)
    rows = [row for result in found.values() for row in result.rows()]
    if rows:
        console.print(_table(rows))
    _warn_of_noise(console, max((result.noise for result in found.values()), default=0.0))
    for result in found.values():
        for line in result.lines():
            console.print(line, highlight=False, soft_wrap=True)


def as_json(*, machine: Mapping[str, str], command: str, found: Mapping[str, Result]) -> dict[str, object]:
    """The same with every run's figures, as JSON."""
    measured = {name: result.as_json() for name, result in found.items()}
    return {"machine": dict(machine), "command": command, "measured": measured}


def _table(rows: list[Row]) -> Table:
    table = Table(title="Medians of the rounds; of ratios, round by round: median (least – most)", title_justify="left")
    for heading in ("scenario", "figure"):
        table.add_column(heading)
    table.add_column("gateway", justify="right")
    table.add_column("peer")
    table.add_column("its figure", justify="right")
    table.add_column("gateway / peer, or the figure", justify="right")
    table.add_column("target", no_wrap=True)
    for row in rows:
        table.add_row(
            f"{row.what} ({row.whose})" if row.whose else row.what,
            row.unit,
            brief(row.ours.median),
            row.peer or "–",
            brief(row.theirs.median) if row.theirs else "–",
            str(row.judged),
            _verdict(row),
        )
    return table


def _verdict(row: Row) -> str:
    return f"{row.target}: {row.target.verdict(row.judged.median)}" if row.target else "–"


def _warn_of_noise(console: Console, cores: float) -> None:
    if cores > _QUIET:
        console.print(
            f"[yellow]Not a quiet machine:[/yellow] in one run other processes used {cores:.2f} of a core; "
            "do not trust these ratios.",
            highlight=False,
            soft_wrap=True,
        )
