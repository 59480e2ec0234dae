"""The command: `python -m bench.restart`."""

from __future__ import annotations

import asyncio
import random
import resource
from statistics import median
from typing import Annotated

import typer
from rich.console import Console

from bench.command import exit_on_signals, experiment, progress_console, show_machine, width
from bench.machine import describe
from bench.restart.experiment import Found, run
from bench.verdicts import Row, Target, table, zero

STOPPED = Target("≤", 10)  # seconds from SIGTERM to the end of the process

_HELP = """Stops a gateway with many clients by SIGTERM, starts it again, and looks whether everybody is back with all.

Some clients talk all the time, to the last moment; some do not read; somebody new tries to get in while it stops. All
come back with `after`, and all that they were ever given is compared with the record. Progress goes to stderr, the
table to stdout; status 1 means that something is wrong.

Examples:

\b
    python -m bench.restart                            1,000 clients in 20 spaces
    python -m bench.restart --spaces 3 --each 20       for a first look
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    spaces: Annotated[int, typer.Option(min=1)] = 20,
    each: Annotated[int, typer.Option(min=4, help="Clients of each space.")] = 50,
    deaf: Annotated[int, typer.Option(min=0, help="Of them that do not read, at most one a space.")] = 10,
    rate: Annotated[float, typer.Option(min=1, help="Envelopes a second, in all.")] = 80,
    seconds: Annotated[float, typer.Option(min=0.1, help="Of load before SIGTERM.")] = 5,
    spread: Annotated[float, typer.Option(min=0, help="Seconds within which they come back.")] = 2,
    seed: Annotated[int | None, typer.Option(help="What is drawn at random is drawn from this.")] = None,
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * spaces * each + 256)), hard))
    progress = progress_console()
    out = Console(width=width(110), highlight=False, markup=False, soft_wrap=True)
    chosen = random.randrange(10**6) if seed is None else seed
    with experiment(progress):
        found = asyncio.run(
            run(
                spaces=spaces,
                each=each,
                deaf=min(deaf, spaces),
                rate=rate,
                seconds=seconds,
                spread=spread,
                seed=chosen,
                progress=progress.print,
            )
        )
    show_machine(out, describe())
    crowd = f"{found.peers:,} clients in {spaces} spaces, {min(deaf, spaces)} of them deaf (seed {chosen})"
    out.print(table(crowd, _rows(found)))
    for line in found.verdict.lines:
        out.print(line)
    if not found.is_good:
        raise typer.Exit(1)


def _rows(found: Found) -> list[Row]:
    verdict, told = found.verdict, found.told
    others = ", ".join(f"{times} × {code}" for code, times in found.codes.items() if code != 1012)
    late = ", ".join(f"{times} × {what}" for what, times in found.late.items())
    wrong = [
        zero("delivered and not held", verdict.lost),
        zero("given twice under one id", verdict.twice),
        zero("out of order", verdict.reordered),
        zero("in the record and never given", verdict.missed),
        zero("other things wrong", len(verdict.lines)),
    ]
    return [
        Row("load before", f"{found.accepted / found.loaded:,.0f} envelopes/s"),
        Row("told 1012", f"{found.codes[1012]:,} {others}", f"{found.peers:,}", found.codes[1012] == found.peers),
        Row("first, median, last told", f"{told[0]:.2f}, {median(told):.2f}, {told[-1]:.2f} s"),
        Row("batches, as seen outside", str(found.batches)),
        Row("came while it stopped", late or "nobody", "0 welcomed", not found.late["welcomed"]),
        Row("from SIGTERM to the end", f"{found.stopped:.2f} s", f"{STOPPED} s", STOPPED.is_met(found.stopped)),
        Row("exit status", f"{found.status}, {found.last_status}", "0, 0", not (found.status or found.last_status)),
        Row("from a new process to /ready", f"{found.started:.2f} s"),
        Row("until all were back", f"{found.back:.1f} s"),
        Row("unanswered at the end, sent again", f"{found.resent:,}"),
        Row("delivered, each compared", f"{verdict.delivered:,}"),
        Row("of these given again after `after`", f"{found.replayed:,}"),
        *wrong,
    ]


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench.restart")
