"""The command: `python -m bench.waiting`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from bench.command import exit_on_signals, experiment, progress_console, show_machine
from bench.machine import describe
from bench.verdicts import verdict
from bench.waiting.experiment import GROWTH_MIB, RESTART_S, Found, run

_HELP = """Ten thousand conversations wait for an answer, through one participant that speaks for them.

A gateway and a FlowAgent, each in a process of its own; what their memory grows by, whether a task or a sequence is
left open, how long the agent takes to answer after a kill, and whether conversations go on where they were. Takes
about five minutes.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    conversations: Annotated[int, typer.Option(min=1_000, help="That wait.")] = 10_000,
    sample: Annotated[int, typer.Option(min=1, max=900, help="That are answered afterwards.")] = 100,
) -> None:
    progress, out = progress_console(), Console(highlight=False, soft_wrap=True)
    with experiment(progress):
        found = run(conversations=conversations, sample=sample, progress=progress.print)
    show_machine(out, describe())
    for line in _lines(found):
        out.print(line)


def _lines(found: Found) -> list[str]:
    first, last = found.standings[0], found.standings[-1]
    agent, gateway = ((getattr(last, name) - getattr(first, name)) / 1024 for name in ("agent_kib", "gateway_kib"))
    return [
        f"{last.conversations:,} conversations came to wait in {found.begun_in_s:.0f} s",
        f"agent: {agent:+.1f} MiB ({verdict(met=agent < GROWTH_MIB)}: less than {GROWTH_MIB:g})",
        f"gateway: {gateway:+.1f} MiB ({verdict(met=gateway < GROWTH_MIB)}: less than {GROWTH_MIB:g})",
        f"tasks: {first.tasks} before, {last.tasks} after; threads: {first.threads}, {last.threads}; "
        f"open sequences: {last.runs}",
        f"killed, started again, first answer: {found.restart_s:.2f} s "
        f"({verdict(met=found.restart_s < RESTART_S)}: less than {RESTART_S:g})",
        f"answered afterwards, each asked what comes next: {found.answered}",
    ]


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench.waiting")
