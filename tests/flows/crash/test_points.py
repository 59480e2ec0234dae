"""SIGKILL at every commit and every await: whoever follows finishes what was begun, and nothing is asked or done twice
(docs/flows.md §3)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mew_agents.durable import around
from mew_agents.flows.points import POINTS

from ...fluxi.crash.story import Ending, Step, Story
from ...kit.stores import Fresh
from ...kit.workers import Workers
from .story import FlowTelling

# A flow that is left for another one, which calls a tool, and comes to an effect.
PAID = (
    Step("say", "hacer un pago"),
    Step("say", "Mitre"),
    Step("say", "¿cómo está el clima?"),
    Step("say", "50"),
    Step("say", "no, mejor 80"),
    Step("say", "sí"),
    Step("say", "gracias"),
)
POSTED = (Step("say", "mandar el paquete"), Step("say", "sí"))
STORIES = {
    "paid": Story(dialogue=PAID),
    "thought over": Story(dialogue=(*PAID[:3], PAID[3], PAID[5]), interpreter="slow"),
    "asked": Story(dialogue=POSTED, moods=("late",)),
    "lost": Story(dialogue=POSTED, moods=("lost",), patience=2),
    "called off": Story(dialogue=(*PAID[:2], Step("wait", 0), Step("say", "50"))),
    "resolved": Story(
        dialogue=(Step("say", "mandar el aviso"), Step("say", "sí"), Step("resolve", "applied")), moods=("late",)
    ),
}
TOLD_IN = {
    "register": "paid",
    "receive": "thought over",
    "decide": "thought over",
    "turn": "paid",
    "effect.begin": "paid",
    "effect.record": "paid",
    "effect.take_over": "asked",
    "operator": "called off",
    "outbox.lease": "paid",
    "outbox.mark": "paid",
    "names": "paid",
    "interpret": "thought over",
    "effect.send": "paid",
    "effect.look_back": "asked",
    "effect.ask": "asked",
    "outbox.carry": "paid",
    "action.send": "paid",
    "action.record": "paid",
}
# A Work of a flow is opened when it is executed, so that its time does not pass; a suggestion commits nothing.
NEVER = around("timer", "suggest")
ALSO = [
    ("asked", "effect.send.after"),
    ("asked", "effect.record.before"),
    ("lost", "effect.ask.after"),
    ("lost", "effect.record.after"),
    ("resolved", "operator.before"),
    ("resolved", "operator.after"),
    ("thought over", "turn.before"),
    ("thought over", "turn.after"),
    ("thought over", "action.record.after"),
]
CASES = [(TOLD_IN[point.rpartition(".")[0]], point) for point in POINTS if point not in NEVER] + ALSO


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
        telling = FlowTelling(story, workers, fresh(), tmp_path / "calm", cancelled="pay")
        calm[name] = await telling.tell(), telling.passed
    ending, passed = calm[name]
    assert passed[point], f"nobody passes {point} in the story that is {name}"
    # Once more on the one that is quick to make: the first time it is passed is another situation than the last.
    url = fresh()
    for nth in dict.fromkeys((passed[point], 1 if "sqlite" in url else passed[point])):
        telling = FlowTelling(story, workers, url, tmp_path / str(nth), faults=[f"{point}:{nth}"], cancelled="pay")
        assert await telling.tell() == ending, nth
        assert telling.deaths == 1
        url = fresh()


def test_every_point_of_the_registry_is_died_at() -> None:
    assert {point for _, point in CASES} == set(POINTS) - set(NEVER)
