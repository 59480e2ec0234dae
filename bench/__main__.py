"""The command: `python -m bench`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console

from bench.failure import BenchFailure
from bench.gateway import Journal
from bench.machine import describe
from bench.report import as_json, show
from bench.rounds import FULL, QUICK, SERVERS, Bench
from bench.scenario import ACK, BOOKING, BOOKINGS, DECISION, EFFECT, FLOWS, IDLE, NAMES, SCENARIOS, STREAMS
from bench.server import exit_on_signals

_HELP = """Measures the gateway against the floor of this machine and a plain server.

Five rounds; in each the servers run one after the other, so that a ratio compares figures of the same minute.
Progress goes to stderr, the table to stdout. Takes about eight minutes.

Examples:

\b
    python -m bench                                  everything
    python -m bench --quick                          one short round, for a first look
    python -m bench --only fan-out,idle --json out.json
    python -m bench --only ack,decision              agents that are interrupted
    python -m bench --only booking,bookings,effect   Fluxi
    python -m bench --only flows                     flows beside LangGraph
    python -m bench --quick --servers floor,plain    without the gateway
    python -m bench --journal memory                 what the journal costs
"""

_T = TypeVar("_T", bound=str)

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="One round of one second.")] = False,
    only: Annotated[str, typer.Option(help="Scenarios, separated by commas.")] = ",".join(NAMES),
    servers: Annotated[str, typer.Option(help="Servers, separated by commas.")] = ",".join(SERVERS),
    journal: Annotated[
        Journal, typer.Option(help="The gateway's: SQLite with that `synchronous`, or memory.")
    ] = "normal",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every figure to this file.")] = None,
) -> None:
    progress = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    bench = Bench(
        servers=_chosen(servers, among=SERVERS, option="--servers"),
        effort=QUICK if quick else FULL,
        journal=journal,
        progress=progress.print,
    )
    names = _chosen(only, among=NAMES, option="--only")
    machine, command = describe(), shlex.join(["python", "-m", "bench", *sys.argv[1:]])
    failure = _measure(bench, names)
    if failure is not None:
        progress.print(f"The bench cannot go on: {failure}", style="red")
    show(Console(width=_width()), machine=machine, command=command, found=bench)
    if json_file is not None:
        document = as_json(machine=machine, command=command, found=bench)
        json_file.write_text(json.dumps(document, indent=2) + "\n")
    if failure is not None:
        raise typer.Exit(1)


def _measure(bench: Bench, names: tuple[str, ...]) -> BenchFailure | None:
    """Fills the bench with what these scenarios give; what went wrong, if something did, ends it there."""
    try:
        for scenario in SCENARIOS:
            if scenario.name in names:
                bench.measure(scenario)
        if STREAMS in names:
            bench.measure_streams()
        if IDLE in names:
            bench.measure_idle()
        if ACK in names:
            bench.measure_acks()
        if DECISION in names:
            bench.measure_decisions()
        if BOOKING in names:
            bench.measure_booking()
        if BOOKINGS in names:
            bench.measure_bookings()
        if EFFECT in names:
            bench.measure_effect()
        if FLOWS in names:
            bench.measure_flows()
    except BenchFailure as failure:
        return failure
    return None


def _chosen(text: str, *, among: tuple[_T, ...], option: str) -> tuple[_T, ...]:
    """Those of `among` that the comma-separated text names, in their order."""
    wanted = {part.strip() for part in text.split(",")}
    unknown = sorted(wanted - set(among))
    if unknown:
        raise typer.BadParameter(f"{unknown[0]!r} is none of {', '.join(among)}", param_hint=option)
    return tuple(name for name in among if name in wanted)


def _width() -> int | None:
    """A terminal's own width; elsewhere wide enough that no column is folded."""
    return None if sys.stdout.isatty() else 150


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench")
