"""Peers that know nothing but MEW v0.4 and seed 004: what they say is understood, and what they read is enough."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from mew_agents.solver import Solver, SolverOptions

PROMISES = {"stopping": 0, "completing_thought": 1}  # seed 004: how many thoughts may follow


@pytest.fixture
async def site(start_gateway: Any) -> AsyncIterator[Any]:
    """A gateway whose supervisors may send a v0.4 cancel, too."""
    async with start_gateway() as running:
        yield running


@pytest.fixture
def thinker() -> Solver:
    """An agent of the SDK that would go on for longer than any test."""
    return Solver(SolverOptions(cities=1_000, seed=1, max_seconds=600, stall_seconds=600))


async def begin(human: Any) -> str:
    """Make it think; the sequence's id, after the first thought."""
    await human.send("chat", {"text": "go"}, to=["agent"], protocol="mew/v0.3")
    run = (await human.until("reasoning/start"))["id"]
    await human.until("reasoning/thought")
    return str(run)


async def record(site: Any, id: str) -> dict[str, Any]:
    _, found = await site.get("/spaces/demo/interrupts", participant="human")
    return next(dict(one) for one in found["interrupts"] if one["id"] == id)


def said(envelopes: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [one for one in envelopes if one["kind"] == kind and one["from"] == "agent"]


async def watch_it_stop(human: Any, run: str, since: int, *, allowed: int) -> None:
    """One conclusion of the sequence comes, with as many thoughts before it as were promised at most; then nothing."""
    while (await human.until("reasoning/conclusion"))["context"] != run:
        pass
    assert len(said(human.seen[since:], "reasoning/thought")) <= allowed
    rest = [one for one in await human.settle() if one.get("context") == run]
    assert rest == []


@pytest.mark.parametrize("below", ["", "/a/step/below"])
async def test_a_cancel_of_v04_ends_the_run_of_somebody_else(
    site: Any, attend: Any, thinker: Solver, below: str
) -> None:
    human = await site.join("human")
    async with attend(thinker, site, human):
        run = await begin(human)
        await human.send("reasoning/cancel", {"reason": "superseded"}, id="c1", context=run + below)
        await human.until("reasoning/cancel")
        await watch_it_stop(human, run, len(human.seen), allowed=2)  # one was on its way, one is being completed
        kept = await record(site, "c1")
        assert (kept["kind"], kept["class"], kept["status"]) == ("reasoning/cancel", "cancel", "honoured")


async def test_a_cancel_of_v04_without_the_capability_is_never_heard(site: Any, attend: Any, thinker: Solver) -> None:
    human, second = await site.join("human"), await site.join("second")
    async with attend(thinker, site, human):
        run = await begin(human)
        await second.send("reasoning/cancel", {"reason": "superseded"}, context=run)
        await second.until("system/error", error="capability_violation")
        since = len(human.seen)
        await human.until("reasoning/thought")
        assert said(human.seen[since:], "reasoning/conclusion") == []


@pytest.mark.parametrize("reason", ["timeout", "redirect", "error", "user_request", "resource_limit", "other"])
async def test_a_bare_reason_gets_an_answer_in_two_phases(site: Any, attend: Any, thinker: Solver, reason: str) -> None:
    """Of the ack only `status` is read, of the conclusion only its `context`."""
    human = await site.join("human")
    async with attend(thinker, site, human):
        run = await begin(human)
        await human.send(
            "reasoning/interrupt", {"reason": reason, "message": "stop"}, id="i1", to=["agent"], correlation_id=[run]
        )
        ack = await human.until("reasoning/interrupt-ack")
        since = len(human.seen)
        assert (ack["from"], ack["to"], ack["correlation_id"]) == ("agent", ["human"], ["i1"])
        await watch_it_stop(human, run, since, allowed=PROMISES[ack["payload"]["status"]])
        assert len(said(human.seen, "reasoning/interrupt-ack")) == 1
        assert (await record(site, "i1"))["status"] == "honoured"


async def test_what_is_only_queued_is_answered_with_continuing_and_the_run_goes_on(
    site: Any, attend: Any, thinker: Solver
) -> None:
    human = await site.join("human")
    async with attend(thinker, site, human):
        run = await begin(human)
        payload = {"reason": "other", "class": "queue", "message": "when you have a moment"}
        await human.send("reasoning/interrupt", payload, id="i1", to=["agent"], correlation_id=[run])
        assert (await human.until("reasoning/interrupt-ack"))["payload"]["status"] == "continuing"
        assert (await human.until("reasoning/thought"))["context"] == run
        assert (await record(site, "i1"))["status"] == "acked"


async def test_an_agent_that_says_no_more_than_seed_004_is_followed_all_the_same(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await agent.send("reasoning/start", {"message": "thinking"}, id="run", protocol="mew/v0.3")
    await human.until("reasoning/start")
    payload = {"reason": "redirect", "class": "override", "scope": "span", "input": {"a": 1}, "on_reject": "queue"}
    await human.send("reasoning/interrupt", payload, id="i1", to=["agent"], correlation_id=["run"])
    assert (await agent.until("reasoning/interrupt"))["payload"] == payload
    await agent.send("reasoning/interrupt-ack", {"status": "completing_thought"}, correlation_id=["i1"])
    await agent.send("reasoning/thought", {"message": "the last"}, context="run")
    await agent.send("reasoning/conclusion", {}, context="run")
    await human.until("reasoning/conclusion")
    assert (await record(site, "i1"))["status"] == "honoured"
