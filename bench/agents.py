"""What lies beside the gateway: agents that are interrupted, Fluxi, flows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from bench import acks, decisions
from bench.flows import costs as talking
from bench.fluxi import costs
from bench.measurement import Conditions, Spread
from bench.sentences import InRounds
from bench.verdicts import Target


def _acks(conditions: Conditions) -> Iterator[acks.Acked]:
    effort = conditions.effort
    for shape in acks.SHAPES:
        yield from acks.measure(shape, rounds=effort.rounds, seconds=effort.computing, journal=conditions.journal)


def _decisions(conditions: Conditions) -> Iterator[decisions.Decided]:
    for _ in range(conditions.effort.rounds):
        yield decisions.measure(samples=conditions.effort.interrupts)


def _bookings(conditions: Conditions) -> list[costs.Booked]:
    return costs.bookings(rounds=conditions.effort.rounds, seconds=conditions.effort.working)


def _crowds(conditions: Conditions) -> list[costs.Crowded]:
    return costs.crowds(rounds=conditions.effort.rounds, seconds=conditions.effort.working)


def _effects(conditions: Conditions) -> list[costs.Effected]:
    return costs.effects(rounds=conditions.effort.rounds, seconds=conditions.effort.working)


def _talks(conditions: Conditions) -> list[talking.Talked]:
    return talking.talks(rounds=conditions.effort.rounds, seconds=conditions.effort.working)


def _tell_acks(rounds: Sequence[acks.Acked]) -> Iterator[str]:
    for shape in acks.SHAPES:
        of_one = [one for one in rounds if one.shape == shape]
        middle, worst = (Spread.of(one.quantile(n) for one in of_one) for n in (50, 99))
        yield f"ack: {shape.name}: p50 {middle} ms, p99 {worst} ms; {_judged(acks.TARGET, worst)}"


def _tell_decisions(rounds: Sequence[decisions.Decided]) -> Iterator[str]:
    core, whole = Spread.of(one.core_us for one in rounds), Spread.of(one.whole_us for one in rounds)
    yield (
        f"decision: {core} µs in the core; {_judged(decisions.TARGET, core)}; "
        f"until the ack is in the line, recorded on SQLite, {whole} µs"
    )


def _tell_bookings(rounds: Sequence[costs.Booked]) -> Iterator[str]:
    middle, worst = Spread.of(one.p50_ms for one in rounds), Spread.of(one.p99_ms for one in rounds)
    yield (
        f"booking: {sum(one.bookings for one in rounds):,} of four messages on SQLite: "
        f"p50 {middle} ms, p99 {worst} ms; {_judged(costs.BOOKING_MS, middle, of=' at p50')}"
    )


def _tell_crowds(rounds: Sequence[costs.Crowded]) -> Iterator[str]:
    ours, share = Spread.of(one.fluxi_per_s for one in rounds), Spread.of(one.share for one in rounds)
    yield (
        f"bookings: {costs.PROCESSES} processes on PostgreSQL: {ours} a second; {_judged(costs.BOOKINGS_PER_S, ours)}; "
        f"{share} × the statements alone ({median(one.bare_per_s for one in rounds):.0f} a second); "
        f"{_judged(costs.BOOKINGS_SHARE, share)}"
    )


def _tell_effects(rounds: Sequence[costs.Effected]) -> Iterator[str]:
    ratio = Spread.of(one.ratio for one in rounds)
    yield (
        f"effect: {_ms(one.effect_ms for one in rounds)} from the yes to its record, DBOS "
        f"{_ms(one.workflow_ms for one in rounds)} for a workflow of one step "
        f"({_ms(one.step_ms for one in rounds)} for a further step): {ratio} ×; "
        f"{_judged(costs.EFFECT_RATIO, ratio)}"
    )


def _tell_talks(rounds: Sequence[talking.Talked]) -> Iterator[str]:
    turn, worst = Spread.of(one.p50_ms for one in rounds), Spread.of(one.p99_ms for one in rounds)
    ratio = Spread.of(one.ratio for one in rounds)
    yield (
        f"flows: {sum(one.turns for one in rounds):,} turns on SQLite: p50 {turn} ms, p99 {worst} ms; "
        f"onboarding {_ms(one.onboarding_ms for one in rounds)}, transfer {_ms(one.transfer_ms for one in rounds)}, "
        f"and behind its yes the effect {_ms(one.effect_ms for one in rounds)}; "
        f"{_judged(talking.TURN_MS, turn, of=' at p50')}; "
        f"a mean turn of the onboarding {_ms(one.mean_ms for one in rounds)}, "
        f"LangGraph {_ms(one.langgraph_ms for one in rounds)}: {ratio} ×; "
        f"{_judged(talking.LANGGRAPH_RATIO, ratio)}"
    )


def _judged(target: Target, figure: Spread, *, of: str = "") -> str:
    sense = "at most" if target.sense == "≤" else "at least"
    return f"target {sense} {target.bound:g}{of}: {target.verdict(figure.median)}"


def _ms(figures: Iterable[float]) -> str:
    return f"{median(figures):.2f} ms"


ACK = InRounds(
    name="ack",
    about=f"{acks.AGENTS} agents interrupted at once while each computes",
    rounds=_acks,
    progress=lambda one: f"{one.shape.name}: p50 {one.quantile(50):.0f} ms, p99 {one.quantile(99):.0f} ms",
    tell=_tell_acks,
    needs_gateway=True,
)
DECISION = InRounds(
    name="decision",
    about=f"interrupts of {decisions.RUNS} open runs",
    rounds=_decisions,
    progress=lambda one: f"{one.core_us:.0f} µs, recorded {one.whole_us:.0f} µs",
    tell=_tell_decisions,
)
BOOKING = InRounds(
    name="booking",
    about="four messages, on SQLite",
    rounds=_bookings,
    progress=lambda one: f"p50 {one.p50_ms:.1f} ms of {one.bookings}",
    tell=_tell_bookings,
)
BOOKINGS = InRounds(
    name="bookings",
    about=f"{costs.PROCESSES} processes, on PostgreSQL",
    rounds=_crowds,
    progress=lambda one: f"{one.fluxi_per_s:.0f} /s, the statements alone {one.bare_per_s:.0f} /s",
    tell=_tell_crowds,
)
EFFECT = InRounds(
    name="effect",
    about="a confirmed effect and a durable step of DBOS, in turns, on SQLite",
    rounds=_effects,
    progress=lambda one: f"{one.effect_ms:.1f} ms, DBOS {one.workflow_ms:.1f} ms, a further step {one.step_ms:.1f} ms",
    tell=_tell_effects,
)
FLOWS = InRounds(
    name="flows",
    about="an onboarding and a transfer, and the onboarding on LangGraph, in turns, on SQLite",
    rounds=_talks,
    progress=lambda one: (
        f"p50 {one.p50_ms:.2f} ms of {one.turns}, an effect {one.effect_ms:.2f} ms; "
        f"a mean turn {one.mean_ms:.2f} ms, LangGraph {one.langgraph_ms:.2f} ms"
    ),
    tell=_tell_talks,
)
