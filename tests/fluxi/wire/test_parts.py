"""The parts that need no space: the line of a conversation, the mark, the options."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.fsm import Event
from mew_agents.fluxi.participant.line import Line
from mew_agents.fluxi.participant.options import FluxiOptions, definitions_of
from mew_agents.fluxi.participant.resumption import NAME, Resumption
from mew_agents.fluxi.participant.thoughts import EVENTS
from mew_gateway.sdk import Misconfigured

from ...kit.agents import hasty


async def test_a_conversation_has_one_turn_at_a_time_in_order_and_others_do_not_wait() -> None:
    line, order, may = Line(), [], asyncio.Event()

    async def turn(key: str, name: str, *, waits: bool = False) -> None:
        async with line.place(key):
            order.append(f"{name} begins")
            if waits:
                await may.wait()
            order.append(f"{name} ends")

    turns = [asyncio.create_task(turn("a", f"a{n}", waits=n == 1)) for n in (1, 2, 3)]
    turns.append(asyncio.create_task(turn("b", "b1")))
    await asyncio.wait(turns[3:])
    assert order == ["a1 begins", "b1 begins", "b1 ends"]
    turns[1].cancel()  # it waits: whoever waits behind it goes on waiting for the first
    await asyncio.wait(turns[1:2])
    assert "a3 begins" not in order
    may.set()
    await asyncio.gather(*turns, return_exceptions=True)
    assert order[3:] == ["a1 ends", "a3 begins", "a3 ends"]
    assert line._last == {}


def test_the_mark_passes_only_what_is_dealt_with(tmp_path: Path) -> None:
    marks = Resumption(tmp_path / NAME)
    first, second, third, nowhere = (marks.note(id) for id in ("one", "two", "three", None))
    second.done()
    assert marks.mark is None
    first.done()
    assert marks.mark == "two"
    nowhere.done()
    third.done()
    assert marks.mark == "three"
    marks.ran("work", "run", goes_on=True)
    marks.ran("over", "run", goes_on=True)
    marks.ran("over", "run", goes_on=False)
    marks.write()
    again = Resumption(tmp_path / NAME)
    assert (again.mark, again.runs) == ("three", {"work": "run"})


@pytest.mark.parametrize("text", ["", "null", "[]", '{"mark": 1, "runs": []}'])
def test_a_mark_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    assert (Resumption(tmp_path / NAME).mark, Resumption(tmp_path / NAME).runs) == (None, {})


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"definitions": ("appointment_bookin",)}, "unknown_definition: .* Did you mean appointment_booking"),
        ({"definitions": ("appointment_booking", "appointment_booking")}, "definition_twice"),
        ({"database": "mysql://x/y"}, "bad_url"),
        ({"database": "sqlite://"}, "bad_url"),
        ({"timezone": "Mars/Olympus"}, "unknown_timezone"),
        ({"interpreter": "model"}, "missing_option"),
    ],
)
def test_what_is_wrong_is_a_sentence_with_a_code(
    options: dict[str, Any], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEW_LLM_URL", raising=False)
    with pytest.raises(Misconfigured, match=code):
        FluxiAgent(FluxiOptions(**options))


def test_definitions_are_files_folders_and_names(tmp_path: Path) -> None:
    hasty(tmp_path)
    found = definitions_of(FluxiOptions(definitions=(str(tmp_path), "refund_request")))
    assert [one.type_id for one in found] == ["appointment_booking", "refund_request"]
    broken = tmp_path / "broken.yaml"
    broken.write_text("typeId: x\n")
    with pytest.raises(Misconfigured, match=r"invalid_definition: .*broken\.yaml"):
        definitions_of(FluxiOptions(definitions=(str(broken),)))


def test_every_transition_has_words_in_every_language() -> None:
    assert EVENTS.phrases.keys() == set(Event)
    assert all(words.keys() == {"en", "es", "pt"} for words in EVENTS.phrases.values())
