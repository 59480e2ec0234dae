"""The command: `python -m bench.crash`."""

from __future__ import annotations

import asyncio
import random
from statistics import median
from typing import Annotated

import typer
from rich.console import Console

from bench.command import exit_on_signals, experiment, progress_console, show_machine, width
from bench.crash.experiment import Found, run
from bench.machine import describe
from bench.verdicts import Row, Target, table, zero

RATE, READY = Target("≥", 500), Target("≤", 2)  # envelopes a second; seconds from a new process to its /ready 200

_HELP = """Kills a gateway under load with SIGKILL, starts it again on the same journal, and looks for what is missing.

In three spaces (one of them addressed) people chat, a tool is asked and answers, agents think and are interrupted, and
answer at once, late or never. After every kill everybody comes back with `after`, sends again what it saw no answer to,
and all that it was ever given is compared with the journal's file and with the record over HTTP. Progress goes to
stderr, the table to stdout; status 1 means that something is wrong.

Examples:

\b
    python -m bench.crash                  a hundred kills, in about five minutes
    python -m bench.crash --kills 5        for a first look
    python -m bench.crash --seed 4711      the same kills and interrupts as another time
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    kills: Annotated[int, typer.Option(min=1, help="Of one gateway, one after the other.")] = 100,
    rate: Annotated[float, typer.Option(min=1, help="Envelopes a second that are sent, in all.")] = 800,
    seed: Annotated[int | None, typer.Option(help="What is drawn at random is drawn from this.")] = None,
) -> None:
    chosen = random.randrange(10**6) if seed is None else seed
    progress = progress_console()
    out = Console(width=width(110), highlight=False, markup=False, soft_wrap=True)
    with experiment(progress):
        found = asyncio.run(run(kills=kills, rate=rate, seed=chosen, progress=progress.print))
    show_machine(out, describe())
    out.print(table(f"{kills} kills (seed {chosen})", _rows(found)))
    for line in [*found.verdict.lines, *found.promises.faults]:
        out.print(line)
    if not found.is_good:
        raise typer.Exit(1)


def _rows(found: Found) -> list[Row]:
    verdict, promises = found.verdict, found.promises
    rate = found.accepted / found.loaded if found.loaded else 0.0
    wrong = [
        zero("delivered and not in the journal", verdict.lost),
        zero("given twice under one id", verdict.twice),
        zero("out of order", verdict.reordered),
        zero("in the record and never given", verdict.missed),
        zero("interrupts, deadlines or other things wrong", len(promises.faults) + len(verdict.lines)),
    ]
    return [
        Row("accepted while all were there", f"{rate:,.0f} envelopes/s", str(RATE), RATE.is_met(rate)),
        Row("accepted in all", f"{promises.envelopes:,} envelopes"),
        Row("delivered, each compared", f"{verdict.delivered:,}"),
        Row("of these given again after `after`", f"{found.replayed:,}"),
        Row("unanswered at a kill, sent again", f"{found.resent:,}"),
        Row("of these accepted before, and refused", f"{found.already_accepted:,}"),
        *wrong,
        Row("interrupts", f"{promises.interrupts:,}: {promises.acked:,} acked, {promises.timed_out:,} timed out"),
        Row("promises overrun", f"{promises.overrun:,}"),
        Row("deadlines pending at a kill, kept", f"{promises.over_a_kill:,}"),
        Row("latest time-out behind its deadline", f"{promises.latest / 1000:.2f} s"),
        Row("from a new process to /ready, p50", f"{median(found.starts):.2f} s"),
        Row("the same, the longest", f"{max(found.starts):.2f} s", f"{READY} s", READY.is_met(max(found.starts))),
        Row("exit status of the last, SIGTERM", str(found.status), "0", found.status == 0),
    ]


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench.crash")
