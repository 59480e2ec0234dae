"""An examination: run every exercise, then judge every case on the records of the exercises.

1. `comply` starts a gateway (`gateway_fixture`) with one space for each exercise, and calls `examine`.
2. `examine` runs the exercises (`exercises`), each in a `testbed`: the agent process, a supervisor, a guardian, and a
   fault proxy between agent and gateway. An exercise only acts; it does not judge.
3. `report` judges each case (`cases`) on the `record` of each exercise: the gateway's timeline, and nothing else.

A case whose `needs` are violated is not judged, so that each fault shows in one case.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import anyio

from mew_gateway.errors import MewError

from .agent_under_test import AgentUnderTest
from .cases import CASES, Case
from .exercises import EXERCISES, FIRST, check_names
from .gateway_fixture import AGENT, GatewayFixture, run_gateway
from .record import Record, Run
from .testbed import FAILED, NotExercised, open_testbed
from .times import Deadlines, Times
from .verdicts import Crash, ExerciseResult, Outcome, Report, ReportedFinding, Verdict

OnResult = Callable[[ExerciseResult], None]

_AT_ONCE = 3  # exercises at once
_LONGEST = 90  # seconds for one exercise


async def comply(
    agent: AgentUnderTest,
    *,
    times: Times | None = None,
    exercises: Sequence[str] = tuple(EXERCISES),
    on_result: OnResult = lambda _: None,
    folder: Path | None = None,
) -> Report:
    """Examine an agent against a new gateway. `on_result` is called after each exercise.

    The output of gateway and agent is kept in `folder`, if given. Raises `NotExercised` if the agent begins no run,
    `Unexaminable` if it cannot be started or an exercise is unknown, `CannotServe` if the gateway cannot be started.
    """
    check_names(exercises)
    with tempfile.TemporaryDirectory(prefix="mew-comply-") as temporary:
        where = Path(temporary) if folder is None else folder
        async with run_gateway(spaces_for("agent", exercises), folder=where) as gateway:
            return await examine(gateway, "agent", agent, times=times, exercises=exercises, on_result=on_result)


def spaces_for(name: str, exercises: Iterable[str] = EXERCISES) -> dict[str, Deadlines]:
    """Return the spaces that `examine` needs for an agent under this name, with their deadlines."""
    return {_space(name, exercise): EXERCISES[exercise].deadlines for exercise in (FIRST, *exercises)}


async def examine(
    gateway: GatewayFixture,
    name: str,
    agent: AgentUnderTest,
    *,
    times: Times | None = None,
    exercises: Sequence[str] = tuple(EXERCISES),
    on_result: OnResult = lambda _: None,
    at_once: anyio.CapacityLimiter | None = None,
) -> Report:
    """Examine an agent in its spaces of a running gateway, with a new process for each exercise. Raises as `comply`.

    The first exercise, a cancel, runs alone: it shows if the agent answers interrupts at all.
    """
    began = time.monotonic()
    limiter = at_once or anyio.CapacityLimiter(_AT_ONCE)
    work = partial(_perform, gateway, name, agent, times or Times(), limiter)
    first = await work(FIRST)
    on_result(first)
    results = {FIRST: first}

    async def run_exercise(exercise: str) -> None:
        results[exercise] = await _perform_or_give_reason(work, exercise)
        on_result(results[exercise])

    if any(one.ack is not None for one in first.record.interrupts):  # else the others would only repeat this
        async with anyio.create_task_group() as tasks:
            for exercise in exercises:
                if exercise != FIRST:
                    tasks.start_soon(run_exercise, exercise)
    done = [results[exercise] for exercise in EXERCISES if exercise in results]
    return report(agent.name, done, milliseconds=_elapsed(began))


async def _perform(
    gateway: GatewayFixture,
    name: str,
    agent: AgentUnderTest,
    times: Times,
    limiter: anyio.CapacityLimiter,
    exercise: str,
) -> ExerciseResult:
    """Run one exercise. Raises `Unexaminable`, or `NotExercised` if all its runs failed by themselves."""
    space, spec = _space(name, exercise), EXERCISES[exercise]
    async with limiter:
        began = time.monotonic()
        async with open_testbed(gateway, space, agent, times=times, deadlines=spec.deadlines) as testbed:
            with anyio.move_on_after(_LONGEST):
                await spec.perform(testbed)
            exit_status, last_output = testbed.process.exit_status, testbed.process.last_output
            await testbed.stop_agent()
        record = testbed.record(await gateway.timeline(space))
        if record.runs and all(_is_failure(run) for run in record.runs):
            raise NotExercised(FAILED, last_output=testbed.process.last_output)
        return ExerciseResult(
            exercise=exercise,
            record=record,
            milliseconds=_elapsed(began),
            restarts=testbed.restarts,
            exit_status=exit_status,
            last_output=last_output if exit_status is not None else "",
        )


def _is_failure(run: Run) -> bool:
    """Return true if a run failed by itself before any interrupt was answered."""
    return run.end is not None and run.end.payload.get("outcome") == "failed" and not run.answered


async def _perform_or_give_reason(work: Callable[[str], Awaitable[ExerciseResult]], exercise: str) -> ExerciseResult:
    """Run one exercise; an error becomes the reason in its result, because the first exercise has already succeeded."""
    try:
        return await work(exercise)
    except MewError as error:
        return ExerciseResult(exercise=exercise, record=Record((), {}, agent=AGENT), why=str(error))


def report(agent: str, results: Sequence[ExerciseResult], *, milliseconds: int = 0) -> Report:
    """Judge every case on the results of the exercises."""
    outcomes = {
        (case.name, one.exercise): case.judge(one.record) for one in results for case in CASES if _applies(case, one)
    }
    policies = [run.policy for one in results for run in one.record.runs if run.policy is not None]
    return Report(
        agent=agent,
        policies=tuple(dict.fromkeys(policies)),
        verdicts=tuple(_verdict(case, results, outcomes) for case in CASES),
        crashes=tuple(
            Crash(exercise=one.exercise, status=one.exit_status, said=one.last_output)
            for one in results
            if one.exit_status is not None
        ),
        milliseconds=milliseconds,
    )


def _verdict(case: Case, results: Sequence[ExerciseResult], outcomes: dict[tuple[str, str], Outcome | None]) -> Verdict:
    judged: dict[str, Outcome] = {}
    hidden: list[str] = []
    for one in results:
        outcome = outcomes.get((case.name, one.exercise))
        missing = [need for need in case.needs if _fails(outcomes, need, one.exercise) or _fails(outcomes, need, FIRST)]
        hidden += missing
        if outcome is not None and not missing:
            judged[one.exercise] = outcome
    findings = tuple(
        ReportedFinding(exercise=exercise, sentence=found.sentence, evidence=tuple(map(str, found.evidence)))
        for exercise, outcome in judged.items()
        for found in outcome.findings
    )
    return Verdict(
        case=case.name,
        rule=case.rule,
        clause=case.clause,
        status="violated" if findings else "passed" if judged else "not judged",
        why=None if judged else _reason(case, results, hidden),
        findings=findings,
        figures=tuple(sorted(figure for outcome in judged.values() for figure in outcome.figures)),
    )


def _reason(case: Case, results: Sequence[ExerciseResult], hidden: Sequence[str]) -> str:
    """Return the reason why a case was not judged."""
    if hidden:
        return f"{hidden[0]!r} is violated"
    kept = [one.why for one in results if one.why is not None and _applies(case, one)]
    if kept:
        return kept[0]
    if not any(_applies(case, one) for one in results):
        return "its exercise was not done"
    policies = {run.policy for one in results for run in one.record.runs}
    return (
        "its runs are non-interruptible" if policies == {"non-interruptible"} else "the agent did nothing that shows it"
    )


def _applies(case: Case, one: ExerciseResult) -> bool:
    if one.restarts and "restart" in case.besides:
        return False
    return one.exercise not in case.besides and (not case.only or one.exercise in case.only)


def _fails(outcomes: dict[tuple[str, str], Outcome | None], case: str, exercise: str) -> bool:
    outcome = outcomes.get((case, exercise))
    return outcome is not None and bool(outcome.findings)


def _space(name: str, exercise: str) -> str:
    return f"{name}-{exercise}"


def _elapsed(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
