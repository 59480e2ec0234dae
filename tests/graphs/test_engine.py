"""What comes of what people say to a graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mew_agents.graphs.loading import AnyGraph, compiled
from mew_agents.graphs.speech import worded
from mew_gateway.sdk import Disconnected

from . import kinds
from .talk import Stopped, Watcher, talking

CANCELLED = "Esto quedó cancelado. Puede empezar de nuevo."
KEYS: dict[str, Any] = {"input": "words", "output": "end"}


def of(builder: Any) -> AnyGraph:
    return compiled(builder, name="the graph")


@pytest.fixture(autouse=True)
def _untouched() -> Iterator[None]:
    kinds.ran.clear()
    yield
    kinds.ran.clear()


async def test_questions_at_once_are_asked_one_by_one_and_answered_in_one_go(tmp_path: Path) -> None:
    async with talking(of(kinds.both()), tmp_path, **KEYS) as talk:
        assert await talk.ask("go", id="1") == ["left 1?"]
        assert await talk.ask("a", id="2") == ["right?"]
        assert kinds.ran == [], "nothing is resumed before the last of them is answered"
        assert await talk.ask("b", id="3") == ["left 2?"]
        assert kinds.ran == ["right"]
        assert await talk.ask("c", id="4") == ["left: a; left: c; right: b"]
        assert kinds.ran == ["right", "left", "finish"]


async def test_a_graph_in_a_graph_asks_as_its_own(tmp_path: Path) -> None:
    async with talking(of(kinds.nested()), tmp_path, **KEYS) as talk:
        seen = Watcher()
        assert await talk.ask("go", id="1", witness=seen) == ["one?"]
        assert await talk.ask("a", id="2") == ["two?"]
        assert await talk.ask("b", id="3", witness=seen) == ["deep: a; deep: b"]
        assert seen.nodes == ["inner/deep", "inner", "inner/deep", "inner", "finish"]


async def test_a_graph_of_the_functional_interface(tmp_path: Path) -> None:
    async with talking(kinds.functional, tmp_path) as talk:
        assert await talk.ask("hi", id="1") == ["name?"]
        assert await talk.ask("Ana", id="2") == ["age?"]
        assert await talk.ask("25", id="3") == ["hi Ana 25"]


async def test_messages_go_in_and_the_last_of_the_graphs_comes_out(tmp_path: Path) -> None:
    async with talking(of(kinds.chat()), tmp_path) as talk:
        assert await talk.ask("hi", id="1") == ["1: hi"]
        assert await talk.ask("silence", id="2") == [], "what was said before is not said again"
        assert await talk.ask("rude", id="3") == ['{"sure": true}']
        assert await talk.ask("no", id="4") == ["never mind"]
        assert await talk.ask("bye", id="5") == ["4: bye"], "an answer to a question is no message of its own"


async def test_two_people_have_two_threads(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        assert await talk.ask("go", id="1", by="ana") == ["what?"]
        assert await talk.ask("go", id="1", by="beto") == ["what?"]
        assert await talk.ask("of beto", id="2", by="beto") == ["first; ask: of beto; second"]
        assert await talk.ask("of ana", id="2", by="ana") == ["first; ask: of ana; second"]


async def test_the_same_message_again_has_the_same_result_and_nothing_else(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        first = await talk.say("go", id="1")
        assert await talk.say("go", id="1") == first
        await talk.hear()
        await talk.say("this", id="2")
        before = list(kinds.ran)
        again = await talk.say("this", id="2")
        assert (again.kind, again.text) == ("completed", "first; ask: this; second")
        assert kinds.ran == before
        assert len(await talk.hear()) == 1
        reused = await talk.say("that", id="2")
        assert reused.reason_code == "message_id_reused"


# Whose question, and whether it is open


async def test_an_answer_to_a_closed_question_is_refused_and_says_so(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        await talk.say("go", id="1")
        [question] = await talk.hear()
        await talk.ask("this", id="2", answers=question.message_id)
        before = list(kinds.ran)
        late = await talk.say("that", id="3", answers=question.message_id)
        assert (late.kind, late.reason_code) == ("reply", "question_closed")
        assert kinds.ran == before
        assert [one.text for one in await talk.hear()] == ["Esa pregunta ya está cerrada: no cambió nada."]


async def test_nobody_answers_for_somebody_else(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        await talk.say("go", id="1")
        [question] = await talk.hear()
        before = list(kinds.ran)
        refused = await talk.say("hers", id="9", by="beto", where="ana", answers=question.message_id)
        assert refused.reason_code == "not_yours"
        assert kinds.ran == before
        await talk.hear()
        assert await talk.ask("this", id="2") == ["first; ask: this; second"]


async def test_words_that_came_before_the_question_was_out_are_no_answer(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        await talk.say("go", id="1")
        early = await talk.say("this", id="2")
        assert early.reason_code == "question_not_out" and "what?" in early.text
        assert kinds.ran == ["first"]
        [_, told] = await talk.hear()
        assert await talk.ask("that", id="3", answers=told.message_id) == ["first; ask: that; second"]


# What goes wrong


async def test_a_graph_that_raises_is_told_about_and_can_be_started_again(tmp_path: Path) -> None:
    async with talking(of(kinds.failing()), tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
        seen = Watcher()
        failed = await talk.say("bad", id="2", witness=seen)
        assert (failed.kind, failed.reason_code) == ("failed", "graph_failed")
        assert "ValueError" not in failed.text
        assert seen.thoughts[-1].outcome == "failed"
        assert await talk.hear()
        assert await talk.ask("go", id="3") == ["well?"]
        assert await talk.ask("fine", id="4") == ["fine"]


def test_whatever_a_graph_ends_with_can_be_said() -> None:
    round: dict[str, Any] = {}
    round["it"] = round
    assert worded({("a", 1): 2}) == "{('a', 1): 2}"
    assert worded(round) == "{'it': {...}}"
    assert worded([kinds.Mute()]) == "list"
    assert worded("a\ud800b\0c") == "a?bc"


async def test_what_cannot_be_put_into_words_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with talking(of(kinds.failing()), tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
        monkeypatch.setattr("mew_agents.graphs.speech.worded", _mute)
        assert (await talk.say("fine", id="2")).reason_code == "graph_failed"
        monkeypatch.undo()
        await talk.hear()
        assert await talk.ask("go", id="3") == ["well?"]


def _mute(_: Any) -> str:
    raise RuntimeError("no words")


async def test_a_node_that_does_not_end_has_failed(tmp_path: Path) -> None:
    gate = kinds.Gate()
    async with talking(of(gate.builder()), tmp_path, step_limit=0.05, **KEYS) as talk:
        await talk.ask("go", id="1")
        assert (await talk.say("a", id="2")).reason_code == "graph_failed"
        gate.open.set()
        await talk.hear()
        assert await talk.ask("go", id="3") == ["one?"]


async def test_a_message_to_an_agent_that_is_off_does_nothing(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        result = await talk.say("go", id="1", mode="off")
        assert (result.kind, result.reason_code) == ("no_action", "off")
        assert kinds.ran == [] and await talk.hear() == []


# Interruptions


async def test_somebody_who_stops_it_stops_it_at_the_end_of_a_node(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
        stop = Watcher(node="second", stop=Stopped())
        with pytest.raises(Stopped):
            await talk.say("this", id="2", witness=stop)
        assert kinds.ran == ["first", "ask", "second"], "finish has not begun"
        assert await talk.hear() == []
        kinds.ran.clear()
        assert await talk.ask("this", id="2") == ["first; ask: this; second"], "it goes on from its checkpoint"
        assert kinds.ran == ["finish"]


async def test_a_connection_that_is_lost_is_no_failure_of_the_graph(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        with pytest.raises(Disconnected):
            await talk.say("go", id="1", witness=Watcher(node="first", stop=Disconnected("away")))
        assert await talk.ask("go", id="1") == ["what?"]
        assert kinds.ran == ["first"]


async def test_what_a_node_does_beside_the_one_that_was_seen_ends_too(tmp_path: Path) -> None:
    async with talking(of(kinds.both()), tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
        await talk.ask("a", id="2")
        with pytest.raises(Stopped):
            await talk.say("b", id="3", witness=Watcher(node="right", stop=Stopped()))
        assert await talk.ask("b", id="3") == ["left 2?"]
        assert await talk.ask("c", id="4") == ["left: a; left: c; right: b"]


async def test_a_cancel_voids_the_question_and_the_next_words_begin_anew(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        await talk.say("go", id="1")
        [question] = await talk.hear()
        await talk.cancel()
        assert [one.text for one in await talk.hear()] == [CANCELLED]
        late = await talk.say("this", id="2", answers=question.message_id)
        assert late.reason_code == "question_closed"
        await talk.hear()
        kinds.ran.clear()
        assert await talk.ask("go", id="3") == ["what?"]
        assert kinds.ran == ["first"]
        assert await talk.ask("that", id="4") == ["first; ask: that; second"], "nothing of before is in it"


async def test_a_cancel_takes_back_what_was_cancelled_and_nothing_else(tmp_path: Path) -> None:
    async with talking(of(kinds.chat()), tmp_path) as talk:
        assert await talk.ask("one", id="1") == ["1: one"]
        assert await talk.ask("rude", id="2") == ['{"sure": true}']
        await talk.cancel()
        await talk.hear()
        assert await talk.ask("two", id="3") == ["2: two"], "the thread knows of one, and of rude no more"
        await talk.cancel()
        assert await talk.ask("three", id="4") == ["3: three"], "there was nothing to cancel"


async def test_a_cancel_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        with pytest.raises(Stopped):
            await talk.say("go", id="1", witness=Watcher(node="first", stop=Stopped()))
        await talk.cancel()
        assert [one.text for one in await talk.hear()] == [CANCELLED]
        await talk.discard("go", id="1")
        assert (await talk.say("go", id="1")).kind == "no_action"
        assert await talk.recover() == 0
        assert await talk.ask("go", id="2") == ["what?"]
        assert await talk.ask("this", id="3") == ["first; ask: this; second"]


async def test_an_input_whose_turn_was_stopped_never_was(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        with pytest.raises(Stopped):
            await talk.say("go", id="1", witness=Watcher(node="first", stop=Stopped()))
        await talk.discard("go", id="1")
        assert await talk.hear() == []
        assert await talk.ask("go", id="2") == ["what?"]
        assert await talk.ask("this", id="3") == ["first; ask: this; second"]


async def test_an_answer_whose_turn_was_stopped_is_asked_for_again(tmp_path: Path) -> None:
    async with talking(of(kinds.both()), tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
        await talk.ask("a", id="2")
        with pytest.raises(Stopped):
            await talk.say("b", id="3", witness=Watcher(node="right", stop=Stopped()))
        await talk.discard("b", id="3")
        assert [one.text for one in await talk.hear()] == ["left 2?"], "what the thread waits for by now"
        assert await talk.ask("c", id="4") == ["left: a; left: c; right: b"]


async def test_nobody_cancels_what_is_another_agents(tmp_path: Path) -> None:
    async with talking(of(kinds.line()), tmp_path, **KEYS) as talk:
        await talk.ask("go", id="1")
        async with talking(of(kinds.line()), tmp_path, prefix="demo/other/", **KEYS) as other:
            await other.cancel()
        assert await talk.ask("this", id="2") == ["first; ask: this; second"]
