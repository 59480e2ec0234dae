"""SIGKILL around a call: what a tool allows to be known decides whether it is completed or in doubt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ...kit.stores import Fresh
from ...kit.workers import Workers
from ..bookings import ASKED, KEYED, PLAIN, booking
from ..outside import Mood, Outside
from .story import Ending, Step, Story, Telling

AT_ONCE = (Step("say", "Quiero un turno con la Dra. Ana Pérez el viernes a las 17"), Step("say", "dale"))
COMPLETED, IN_DOUBT = "COMPLETED/None", "EXECUTING/in_doubt"


@pytest.mark.parametrize(
    ("point", "state", "effects"),
    [
        ("effect.begin.before", COMPLETED, 1),
        ("effect.begin.after", IN_DOUBT, 0),
        ("effect.send.before", IN_DOUBT, 0),
        ("effect.send.after", IN_DOUBT, 1),
        ("effect.record.before", IN_DOUBT, 1),
        ("effect.record.after", COMPLETED, 1),
    ],
)
async def test_a_tool_that_has_no_key_and_answers_no_question_is_never_called_twice(
    point: str, state: str, effects: int, workers: Workers, fresh: Fresh, tmp_path: Path
) -> None:
    story = Story(dialogue=(*AT_ONCE, Step("say", "sí"), Step("wait", 3_600_000)), definition=booking(PLAIN))
    ending = await Telling(story, workers, fresh(), tmp_path / "world", faults=[point]).tell()
    assert ending.states == [state]
    assert len(ending.effects) == len(Outside(tmp_path / "world").calls.lines) == effects
    doubts = [reply for reply in ending.replies if reply.startswith("No sé con certeza")]
    assert len(doubts) == (state == IN_DOUBT)


FINDING_OUT = ["effect.take_over.after", "effect.look_back.after", "effect.record.before", "effect.record.after"]


@pytest.mark.parametrize("second", [*FINDING_OUT, "effect.take_over.before", "effect.send.before", "effect.send.after"])
async def test_whoever_dies_finding_out_is_followed_by_one_who_finds_out(
    second: str, workers: Workers, fresh: Fresh, tmp_path: Path
) -> None:
    ending = await die_twice(second, KEYED, ("late",), workers, fresh(), tmp_path)
    assert ending.states == [COMPLETED]
    assert len(ending.effects) == 1


@pytest.mark.parametrize("mood", ["late", "lost"])
@pytest.mark.parametrize("second", [*FINDING_OUT, "effect.ask.after"])
async def test_whoever_dies_asking_is_followed_by_one_who_asks(
    second: str, mood: Mood, workers: Workers, fresh: Fresh, tmp_path: Path
) -> None:
    ending = await die_twice(second, ASKED, (mood,), workers, fresh(), tmp_path)
    assert ending.states == [COMPLETED]
    assert len(ending.effects) == 1
    assert len(Outside(tmp_path / "world").calls.lines) == (1 if mood == "late" else 2)


async def die_twice(
    second: str, effect: dict[str, Any], moods: tuple[Mood, ...], workers: Workers, url: str, folder: Path
) -> Ending:
    """The first dies when it was answered, the second while it finds out."""
    story = Story(dialogue=AT_ONCE, definition=booking(effect), moods=moods, patience=2)
    telling = Telling(story, workers, url, folder / "world", faults=["effect.send.after", second])
    ending = await telling.tell()
    assert telling.deaths == 2
    return ending
