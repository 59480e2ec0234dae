"""The command: `python -m bench.stall`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bench.command import exit_on_signals, experiment, progress_console, show_machine
from bench.machine import describe
from bench.stall.experiment import Load, Run, run
from bench.verdicts import Target

GONE_S, P99_MS, MEMORY_MIB = Target("≤", 5), Target("≤", 20), Target("≤", 16)

_HELP = f"""Some of a hundred readers stop reading: what it costs the others, and the gateway.

A gateway as operators have it, with its journal, and real sockets; the stalled have a small receive buffer and do not
read. Rounds of two runs, without and with them, by turns first. Targets: the stalled are gone within
{GONE_S.bound:g} s of the last byte that they took, the others' p99 is at most {P99_MS.bound:g} ms worse, the gateway
takes at most {MEMORY_MIB.bound:g} MiB more. Whoever reads must get everything, once and in order, or there is no
result. Five rounds take about three minutes. Progress goes to stderr, the table to stdout; a missed target is a result:
status 0.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    rounds: Annotated[int, typer.Option(min=1, help="Of two runs each.")] = 5,
    readers: Annotated[int, typer.Option(min=2, max=1000, help="Participants that listen.")] = 100,
    stalled: Annotated[int, typer.Option(min=1, help="Of these, how many stop reading.")] = 5,
    rate: Annotated[int, typer.Option(min=1, max=1000, help="Chats a second.")] = 100,
    size: Annotated[int, typer.Option(min=200, max=65_000, help="Bytes of a chat.")] = 16_384,
) -> None:
    if stalled >= readers:
        raise typer.BadParameter("somebody has to go on reading", param_hint="--stalled")
    progress, machine = progress_console(), describe()
    with experiment(progress):
        pairs = run(Load(readers, stalled, rate, size), rounds=rounds, progress=progress.print)
    out = Console(highlight=False, width=120)
    show_machine(out, machine)
    out.print(f"{stalled} of {readers} readers stall; {rate} chats of {size:,} bytes a second; {rounds} rounds")
    out.print(_table(pairs))


def _table(pairs: Sequence[tuple[Run, Run]]) -> Table:
    table = Table("figure", "all read", "some stall", "difference (least - most)", "target", "verdict")
    for name, field, target in (("p99, ms", "p99_ms", P99_MS), ("memory, MiB", "grown_mib", MEMORY_MIB)):
        calm, stall = ([getattr(pair[nth], field) for pair in pairs] for nth in (0, 1))
        before, after = median(calm), median(stall)
        more = [with_ - without for without, with_ in zip(calm, stall, strict=True)]
        verdict = target.verdict(median(more))
        table.add_row(name, f"{before:.1f}", f"{after:.1f}", _spread(more, "+.1f"), str(target), verdict)
    p50 = [[pair[nth].p50_ms for pair in pairs] for nth in (0, 1)]
    table.add_row("p50, ms", *(f"{median(one):.1f}" for one in p50), "", "", "")
    gone = [max(stall.gone_s) for _, stall in pairs]
    since = [max(stall.stopped_s) for _, stall in pairs]
    table.add_row("gone, s", "", _spread(gone, ".2f"), "", str(GONE_S), GONE_S.verdict(median(gone)))
    table.add_row("… since it read last, s", "", _spread(since, ".2f"), "", "", "")
    return table


def _spread(figures: Iterable[float], form: str) -> str:
    found = sorted(figures)
    return f"{median(found):{form}} ({found[0]:{form}} - {found[-1]:{form}})"


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench.stall")
