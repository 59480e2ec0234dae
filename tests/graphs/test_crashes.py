"""A process that ends anywhere between two people's words: nothing is asked, answered or said twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mew_agents.durable.failpoints import Crash, Failpoints, Fault
from mew_agents.fluxi.points import POINTS as FLUXI
from mew_agents.graphs.engine import POINTS
from mew_agents.graphs.loading import compiled

from . import kinds
from .talk import talking

KEYS: dict[str, Any] = {"input": "words", "output": "end"}
GRAPH = compiled(kinds.line(), name="line")
PLACES = [one for one in POINTS if not one.startswith(("thread.cancel", "thread.discard"))]


@pytest.fixture(autouse=True)
def _untouched() -> Iterator[None]:
    kinds.ran.clear()
    yield
    kinds.ran.clear()


def failing(point: str) -> Failpoints:
    return Failpoints([*FLUXI, *POINTS], Fault(point, 1, "raise"))


@pytest.mark.parametrize("heard_again", [True, False], ids=["redelivered", "left"])
@pytest.mark.parametrize("point", PLACES)
async def test_an_input_is_asked_about_once(tmp_path: Path, database_url: str, point: str, heard_again: bool) -> None:
    async with talking(GRAPH, tmp_path, url=database_url, failpoints=failing(point), **KEYS) as talk:
        with pytest.raises(Crash):
            await talk.say("go", id="1")
    async with talking(GRAPH, tmp_path, url=database_url, **KEYS) as talk:
        if heard_again:
            await talk.say("go", id="1")
            assert await talk.recover() == 0
        else:
            assert await talk.recover() == (0 if point in ("thread.begin.before", "thread.settle.after") else 1)
            await talk.say("go", id="1")
        assert [one.text for one in await talk.hear()] == ["what?"]
        assert kinds.ran == ["first"], "a node whose checkpoint stands does not run again"
        assert await talk.ask("this", id="2") == ["first; ask: this; second"]


@pytest.mark.parametrize("point", PLACES)
async def test_an_answer_is_taken_once(tmp_path: Path, point: str) -> None:
    async with talking(GRAPH, tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
    async with talking(GRAPH, tmp_path, failpoints=failing(point), **KEYS) as talk:
        with pytest.raises(Crash):
            await talk.say("this", id="2")
    async with talking(GRAPH, tmp_path, **KEYS) as talk:
        await talk.recover()
        await talk.say("this", id="2")
        assert [one.text for one in await talk.hear()] == ["first; ask: this; second"]
        assert kinds.ran == ["first", "ask", "second", "finish"]


async def test_an_answer_in_a_graph_in_a_graph(tmp_path: Path) -> None:
    graph = compiled(kinds.nested(), name="nested")
    async with talking(graph, tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
        kinds.dies.add("deep")
        with pytest.raises(Crash):
            await talk.say("a", id="2")
    kinds.dies.clear()
    async with talking(graph, tmp_path, **KEYS) as talk:
        assert await talk.ask("a", id="2") == ["two?"]
        assert await talk.ask("b", id="3") == ["deep: a; deep: b"]


@pytest.mark.parametrize("place", ["left", "right"])
async def test_an_answer_to_one_of_two_that_run_beside_one_another(tmp_path: Path, place: str) -> None:
    """Killed when one node of a step has had its answer and ended, and the other has not."""
    graph = compiled(kinds.both(), name="both")
    async with talking(graph, tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
        await talk.ask("a", id="2")
        kinds.dies.add(place)
        with pytest.raises(Crash):
            await talk.say("b", id="3")
    kinds.dies.clear()
    async with talking(graph, tmp_path, **KEYS) as talk:
        assert await talk.recover() == 1
        assert [one.text for one in await talk.hear()] == ["left 2?"]
        assert await talk.ask("c", id="4") == ["left: a; left: c; right: b"]


async def test_a_node_that_was_cut_short_with_its_answer_is_not_given_it_twice(tmp_path: Path) -> None:
    """LangGraph keeps the answer of a node that is cancelled, and says that it still waits."""
    gate = kinds.Gate()
    async with talking(compiled(gate.builder(), name="gate"), tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
        turn = asyncio.create_task(talk.say("a", id="2"))
        await gate.reached.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        gate.open.set()
        assert await talk.ask("a", id="2") == ["two?"]
        assert await talk.ask("b", id="3") == ["a, b"]


async def test_other_words_find_what_was_left_and_finish_it_first(tmp_path: Path) -> None:
    async with talking(GRAPH, tmp_path, failpoints=failing("graph.before"), **KEYS) as talk:
        with pytest.raises(Crash):
            await talk.say("go", id="1")
    async with talking(GRAPH, tmp_path, **KEYS) as talk:
        later = await talk.say("this", id="2")
        assert later.reason_code == "question_not_out"
        assert "what?" in [one.text for one in await talk.hear()]


async def test_a_question_waits_for_days_in_its_rows_alone(tmp_path: Path) -> None:
    async with talking(GRAPH, tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
    async with talking(GRAPH, tmp_path, **KEYS) as talk:
        assert await talk.recover() == 0
        assert await talk.ask("this", id="2") == ["first; ask: this; second"]
