"""An examination: every exercise is done, every case judged on what the exercises showed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import anyio

from mew_gateway.errors import MewError

from .agent_under_test import Subject
from .cases import CASES, Case
from .exercises import EXERCISES, FIRST, check
from .gateway_fixture import AGENT, Site, serving
from .record import Record, Run
from .testbed import FAILED, NotExercised, staged
from .times import Deadlines, Times
from .verdicts import Crash, Outcome, Performance, Report, Shown, Verdict

Told = Callable[[Performance], None]

_AT_ONCE = 3  # exercises: two cores are enough for as many agents
_LONGEST = 90  # seconds of an exercise, whatever the agent does


async def comply(
    subject: Subject,
    *,
    times: Times | None = None,
    exercises: Sequence[str] = tuple(EXERCISES),
    told: Told = lambda _: None,
    folder: Path | None = None,
) -> Report:
    """Examine an agent against a gateway of its own. `told` hears of each exercise when it has been done.

    What the gateway and the agent write is kept in `folder`, if there is one. Raises `NotExercised` if the agent does
    not reason, `Unexaminable` if it cannot be started or there is no such exercise, `CannotServe` if the gateway cannot
    be started.
    """
    check(exercises)
    with tempfile.TemporaryDirectory(prefix="mew-comply-") as temporary:
        where = Path(temporary) if folder is None else folder
        async with serving(spaces_for("agent", exercises), folder=where) as site:
            return await examine(site, "agent", subject, times=times, exercises=exercises, told=told)


def spaces_for(name: str, exercises: Iterable[str] = EXERCISES) -> dict[str, Deadlines]:
    """The spaces that `examine` needs under a name."""
    return {_space(name, exercise): EXERCISES[exercise].deadlines for exercise in (FIRST, *exercises)}


async def examine(
    site: Site,
    name: str,
    subject: Subject,
    *,
    times: Times | None = None,
    exercises: Sequence[str] = tuple(EXERCISES),
    told: Told = lambda _: None,
    at_once: anyio.CapacityLimiter | None = None,
) -> Report:
    """Examine an agent in its spaces of a running gateway, one process for each exercise. Raises as `comply` does.

    The first exercise, a plain cancel, is done alone: it tells whether there is anything to examine.
    """
    began = time.monotonic()
    limiter = at_once or anyio.CapacityLimiter(_AT_ONCE)
    work = partial(_perform, site, name, subject, times or Times(), limiter)
    first = await work(FIRST)
    told(first)
    performances = {FIRST: first}

    async def perform(exercise: str) -> None:
        performances[exercise] = await _perform_or_say_why(work, exercise)
        told(performances[exercise])

    if any(one.ack is not None for one in first.record.interrupts):  # else the others would show the same, slowly
        async with anyio.create_task_group() as tasks:
            for exercise in exercises:
                if exercise != FIRST:
                    tasks.start_soon(perform, exercise)
    done = [performances[exercise] for exercise in EXERCISES if exercise in performances]
    return report(subject.name, done, milliseconds=_since(began))


async def _perform(
    site: Site, name: str, subject: Subject, times: Times, limiter: anyio.CapacityLimiter, exercise: str
) -> Performance:
    """Do one exercise. Raises `Unexaminable`, and `NotExercised` where nothing came of it."""
    space, what = _space(name, exercise), EXERCISES[exercise]
    async with limiter:
        began = time.monotonic()
        async with staged(site, space, subject, times=times, deadlines=what.deadlines) as stage:
            with anyio.move_on_after(_LONGEST):
                await what.perform(stage)
            ended, said = stage.actor.ended, stage.actor.said
            await stage.curtain()
        record = stage.record(await site.timeline(space))
        if record.runs and all(_is_a_failure(run) for run in record.runs):
            raise NotExercised(FAILED, said=stage.actor.said)
        return Performance(
            exercise=exercise,
            record=record,
            milliseconds=_since(began),
            restarts=stage.restarts,
            ended=ended,
            said=said if ended is not None else "",
        )


def _is_a_failure(run: Run) -> bool:
    """Whether a run failed by itself, so soon that no interrupt met it."""
    return run.end is not None and run.end.payload.get("outcome") == "failed" and not run.answered


async def _perform_or_say_why(work: Callable[[str], Awaitable[Performance]], exercise: str) -> Performance:
    """The agent has shown before that it can be examined: what it does not do now is no end of the examination."""
    try:
        return await work(exercise)
    except MewError as error:
        return Performance(exercise=exercise, record=Record((), {}, agent=AGENT), why=str(error))


def report(agent: str, performances: Sequence[Performance], *, milliseconds: int = 0) -> Report:
    """Judge every case on what was done."""
    outcomes = {
        (case.name, one.exercise): case.judge(one.record)
        for one in performances
        for case in CASES
        if _is_made_for(case, one)
    }
    policies = [run.policy for one in performances for run in one.record.runs if run.policy is not None]
    return Report(
        agent=agent,
        policies=tuple(dict.fromkeys(policies)),
        verdicts=tuple(_verdict(case, performances, outcomes) for case in CASES),
        crashes=tuple(
            Crash(exercise=one.exercise, status=one.ended, said=one.said)
            for one in performances
            if one.ended is not None
        ),
        milliseconds=milliseconds,
    )


def _verdict(
    case: Case, performances: Sequence[Performance], outcomes: dict[tuple[str, str], Outcome | None]
) -> Verdict:
    judged: dict[str, Outcome] = {}
    hidden: list[str] = []
    for one in performances:
        outcome = outcomes.get((case.name, one.exercise))
        missing = [need for need in case.needs if _fails(outcomes, need, one.exercise) or _fails(outcomes, need, FIRST)]
        hidden += missing
        if outcome is not None and not missing:
            judged[one.exercise] = outcome
    findings = tuple(
        Shown(exercise=exercise, sentence=found.sentence, evidence=tuple(map(str, found.evidence)))
        for exercise, outcome in judged.items()
        for found in outcome.findings
    )
    return Verdict(
        case=case.name,
        rule=case.rule,
        clause=case.clause,
        status="violated" if findings else "passed" if judged else "not judged",
        why=None if judged else _why(case, performances, hidden),
        findings=findings,
        figures=tuple(sorted(figure for outcome in judged.values() for figure in outcome.figures)),
    )


def _why(case: Case, performances: Sequence[Performance], hidden: Sequence[str]) -> str:
    """What kept a case from being judged."""
    if hidden:
        return f"{hidden[0]!r} is violated"
    kept = [one.why for one in performances if one.why is not None and _is_made_for(case, one)]
    if kept:
        return kept[0]
    if not any(_is_made_for(case, one) for one in performances):
        return "its exercise was not done"
    policies = {run.policy for one in performances for run in one.record.runs}
    return (
        "its runs are non-interruptible" if policies == {"non-interruptible"} else "the agent did nothing that shows it"
    )


def _is_made_for(case: Case, one: Performance) -> bool:
    if one.restarts and "restart" in case.besides:
        return False
    return one.exercise not in case.besides and (not case.only or one.exercise in case.only)


def _fails(outcomes: dict[tuple[str, str], Outcome | None], case: str, exercise: str) -> bool:
    outcome = outcomes.get((case, exercise))
    return outcome is not None and bool(outcome.findings)


def _space(name: str, exercise: str) -> str:
    return f"{name}-{exercise}"


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
