"""The solver in a real space: thinks aloud, gets better, and stops when it is asked to."""

from __future__ import annotations

from typing import Any

import pytest

from mew_agents.solver import Solver, SolverOptions
from mew_agents.tour import length_of, scatter
from mew_gateway.sdk import Misconfigured
from mew_gateway.sdk.options import options_from


async def _start(human: Any) -> dict[str, Any]:
    await human.send("chat", {"text": "go"}, to=["agent"])
    start = dict(await human.until("reasoning/start"))
    await human.until("reasoning/thought")  # what it is about to do
    return start


def _check(end: dict[str, Any]) -> None:
    """The conclusion's tour is a round trip of the cities, as long as it says, and no longer than the start."""
    said = end["payload"]
    cities = scatter(said["cities"], said["seed"])
    assert sorted(said["tour"]) == list(range(said["cities"]))
    assert said["length"] == pytest.approx(length_of(cities, said["tour"]))
    assert said["length"] <= said["start_length"]


async def test_it_gets_better_until_it_does_not(site, attend):
    human = await site.join("human")
    options = SolverOptions(cities=40, seed=7, stall_seconds=0.4, max_seconds=20)
    async with attend(Solver(options), site, human):
        start = await _start(human)
        task = human.seen[-1]["payload"]
        assert (task["message"], task["seed"]) == ("Looking for a short round trip through 40 cities", 7)
        lengths = []
        while (said := await human.receive())["kind"] != "reasoning/conclusion":
            if said["kind"] == "reasoning/thought":
                assert said["context"] == start["id"]
                lengths.append(said["payload"]["length"])
        assert len(lengths) > 1
        assert lengths == sorted(lengths, reverse=True)
        _check(said)
        assert (said["payload"]["outcome"], said["payload"]["partial"]) == ("completed", False)
        assert said["payload"]["start_length"] == lengths[0]
        await human.until("chat", text=said["payload"]["message"])  # the reply


async def test_an_improvement_later_than_the_pace_ends_nothing(site, attend, monkeypatch):
    monkeypatch.setattr("mew_agents.solver._PACE", 0.0)  # each is found later than that
    human = await site.join("human")
    options = SolverOptions(cities=30, seed=7, stall_seconds=0.2, max_seconds=20)
    async with attend(Solver(options), site, human):
        await _start(human)
        end = await human.until("reasoning/conclusion")
        assert end["payload"]["outcome"] == "completed"
        await human.until("chat", text=end["payload"]["message"])


async def test_an_interrupt_gets_the_best_so_far(site, attend):
    human = await site.join("human")
    async with attend(Solver(SolverOptions(cities=200, seed=1, language="es")), site, human):
        run = (await _start(human))["id"]
        await human.until("reasoning/thought")
        await human.send("reasoning/interrupt", {"reason": "user_request"}, id="i1", to=["agent"], correlation_id=[run])
        ack = await human.until("reasoning/interrupt-ack")
        assert ack["payload"]["status"] in ("completing_thought", "stopping")
        end = await human.until("reasoning/conclusion", interrupt_id="i1", partial=True, outcome="interrupted")
        _check(end)
        thoughts = [one for one in human.seen[human.seen.index(ack) :] if one["kind"] == "reasoning/thought"]
        assert len(thoughts) == (ack["payload"]["status"] == "completing_thought")
        assert end["payload"]["message"].startswith("El mejor recorrido que he encontrado mide")
        assert "reasoning/thought" not in [one["kind"] for one in await human.settle()]


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        ("en", "How is it going?", "The best round trip I found is"),
        ("es", "¿Cómo va?", "El mejor recorrido que he encontrado mide"),
        ("pt", "Como vai?", "O melhor percurso que encontrei mede"),
    ],
)
async def test_whoever_asks_is_told_how_it_goes_and_it_goes_on(site, attend, language, question, answer):
    human = await site.join("human")
    async with attend(Solver(SolverOptions(cities=100, seed=1, language=language)), site, human):
        run = (await _start(human))["id"]
        await human.until("reasoning/thought")
        await human.send("chat", {"text": question}, id="c2", to=["agent"])
        ack = await human.until("chat/acknowledge")
        assert (ack["correlation_id"], ack["payload"]["outcome"]) == (["c2"], "paused")
        told = await human.until("chat")
        assert told["correlation_id"] == ["c2"] and told["payload"]["text"].startswith(answer)
        assert (await human.until("reasoning/thought"))["context"] == run


async def test_it_ends_when_its_time_is_over(site, attend):
    human = await site.join("human")
    options = SolverOptions(cities=1_000, max_seconds=0.05, stall_seconds=60)
    async with attend(Solver(options), site, human):
        await _start(human)
        _check(await human.until("reasoning/conclusion", outcome="completed"))


async def test_without_a_seed_the_cities_differ(site, attend):
    human = await site.join("human")
    async with attend(Solver(SolverOptions(cities=8, max_seconds=0.01)), site, human):
        seeds: set[int] = set()
        for _ in range(2):
            await human.send("chat", {"text": "go"}, to=["agent"])
            seeds.add((await human.until("reasoning/conclusion"))["payload"]["seed"])
        assert len(seeds) == 2


@pytest.mark.parametrize("wrong", [{"cities": 3}, {"cities": 1e9}, {"max_seconds": 0}, {"language": "de"}, {"n": 1}])
def test_wrong_options_are_refused(wrong):
    with pytest.raises(Misconfigured):
        options_from(wrong, Solver.Options)
