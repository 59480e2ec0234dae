"""The command: `python -m bench.siege`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bench.command import exit_on_signals, experiment, progress_console, show_machine, width
from bench.machine import describe
from bench.siege.attacks import ATTACKS
from bench.siege.experiment import Siege, run

_HELP = f"""A chat's round trip, alone and while strangers or a participant do their worst.

A gateway as operators have it, all limits as they are by default, its journal on SQLite; one participant says something
to another a hundred times a second, each time when the one before has arrived. The attacks come from a process of its
own, on the core of whoever measures: what they take there is in the figures. There is no target: a round trip is to
stay one that people do not notice. Progress goes to stderr, the table to stdout; status 1 if somebody is not answered
any more. All of it takes two and a half minutes.

The attacks: {"; ".join(ATTACKS)}.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    seconds: Annotated[float, typer.Option(min=0.5, max=600, help="Alone, and as long under each attack.")] = 5,
    only: Annotated[str, typer.Option(metavar="WORDS", help="Those whose names have these words.")] = "",
) -> None:
    names = [name for name in ATTACKS if only in name]
    if not names:
        raise typer.BadParameter(f"{only!r} is in the name of none of these: {'; '.join(ATTACKS)}", param_hint="--only")
    progress, machine = progress_console(), describe()
    with experiment(progress):
        found = run(names, seconds=seconds, progress=progress.print)
    out = Console(highlight=False, width=width(120))
    show_machine(out, machine)
    out.print(_table(found))


def _table(found: Sequence[Siege]) -> Table:
    table = Table("attack", "alone: p50, p99, ms", "under it: p50, ms", "p99, ms", "memory, MiB")
    for one in found:
        calm = f"{one.calm_ms[0]:.2f}, {one.calm_ms[1]:.2f}"
        table.add_row(one.name, calm, f"{one.p50_ms:.2f}", f"{one.p99_ms:.2f}", f"{one.grown_mib:+.1f}")
    return table


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench.siege")
