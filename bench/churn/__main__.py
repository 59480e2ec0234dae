"""The command: `python -m bench.churn`."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Annotated

import typer
from rich.console import Console

from bench.churn.experiment import Found, run
from bench.churn.process import Held
from bench.churn.trend import chart, slope
from bench.command import exit_on_signals, experiment, progress_console, show_machine
from bench.machine import describe
from bench.verdicts import verdict

_HELP = """Participants come and go, fifty a second, while others stay and talk: does the gateway grow?

Ten stay: they chat, think, are interrupted, ask, answer and stream. The others connect, resume, post, read, are
invited and kicked, and end in fifteen ways: cleanly, by a reset, amid a frame or a request, with a wrong token, with
garbage, with everything left open. A visit that did not go as it should is counted and told (on a machine that stands
still for seconds some are cut for being slow). Every ten seconds it is looked at what the gateway's process holds,
behind a run of its collector. What is remembered is bounded, and the bounds are set so low that they are met in the
warm-up (see bench/churn/process.py): what still grows behind it is a leak.

At the end two verdicts: the slope of each figure behind the warm-up, and whether, once everybody has gone, the
gateway holds as many descriptors, tasks and timers as before. Progress goes to stderr; a missed target is a result:
status 0. Takes three minutes more than --minutes.
"""

# Growth in an hour that is none: the allocator's and the database's pages wander by so much.
MIB_PER_HOUR = 2.0
# Of what there is in the middle. Those who are here at the moment have descriptors, timers and objects, and their
# number wanders; whether any of these stay is said exactly, when nobody is there.
SHARE_PER_HOUR = 0.25
_FIGURES = ("memory, MiB", "allocated, MiB", "descriptors", "tasks", "timers", "objects")

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(
    *,
    minutes: Annotated[float, typer.Option(min=0.5, help="Of coming and going.")] = 60.0,
    warm_up: Annotated[float | None, typer.Option(min=0.1, help="Minutes that do not count; 10, or a third.")] = None,
    rate: Annotated[int, typer.Option(min=1, max=500, help="Connections a second.")] = 50,
    every: Annotated[float, typer.Option(min=1, help="Seconds between two looks.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Of what the visitors do.")] = 1,
) -> None:
    progress, machine = progress_console(), describe()
    with experiment(progress):
        found = run(minutes=minutes, rate=rate, every=every, seed=seed, progress=progress.print)
    out = Console(highlight=False, soft_wrap=True)
    show_machine(out, machine)
    for line in _lines(found, min(10.0, minutes / 3) if warm_up is None else warm_up):
        out.print(line)


def _lines(found: Found, warm_up: float) -> Iterator[str]:
    counts, faults = found.visits.counts, found.visits.faults
    yield (
        f"{sum(counts.values()):,} visits, {found.per_second:.1f} a second; {found.heard:,} envelopes and frames to "
        "those who stayed"
    )
    yield "of these: " + ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
    if faults:
        yield f"not as expected: {faults}; the last: {found.visits.fault}"
    yield "refused to those who stayed: " + (", ".join(f"{n:,} {code}" for code, n in found.refused.items()) or "none")
    for name in _FIGURES:
        yield from _course(found, name, warm_up)
    yield "\nnobody there: before, after"
    for name in _FIGURES:
        before, after = _figure(found.before, name), _figure(found.after, name)
        is_exact = name in ("descriptors", "tasks", "timers")
        yield f"  {name:<12} {before:,.1f} {after:,.1f}" + (f"  {verdict(met=after <= before)}" if is_exact else "")
    more = {kind: found.after.kinds.get(kind, 0) - count for kind, count in found.before.kinds.items()}
    grown = sorted(((count, kind) for kind, count in more.items() if count > 0), reverse=True)[:8]
    yield "  more of: " + (", ".join(f"{count:,} {kind}" for count, kind in grown) or "nothing")


def _course(found: Found, name: str, warm_up: float) -> Iterator[str]:
    points = [(sample.minute, _figure(sample.held, name)) for sample in found.samples]
    behind = [point for point in points if point[0] >= warm_up]
    hourly = 60 * slope(behind)
    middle = median(value for _, value in behind) if behind else 0.0
    bound = MIB_PER_HOUR if name.endswith("MiB") else SHARE_PER_HOUR * middle
    yield f"\n{name}: {hourly:+.2f} an hour behind minute {warm_up:g}; target at most {bound:,.1f}: " + verdict(
        met=hourly <= bound
    )
    yield from chart(points, warm_up=warm_up)


def _figure(held: Held, name: str) -> float:
    figures = (held.kib / 1024, held.allocated_kib / 1024, held.descriptors, held.tasks, held.timers, held.objects)
    return float(dict(zip(_FIGURES, figures, strict=True))[name])


if __name__ == "__main__":
    exit_on_signals()
    app(prog_name="python -m bench.churn")
