"""The command: `python -m bench.kill`."""

from __future__ import annotations

from collections import Counter
from importlib.metadata import version
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bench.command import chosen, exit_on_signals, experiment, progress_console, width
from bench.kill.experiment import SYSTEMS, Cell, Ended, System, run
from bench.kill.payments import POSITIONS, TOOLS

_HELP = """Kills Fluxi, DBOS and LangGraph around a payment, starts them again, and counts the payments.

Needs the extra `bench`. Progress goes to stderr, the table to stdout; `--times 20` takes about a quarter of an hour.
docs/kill-experiment.md explains it.

Examples:

\b
    python -m bench.kill                     twenty times each
    python -m bench.kill --times 1           for a first look, in a minute
    python -m bench.kill --only fluxi
"""
_PACKAGES: dict[System, tuple[str, ...]] = {
    "fluxi": ("mew-gateway",),
    "dbos": ("dbos",),
    "langgraph": ("langgraph", "langgraph-checkpoint-sqlite"),
}

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    times: Annotated[int, typer.Option(min=1, help="Kills at each place.")] = 20,
    only: Annotated[str, typer.Option(help="Systems, separated by commas.")] = ",".join(SYSTEMS),
) -> None:
    wanted = chosen(only, among=SYSTEMS, option="--only")
    systems = tuple(system for system in SYSTEMS if system in wanted)
    progress = progress_console()

    def saw(cell: Cell, ended: Ended) -> None:
        where = f"{cell.system:<10}{cell.tool:<6} {POSITIONS[cell.position]}"
        progress.print(f"{where}: {_words(ended)}")

    with experiment(progress):
        found = run(systems=systems, times=times, saw=saw)
    console = Console(width=width(150))
    packages = [f"{name} {version(name)}" for system in systems for name in _PACKAGES[system]]
    console.print(f"{', '.join(packages)}; each killed {times} times at each place\n", highlight=False)
    console.print(_table(systems, found))


def _table(systems: tuple[System, ...], found: dict[Cell, Counter[Ended]]) -> Table:
    table = Table(title="Payments after the second start", title_justify="left")
    for heading in ("the tool", "system", *(f"killed {where}" for where in POSITIONS.values())):
        table.add_column(heading)
    for tool, about in TOOLS.items():
        for system in systems:
            cells = [_outcomes(found[Cell(system, tool, position)]) for position in POSITIONS]
            table.add_row(about if system == systems[0] else "", system, *cells)
        table.add_section()
    return table


def _outcomes(ended: Counter[Ended]) -> str:
    return "\n".join(f"{_words(one)} ({times} ×)" for one, times in ended.most_common())


def _words(ended: Ended) -> str:
    status = ended.status.replace("_", " ")
    return f"{ended.payments}, {status}"


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench.kill")
