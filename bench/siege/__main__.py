"""The command: `python -m bench.siege`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bench.command import exit_on_signals, experiment, progress_console, show_machine, width
from bench.machine import describe
from bench.siege.attacks import NAMES
from bench.siege.experiment import TARGET_MS, TARGET_STOP_MS, Siege, Unanswered, run

_HELP = f"""A chat's round trip and an emergency, alone and while strangers or participants do their worst.

A gateway as operators have it, all limits as they are by default, its journal on SQLite; one participant says something
to another a hundred times a second, each time when the one before has arrived, and five times a second an agent is
stopped by an emergency; both in another space than the attackers. The attacks come from a process of its own, on the
core of whoever measures; alone means that they attack a port of their own. Targets: a round trip's p99 at most
{TARGET_MS:g} ms above the one alone, an emergency's below {TARGET_STOP_MS:g} ms. Progress goes to stderr, the table to
stdout; if somebody is not answered any more, the row of that attack says so, the others go on, and the status is 1. All
of it takes fifteen minutes.

The attacks: {"; ".join(NAMES)}.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    seconds: Annotated[float, typer.Option(min=0.5, max=600, help="Alone, and as long under each attack.")] = 5,
    only: Annotated[str, typer.Option(metavar="WORDS", help="Those whose names have these words.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    names = [name for name in NAMES if only in name]
    if not names:
        raise typer.BadParameter(f"{only!r} is in the name of none of these: {'; '.join(NAMES)}", param_hint="--only")
    progress, machine = progress_console(), describe()
    with experiment(progress):
        found = run(names, seconds=seconds, progress=progress.print)
    if as_json:
        print(json.dumps({"machine": dict(machine), "attacks": [one.as_json() for one in found]}, indent=1))
    else:
        out = Console(highlight=False, width=width(120))
        show_machine(out, machine)
        out.print(_table(found))
    if any(isinstance(one, Unanswered) for one in found):
        raise typer.Exit(1)


def _table(found: Sequence[Siege | Unanswered]) -> Table:
    table = Table("attack", "alone: p50, p99, ms", "under it", "emergency: p99, ms", "memory, MiB", "met")
    for one in found:
        if isinstance(one, Unanswered):
            table.add_row(one.name, "", "nobody answers", "", "", "no")
            continue
        calm = f"{one.calm_ms[0]:.2f}, {one.calm_ms[1]:.2f}"
        under, stops = f"{one.p50_ms:.2f}, {one.p99_ms:.2f}", f"{one.calm_stop_ms:.2f}, {one.stop_p99_ms:.2f}"
        table.add_row(one.name, calm, under, stops, f"{one.grown_mib:+.1f}", "yes" if one.is_met else "no")
    return table


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench.siege")
