"""SIGKILL at every point of the registry, and every time it is passed: the story ends as if nobody had died.

One effect, each reply once and in order, every message done, every Work what its events make of it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mew_agents.fluxi.points import POINTS

from ...kit.stores import Fresh
from ...kit.workers import Workers
from ..bookings import ASKED, KEYED, booking, listed
from .story import Ending, Step, Story, Telling

BOOKING = (
    Step("say", "Quiero agendar un turno con la Dra. Ana Pérez para el viernes"),
    Step("say", "a las 17"),
    Step("say", "sí, pero a las 18"),
    Step("say", "sí"),
    Step("say", "gracias"),
)
AT_ONCE = (Step("say", "Quiero un turno con la Dra. Ana Pérez el viernes a las 17"), Step("say", "dale"))

STORIES = {
    "booked": Story(dialogue=BOOKING),
    "thought over": Story(dialogue=AT_ONCE, definition=booking(KEYED), interpreter="slow"),
    "asked": Story(dialogue=AT_ONCE, definition=listed(booking(ASKED)), moods=("late",)),
    "lost": Story(dialogue=AT_ONCE, definition=booking(ASKED), moods=("lost",), patience=2),
    "suggested": Story(dialogue=(Step("suggest", BOOKING[0].how), *AT_ONCE)),
    "expired": Story(dialogue=(BOOKING[0], Step("wait", 31 * 60_000))),
    "resolved": Story(
        dialogue=(*AT_ONCE, Step("resolve", "applied")), definition=booking({"tool": "world/plain"}), moods=("late",)
    ),
}
# In which story a commit or an await is passed.
TOLD_IN = {
    "register": "booked",
    "receive": "thought over",
    "decide": "thought over",
    "turn": "booked",
    "suggest": "suggested",
    "effect.begin": "booked",
    "effect.record": "booked",
    "effect.take_over": "asked",
    "timer": "expired",
    "operator": "resolved",
    "outbox.lease": "booked",
    "outbox.mark": "booked",
    "names": "asked",
    "interpret": "thought over",
    "effect.send": "booked",
    "effect.look_back": "asked",
    "effect.ask": "asked",
    "outbox.carry": "booked",
}
# Not needed for what a point means, but each more than once worth dying at.
ALSO = [
    ("asked", "effect.send.after"),
    ("asked", "effect.record.before"),
    ("asked", "effect.record.after"),
    ("lost", "effect.ask.after"),
    ("lost", "effect.record.before"),
    ("lost", "effect.record.after"),
    ("lost", "effect.begin.after"),
    ("resolved", "effect.record.before"),
    ("resolved", "effect.record.after"),
    ("thought over", "turn.before"),
]
CASES = [(TOLD_IN[point.rpartition(".")[0]], point) for point in POINTS] + ALSO


@pytest.fixture(scope="module")
def calm() -> dict[str, tuple[Ending, Counter[str]]]:
    """How each story ends when nobody dies, and how often each point is passed until then."""
    return {}


@pytest.mark.parametrize(("name", "point"), [pytest.param(*case, id=" ".join(case)) for case in CASES])
async def test_whoever_dies_anywhere_is_followed_by_one_who_ends_it_as_if_nobody_had(
    name: str,
    point: str,
    calm: dict[str, tuple[Ending, Counter[str]]],
    workers: Workers,
    fresh: Fresh,
    tmp_path: Path,
) -> None:
    story = STORIES[name]
    if name not in calm:
        telling = Telling(story, workers, fresh(), tmp_path / "calm")
        calm[name] = await telling.tell(), telling.passed
    ending, passed = calm[name]
    assert passed[point], f"nobody passes {point} in the story that is {name}"
    # Once more on the one that is quick to make: the first time it is passed is another situation than the last.
    url = fresh()
    for nth in dict.fromkeys((passed[point], 1 if "sqlite" in url else passed[point])):
        telling = Telling(story, workers, url, tmp_path / str(nth), faults=[f"{point}:{nth}"])
        assert await telling.tell() == ending, nth
        assert telling.deaths == 1
        url = fresh()


def test_every_point_of_the_registry_is_died_at() -> None:
    assert {point for _, point in CASES} == set(POINTS)
