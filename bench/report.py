"""What was measured, as a table for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from rich.console import Console
from rich.table import Table

from bench.acks import TARGET_MS as ACK_TARGET_MS
from bench.acks import Acked, Shape
from bench.decisions import TARGET_US as DECISION_TARGET_US
from bench.decisions import Decided
from bench.flows import costs as talking
from bench.fluxi import costs
from bench.rounds import SERVERS, Bench, Beside, Idle, Measured, Spread
from bench.scenario import IDLE_TARGET_KIB, STREAM_BYTES, STREAM_WRITERS, Peer, Target

_QUIET = 0.15  # cores that others may use before the figures are doubtful
_PEERS: tuple[Peer, ...] = ("floor", "plain")


def show(console: Console, *, machine: Mapping[str, str], command: str, found: Bench) -> None:
    """Prints the machine, the command, one table, and a line each for what is no ratio."""
    for name, value in machine.items():
        console.print(f"{name + ':':<14}{value}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"{'command:':<14}{command}\n", highlight=False, markup=False, soft_wrap=True)
    if found.measured:
        console.print(_table(found.measured))
    noise = [result.noise for result in found.measured]
    noise += [float(one.beside["others_cpu"]) for one in found.streams]
    noise += [one.others_cpu for rounds in found.acked.values() for one in rounds]
    _warn_of_noise(console, max(noise, default=0.0))
    for line in _lines(found):
        console.print(line, highlight=False, soft_wrap=True)


def _lines(found: Bench) -> Iterator[str]:
    if found.streams:
        yield _streams_line(found.streams)
    if found.idle is not None:
        yield _idle_line(found.idle)
    for shape, rounds in found.acked.items():
        yield _ack_line(shape, rounds)
    if found.decided:
        yield _decision_line(found.decided)
    if found.booked:
        yield _booking_line(found.booked)
    if found.crowded:
        yield _bookings_line(found.crowded)
    if found.effected:
        yield _effect_line(found.effected)
    if found.talked:
        yield _flows_line(found.talked)


def _warn_of_noise(console: Console, cores: float) -> None:
    if cores > _QUIET:
        console.print(
            f"[yellow]Not a quiet machine:[/yellow] in one run other processes used {cores:.2f} of a core; "
            "do not trust these ratios.",
            highlight=False,
            soft_wrap=True,
        )


def as_json(*, machine: Mapping[str, str], command: str, found: Bench) -> dict[str, object]:
    """The same with every run's figures, as JSON."""
    streams, idle = found.streams, found.idle
    document: dict[str, object] = {"machine": dict(machine), "command": command}
    document["scenarios"] = {result.scenario.name: _scenario_json(result) for result in found.measured}
    if streams:
        document["streams"] = {
            "runs": [one._asdict() for one in streams],
            "ratios": {figure: _beside(streams, figure)._asdict() for figure in ("p50_us", "p99_us")},
        }
    if idle is not None:
        document["idle"] = {
            **idle._asdict(),
            "kib_each": idle.kib_each,
            "target": {"bound": IDLE_TARGET_KIB, "sense": "at most", "met": idle.kib_each <= IDLE_TARGET_KIB},
        }
    if found.acked:
        document["ack"] = {shape.name: [one._asdict() for one in rounds] for shape, rounds in found.acked.items()}
    if found.decided:
        document["decision"] = [one._asdict() for one in found.decided]
    if found.booked:
        document["booking"] = [one._asdict() for one in found.booked]
    if found.crowded:
        document["bookings"] = [one._asdict() for one in found.crowded]
    if found.effected:
        document["effect"] = [one._asdict() for one in found.effected]
    if found.talked:
        document["flows"] = [one._asdict() for one in found.talked]
    return document


def _table(results: Iterable[Measured]) -> Table:
    table = Table(title="Medians; ratios round by round: median (least – most)", title_justify="left")
    for heading in ("scenario", "figure"):
        table.add_column(heading)
    for heading in (*SERVERS, *(f"gateway / {peer}" for peer in _PEERS)):
        table.add_column(heading, justify="right")
    table.add_column("target", no_wrap=True)
    for result in results:
        scenario = result.scenario
        table.add_row(
            scenario.name,
            scenario.unit,
            *(_median(result.figures(server)) for server in SERVERS),
            *(_ratio(result.ratio(peer)) for peer in _PEERS),
            "\n".join(_verdict(target, result.ratio(target.peer)) for target in scenario.targets),
        )
    return table


def _median(figures: list[float]) -> str:
    return f"{median(figures):,.0f}" if figures else "–"


def _ratio(spread: Spread | None) -> str:
    return f"{spread.median:.2f} ({spread.least:.2f} – {spread.most:.2f})" if spread else "–"


def _verdict(target: Target, spread: Spread | None) -> str:
    wanted = f"{target.sense} {target.bound:g} × {target.peer}"
    if spread is None:
        return wanted
    return f"{wanted}: {_word(met=target.is_met(spread.median))}"


def _beside(streams: Iterable[Beside], figure: str) -> Spread:
    """How many times as long the chatting clients wait beside streams."""
    return Spread.of([float(one.beside[figure]) / float(one.alone[figure]) for one in streams])


def _streams_line(streams: Sequence[Beside]) -> str:
    def middle(runs: Iterable[Mapping[str, float | str]], figure: str) -> str:
        return f"{median(float(run[figure]) for run in runs):,.0f}"

    alone, beside = [one.alone for one in streams], [one.beside for one in streams]
    quantiles = (
        f"{name} {middle(alone, figure)} µs alone, {middle(beside, figure)} µs beside them: "
        f"{_ratio(_beside(streams, figure))} ×"
        for name, figure in (("p50", "p50_us"), ("p99", "p99_us"))
    )
    return (
        f"streams: {STREAM_WRITERS} writers of {STREAM_BYTES // 1024} KiB frames, "
        f"{middle((one.writers for one in streams), 'mib_per_s')} MiB/s in all; "
        f"a chat's round trip: {'; '.join(quantiles)}"
    )


def _idle_line(idle: Idle) -> str:
    verdict = _word(met=idle.kib_each <= IDLE_TARGET_KIB)
    return (
        f"idle: {idle.kib_each:.1f} KiB of resident memory per connection; {idle.connections:,} connections, "
        f"{idle.before_kib / 1024:.0f} MiB before, {idle.after_kib / 1024:.0f} MiB after, "
        f"connected in {idle.connected_in_s:.1f} s; target at most {IDLE_TARGET_KIB:g}: {verdict}"
    )


def _ack_line(shape: Shape, rounds: Sequence[Acked]) -> str:
    middle, worst = (Spread.of([one.quantile(n) for one in rounds]) for n in (50, 99))
    verdict = _word(met=worst.median <= ACK_TARGET_MS)
    return (
        f"ack: {shape.name}: p50 {middle.median:.0f} ms ({middle.least:.0f} – {middle.most:.0f}), "
        f"p99 {worst.median:.0f} ms ({worst.least:.0f} – {worst.most:.0f}); "
        f"target at most {ACK_TARGET_MS:g}: {verdict}"
    )


def _decision_line(rounds: Sequence[Decided]) -> str:
    core, whole = Spread.of([one.core_us for one in rounds]), Spread.of([one.whole_us for one in rounds])
    verdict = _word(met=core.median <= DECISION_TARGET_US)
    return (
        f"decision: {core.median:.0f} µs ({core.least:.0f} – {core.most:.0f}) in the core; target at most "
        f"{DECISION_TARGET_US:g}: {verdict}; until the ack is in the line, recorded on SQLite, {whole.median:.0f} µs "
        f"({whole.least:.0f} – {whole.most:.0f})"
    )


def _booking_line(rounds: Sequence[costs.Booked]) -> str:
    middle, worst = Spread.of([one.p50_ms for one in rounds]), Spread.of([one.p99_ms for one in rounds])
    verdict = _word(met=middle.median <= costs.BOOKING_MS)
    return (
        f"booking: {sum(one.bookings for one in rounds):,} of four messages on SQLite: p50 {middle.median:.1f} ms "
        f"({middle.least:.1f} – {middle.most:.1f}), p99 {worst.median:.1f} ms ({worst.least:.1f} – {worst.most:.1f}); "
        f"target at most {costs.BOOKING_MS:g} at p50: {verdict}"
    )


def _bookings_line(rounds: Sequence[costs.Crowded]) -> str:
    ours, share = Spread.of([one.fluxi_per_s for one in rounds]), Spread.of([one.share for one in rounds])
    enough, near = ours.median >= costs.BOOKINGS_PER_S, share.median >= costs.BOOKINGS_SHARE
    return (
        f"bookings: {costs.PROCESSES} processes on PostgreSQL: {ours.median:.0f} a second "
        f"({ours.least:.0f} – {ours.most:.0f}); target at least {costs.BOOKINGS_PER_S:g}: {_word(met=enough)}; "
        f"{_ratio(share)} × the statements alone ({median(one.bare_per_s for one in rounds):.0f} a second); "
        f"target at least {costs.BOOKINGS_SHARE:g}: {_word(met=near)}"
    )


def _effect_line(rounds: Sequence[costs.Effected]) -> str:
    def middle(figures: Iterable[float]) -> str:
        return f"{median(figures):.2f} ms"

    ratio = Spread.of([one.ratio for one in rounds])
    further = middle(one.step_ms for one in rounds)
    verdict = _word(met=ratio.median <= costs.EFFECT_RATIO)
    return (
        f"effect: {middle(one.effect_ms for one in rounds)} from the yes to its record, DBOS "
        f"{middle(one.workflow_ms for one in rounds)} for a workflow of one step ({further} for a further "
        f"step): {_ratio(ratio)} ×; target at most {costs.EFFECT_RATIO:g}: {verdict}"
    )


def _flows_line(rounds: Sequence[talking.Talked]) -> str:
    def middle(figures: Iterable[float]) -> str:
        return f"{median(figures):.2f} ms"

    turn, worst = Spread.of([one.p50_ms for one in rounds]), Spread.of([one.p99_ms for one in rounds])
    ratio = Spread.of([one.ratio for one in rounds])
    quick, quicker = turn.median <= talking.TURN_MS, ratio.median >= talking.LANGGRAPH_RATIO
    return (
        f"flows: {sum(one.turns for one in rounds):,} turns on SQLite: p50 {turn.median:.2f} ms "
        f"({turn.least:.2f} – {turn.most:.2f}), p99 {worst.median:.1f} ms ({worst.least:.1f} – {worst.most:.1f}); "
        f"onboarding {middle(one.onboarding_ms for one in rounds)}, transfer "
        f"{middle(one.transfer_ms for one in rounds)}, and behind its yes the effect "
        f"{middle(one.effect_ms for one in rounds)}; target at most {talking.TURN_MS:g} at p50: {_word(met=quick)}; "
        f"a mean turn of the onboarding {middle(one.mean_ms for one in rounds)}, LangGraph "
        f"{middle(one.langgraph_ms for one in rounds)}: {_ratio(ratio)} ×; "
        f"target at least {talking.LANGGRAPH_RATIO:g}: {_word(met=quicker)}"
    )


def _word(*, met: bool) -> str:
    return "[green]met[/green]" if met else "[red]missed[/red]"


def _scenario_json(result: Measured) -> dict[str, object]:
    ratios = {peer: result.ratio(peer) for peer in _PEERS}
    return {
        "about": result.scenario.about,
        "figure": result.scenario.figure,
        "runs": result.runs,
        "ratios": {f"gateway/{peer}": spread._asdict() for peer, spread in ratios.items() if spread},
        "targets": [
            {**target._asdict(), "met": target.is_met(spread.median)}
            for target in result.scenario.targets
            if (spread := ratios[target.peer])
        ],
    }
