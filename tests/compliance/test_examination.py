"""Examination with real processes and sockets: a correct agent passes, and each fault shows in its own case only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
import pytest

from mew_gateway.compliance.agent_under_test import AgentUnderTest, Unexaminable, agent_under_test
from mew_gateway.compliance.cases import CASES
from mew_gateway.compliance.examination import comply, examine, spaces_for
from mew_gateway.compliance.exercises import EXERCISES
from mew_gateway.compliance.gateway_fixture import CannotServe, GatewayFixture, run_gateway
from mew_gateway.compliance.testbed import NotExercised
from mew_gateway.compliance.times import Deadlines, Times
from mew_gateway.compliance.verdicts import Report

ROOT = Path(__file__).resolve().parents[2]
ALL = tuple(EXERCISES)
MOST = ("override", "two", "emergency", "late", "again", "restart")
AT_ONCE = 12

# The fault, the one case that shows it, and the exercises; for faults that authors often make, most of them.
FAULTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Hung": ("ack", ALL),
    "LateAck": ("ack", MOST),
    "TwoAcks": ("one ack", MOST),
    "ThinksOn": ("silence", ALL),
    "Acts": ("fence", MOST),
    "TwoConclusions": ("one conclusion", MOST),
    "NoConclusion": ("one conclusion", ALL),
    "Crashing": ("ack", ("override",)),
    "GoesOn": ("answer", ("queue",)),
    "ThinksAfterwards": ("over is over", ("override",)),
    "Unhalted": ("halt", ("emergency",)),
    "Relieved": ("halt", ("emergency", "halted")),
    "AlwaysStops": ("late interrupt", ("late", "again", "restart")),
    "OneAtATime": ("two interrupts", ("two", "queue")),
    "SaysItOnce": ("lost ack", ("again", "restart")),
    "Forgetful": ("restart", ("restart", "again")),
    "TooModern": ("v0.4 cancel", ("plain",)),
    "NeverNow": ("answer", ()),
    "Overdue": ("silence", ("emergency",)),
    "Endless": ("one conclusion", ("emergency",)),
}
GOOD: dict[str, tuple[str, tuple[str, ...]]] = {
    "SoftStop": ("soft-stop", ALL),
    "HardStop": ("hard-stop", ("emergency", "late")),
    "Checkpointed": ("checkpointed", ("emergency", "late")),
    "NonInterruptible": ("non-interruptible", ALL),
}
REFERENCES = {
    "Solver": "mew_agents.solver:Solver",
    "Speaker": "mew_agents.speaker:Speaker",
    "Mute": "mew_agents.mute:Mute",
}
AUTHORS = {
    "Unstoppable": ("tests.compliance.authors:Unstoppable", ("emergency", "halted")),
    "Clerk": ("tests.compliance.authors:Clerk", ("override", "emergency", "two", "late", "again", "plain")),
}
SHOWS_NOTHING = ("fence", "late interrupt", "v0.4 cancel")  # of a non-interruptible agent
QUICK = Times(patience=3_000, settle=500)


@asynccontextmanager
async def serving_for(plan: Mapping[str, tuple[str, ...]], folder: Path) -> AsyncIterator[GatewayFixture]:
    spaces: dict[str, Deadlines] = {}
    for name, exercises in plan.items():
        spaces |= spaces_for(name, exercises)
    async with run_gateway(spaces, folder=folder) as gateway:
        yield gateway


async def examine_all(
    plan: Mapping[str, tuple[str, ...]], subjects: Mapping[str, AgentUnderTest], folder: Path
) -> dict[str, Report]:
    """Examine all agents concurrently, each in its own spaces."""
    reports: dict[str, Report] = {}
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def examine_one(gateway: GatewayFixture, name: str) -> None:
        reports[name] = await examine(gateway, name, subjects[name], exercises=plan[name], times=QUICK, at_once=limiter)

    async with serving_for(plan, folder) as gateway, anyio.create_task_group() as tasks:
        for name in plan:
            tasks.start_soon(examine_one, gateway, name)
    return reports


@pytest.fixture(scope="module")
def reports(scripted: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    plan = {name: exercises for name, (_, exercises) in {**FAULTS, **GOOD}.items()}
    subjects = {name: agent_under_test(command=f"{scripted} {name}") for name in plan}
    subjects |= {name: agent_under_test(agent) for name, agent in REFERENCES.items()}
    plan |= dict.fromkeys(REFERENCES, ALL)
    subjects |= {name: agent_under_test(agent, path=[str(ROOT)]) for name, (agent, _) in AUTHORS.items()}
    plan |= {name: exercises for name, (_, exercises) in AUTHORS.items()}
    return anyio.run(examine_all, plan, subjects, tmp_path_factory.mktemp("gateway"))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_violates_its_case_only(reports: dict[str, Report], name: str) -> None:
    report = reports[name]
    assert report.violated == (FAULTS[name][0],), "\n".join(report.lines())
    assert not report.passed
    (verdict,) = [one for one in report.verdicts if one.status == "violated"]
    assert all(finding.evidence for finding in verdict.findings)


@pytest.mark.parametrize("name", GOOD)
def test_a_correct_agent_keeps_every_case(reports: dict[str, Report], name: str) -> None:
    policy, exercises = GOOD[name]
    report = reports[name]
    assert report.passed, "\n".join(report.lines())
    assert report.policies == (policy,)
    assert not report.crashes
    unjudged = [one.case for one in report.verdicts if one.status == "not judged"]
    if exercises == ALL:
        assert unjudged == ([] if policy != "non-interruptible" else list(SHOWS_NOTHING))


def test_a_non_interruptible_span_may_finish_after_an_emergency(reports: dict[str, Report]) -> None:
    report = reports["Unstoppable"]
    assert report.passed, "\n".join(report.lines())
    assert report.policies == ("non-interruptible",)
    passed = {one.case for one in report.verdicts if one.status == "passed"}
    assert {"answer", "silence", "one conclusion", "halt"} <= passed


def test_an_inner_non_interruptible_span_delays_a_cancel(reports: dict[str, Report]) -> None:
    report = reports["Clerk"]
    assert report.passed, "\n".join(report.lines())
    assert report.policies == ("soft-stop",)
    passed = {one.case for one in report.verdicts if one.status == "passed"}
    assert {"answer", "silence", "one conclusion", "halt", "v0.4 cancel"} <= passed


def test_the_solver_keeps_every_case(reports: dict[str, Report]) -> None:
    report = reports["Solver"]
    assert [one.status for one in report.verdicts] == ["passed"] * len(CASES), "\n".join(report.lines())


def test_the_speaker_keeps_every_case(reports: dict[str, Report]) -> None:
    report = reports["Speaker"]
    assert report.passed, "\n".join(report.lines())
    # It waits to be heard before it concludes, so nothing finds it concluded while it is not.
    assert [one.case for one in report.verdicts if one.status == "not judged"] in ([], ["late interrupt"])


def test_an_agent_that_never_acks_violates_ack(reports: dict[str, Report]) -> None:
    assert reports["Mute"].violated == ("ack",)


def test_an_unjudged_case_has_a_reason(reports: dict[str, Report]) -> None:
    hung = {one.case: one for one in reports["Hung"].verdicts}
    assert {one.status for name, one in hung.items() if name != "ack"} == {"not judged"}
    assert hung["fence"].why == "'ack' is violated"
    fixed = {one.case: one.why for one in reports["NonInterruptible"].verdicts}
    assert {fixed[case] for case in SHOWS_NOTHING} == {"its runs are non-interruptible"}
    once = {one.case: one.why for one in reports["TooModern"].verdicts}
    assert once["halt"] == "its exercise was not done"


def test_a_crash_is_reported_with_the_last_output(reports: dict[str, Report]) -> None:
    (crash,) = reports["Crashing"].crashes
    assert (crash.exercise, crash.status) == ("override", 3)
    assert "I cannot take this any more" in crash.said
    assert any("I cannot take this any more" in line for line in reports["Crashing"].lines())


def test_a_latency_is_measured_for_each_interrupt(reports: dict[str, Report]) -> None:
    ack = next(one for one in reports["LateAck"].verdicts if one.case == "ack")
    assert len(ack.figures) == 3  # a cancel, an override, an emergency
    assert min(ack.figures) > 2_000


async def test_an_agent_that_begins_no_run_is_not_exercised() -> None:
    with pytest.raises(NotExercised, match="no reasoning/start came within 1 s of the chat"):
        await comply(agent_under_test("mew_agents.echo:Echo"), times=Times(patience=1_000), exercises=())


async def test_failing_runs_are_reported_with_the_agents_output() -> None:
    times = msgspec.structs.replace(
        QUICK, before=60_000
    )  # so that an interrupt comes after the failure, however slow the machine is
    with pytest.raises(NotExercised, match="every run failed before it could be interrupted") as caught:
        await comply(agent_under_test("tests.compliance.authors:Broken", path=[str(ROOT)]), times=times, exercises=())
    assert "ValueError: I cannot think about Please" in caught.value.last_output


async def test_an_unknown_exercise_is_reported() -> None:
    with pytest.raises(Unexaminable, match="There is no exercise 'yoga'; there are: cancel, override"):
        await comply(agent_under_test("mew_agents.echo:Echo"), exercises=["yoga"])


async def test_an_agent_that_cannot_start_is_reported() -> None:
    with pytest.raises(Unexaminable, match="ended with status 2 before it had joined") as caught:
        await comply(agent_under_test("no.such.module:Agent"), exercises=())
    assert "cannot be imported" in caught.value.last_output


async def test_a_gateway_that_cannot_start_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match="no space!"):
        async with run_gateway({"no space!": Deadlines()}, folder=tmp_path):
            pass


async def test_any_program_can_be_examined() -> None:
    with pytest.raises(Unexaminable, match="status 3"):
        await comply(agent_under_test(command="sh -c 'exit 3'"), exercises=())


async def test_a_run_may_be_begun_by_a_call() -> None:
    calculator = agent_under_test("mew_agents.calculator:Calculator", call="calculate", arguments={"expression": "1+1"})
    with pytest.raises(NotExercised, match="of the call"):
        await comply(calculator, times=Times(patience=1_000), exercises=())
