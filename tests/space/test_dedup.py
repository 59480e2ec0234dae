"""How long an id is remembered, and how many are (docs/protocol.md §2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from mew_gateway.space.settings import Bounds

SMALL = Bounds(remembered_ids=5, remembered_for=1_000)


@pytest.fixture
def stage(make_stage: Callable[..., Any]) -> Any:
    """A space that remembers little, with `human` in it and an id `first` used."""
    stage = make_stage(bounds=SMALL)
    stage.join("human")
    assert chat(stage, "first") == []
    return stage


def chat(stage: Any, id: str, *, label: str = "human", text: str = "hi") -> list[Any]:
    """What the sender is answered: an error, or nothing."""
    effects = stage.say(label, "chat", id, {"text": text})
    return [effect for effect in effects if effect.own]


def test_old_id_is_remembered_while_few_follow(stage: Any) -> None:
    for n in range(3):
        chat(stage.at(10_000_000 * (n + 1)), f"c{n}")
    assert chat(stage, "first")


def test_young_id_is_remembered_while_many_follow(stage: Any) -> None:
    for n in range(20):
        chat(stage.at(n), f"c{n}")
    assert chat(stage, "first")


def test_old_id_is_forgotten_after_many_others(stage: Any) -> None:
    for n in range(50):
        chat(stage.at(n * 1_000), f"c{n}")
    assert not chat(stage, "first")


def test_a_flood_is_remembered_in_part(stage: Any) -> None:
    """Faster than `remembered_for` allows for, ids go early: memory is bounded."""
    for n in range(500):
        chat(stage, f"c{n}")
        assert stage.space.remembered_ids <= 10 * SMALL.remembered_ids
    assert not chat(stage, "first")
    assert chat(stage, "c499")
    assert chat(stage, f"c{500 - 2 * SMALL.remembered_ids}")


def test_other_participants_cannot_evict_an_id(stage: Any) -> None:
    stage.join("solver")
    for n in range(500):
        chat(stage.at(n * 1_000), f"c{n}", label="solver")
    assert chat(stage, "first")


def test_a_refused_envelope_is_not_remembered(stage: Any) -> None:
    assert chat(stage, "later", text=5)  # type: ignore[arg-type]
    assert not chat(stage, "later")


def test_post_is_a_resend_only_with_equal_bytes(make_stage: Callable[..., Any]) -> None:
    stage = make_stage()
    assert not chat(stage, "c1", text="one")
    assert not chat(stage, "c1", text="two")
    assert chat(stage, "c1", text="two")
    stage.join("human")
    assert chat(stage, "c1", text="one")
    assert not chat(stage, "c1", text="three")


def test_one_id_over_many_connections(make_stage: Callable[..., Any]) -> None:
    stage = make_stage()
    for n in range(30):
        stage.join(f"human#{n}")
        assert not chat(stage, "c1", label=f"human#{n}", text=f"number {n}")
        assert chat(stage, "c1", label=f"human#{n}", text="other")
    assert chat(stage, "c1", label="human#0", text="number 29")
    stage.verify()


def test_it_survives_a_restart(stage: Any) -> None:
    stage.restart()
    stage.join("human")
    assert chat(stage, "first"), "the same bytes"
    assert not chat(stage, "first", text="other bytes, on another connection")
    stage.verify()


def test_smaller_bounds_take_hold(stage: Any, make_stage: Callable[..., Any]) -> None:
    for n in range(40):
        chat(stage, f"c{n}")
    fewer = make_stage(bounds=Bounds(remembered_ids=1, remembered_for=0)).space.state.settings
    stage.reconfigure(fewer)
    for n in range(20):
        assert not chat(stage.at(10_000 + n), f"d{n}")
    assert stage.space.remembered_ids <= 10
    assert chat(stage, "d19")


def test_duplicate_refusal_says_if_the_id_was_yours(make_stage: Callable[..., Any]) -> None:
    """Else whoever takes the id of what was refused would make its resend look accepted (docs/protocol.md §2)."""
    stage = make_stage()
    for name in ("human", "solver"):
        stage.join(name)

    def yours(label: str) -> bool:
        (refusal,) = stage.say(label, "mcp/request", "q1", {"method": "tools/list"}, to=["calculator"])
        found: bool = msgspec.json.decode(refusal.data)["payload"]["yours"]
        return found

    stage.say("human", "mcp/request", "q1", {"method": "tools/list"}, to=["calculator"])
    assert (yours("human"), yours("solver")) == (True, False)
