"""The command: `python -m bench`."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bench.catalogue import BESIDE, GATEWAY
from bench.command import chosen, exit_on_signals, progress_console, width
from bench.failure import BenchFailure
from bench.gateway import Journal
from bench.machine import describe
from bench.measurement import FULL, QUICK, SERVERS, Conditions, Measurement, Result
from bench.report import as_json, show

_HELP = f"""Measures the gateway against the floor of this machine, nats-server and a plain server.

Five rounds; in each the servers run one after the other, so that a ratio compares figures of the same minute.
Progress goes to stderr, the table to stdout. Takes less than five minutes.

What is measured: {", ".join(one.name for one in GATEWAY)}. With --only besides, as `make bench-agents` does in
about ten minutes: {", ".join(one.name for one in BESIDE)}.

Examples:

\b
    python -m bench                                  how fast the gateway is
    python -m bench --quick                          one short round, for a first look
    python -m bench --only fan-out,idle --json out.json
    python -m bench --only ack,decision              agents that are interrupted
    python -m bench --only booking,bookings,effect   Fluxi
    python -m bench --only flows                     flows beside LangGraph
    python -m bench --quick --servers floor,nats     without the gateway
    python -m bench --journal memory                 what the journal costs
"""

_EVERYTHING = (*GATEWAY, *BESIDE)

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="One round of half a second.")] = False,
    only: Annotated[str, typer.Option(help="What is measured, separated by commas.")] = ",".join(
        one.name for one in GATEWAY
    ),
    servers: Annotated[str, typer.Option(help="Servers, separated by commas.")] = ",".join(SERVERS),
    journal: Annotated[
        Journal, typer.Option(help="The gateway's: SQLite with that `synchronous`, or memory.")
    ] = "normal",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every figure to this file.")] = None,
) -> None:
    progress = progress_console()
    conditions = Conditions(
        servers=chosen(servers, among=SERVERS, option="--servers"),
        effort=QUICK if quick else FULL,
        journal=journal,
        progress=progress.print,
    )
    names = chosen(only, among=tuple(one.name for one in _EVERYTHING), option="--only")
    machine, command = describe(), shlex.join(["python", "-m", "bench", *sys.argv[1:]])
    began, found = time.monotonic(), dict[str, Result]()
    failure = _measure([one for one in _EVERYTHING if one.name in names], conditions, found)
    if failure is not None:
        progress.print(f"The bench cannot go on: {failure}", style="red")
    progress.print(f"It took {time.monotonic() - began:.0f} s.")
    show(Console(width=width(150)), machine=machine, command=command, found=found)
    if json_file is not None:
        document = as_json(machine=machine, command=command, found=found)
        json_file.write_text(json.dumps(document, indent=2) + "\n")
    if failure is not None:
        raise typer.Exit(1)


def _measure(wanted: Iterable[Measurement], conditions: Conditions, found: dict[str, Result]) -> BenchFailure | None:
    """Adds what these give to what is found; what went wrong, if something did, ends it there."""
    try:
        for one in wanted:
            result = one.measure(conditions)
            if result is not None:
                found[one.name] = result
    except BenchFailure as failure:
        return failure
    return None


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench")
