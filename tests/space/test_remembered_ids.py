"""How long an id is remembered, and how many are (docs/protocol.md §2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from mew_gateway.space.settings import Bounds

SMALL = Bounds(remembered_ids=5, remembered_for=1_000)


@pytest.fixture
def driver(make_driver: Callable[..., Any]) -> Any:
    """A space that remembers little, with `human` in it and an id `first` used."""
    driver = make_driver(bounds=SMALL)
    driver.join("human")
    assert chat(driver, "first") == []
    return driver


def chat(driver: Any, id: str, *, label: str = "human", text: str = "hi") -> list[Any]:
    """What the sender is answered: an error, or nothing."""
    effects = driver.say(label, "chat", id, {"text": text})
    return [effect for effect in effects if effect.own]


def test_old_id_is_remembered_while_few_follow(driver: Any) -> None:
    for n in range(3):
        chat(driver.at(10_000_000 * (n + 1)), f"c{n}")
    assert chat(driver, "first")


def test_young_id_is_remembered_while_many_follow(driver: Any) -> None:
    for n in range(20):
        chat(driver.at(n), f"c{n}")
    assert chat(driver, "first")


def test_old_id_is_forgotten_after_many_others(driver: Any) -> None:
    for n in range(50):
        chat(driver.at(n * 1_000), f"c{n}")
    assert not chat(driver, "first")


def test_a_flood_is_remembered_in_part(driver: Any) -> None:
    """Faster than `remembered_for` allows for, ids go early: memory is bounded."""
    for n in range(500):
        chat(driver, f"c{n}")
        assert driver.space.remembered_ids <= 10 * SMALL.remembered_ids
    assert not chat(driver, "first")
    assert chat(driver, "c499")
    assert chat(driver, f"c{500 - 2 * SMALL.remembered_ids}")


def test_other_participants_cannot_evict_an_id(driver: Any) -> None:
    driver.join("solver")
    for n in range(500):
        chat(driver.at(n * 1_000), f"c{n}", label="solver")
    assert chat(driver, "first")


def test_a_refused_envelope_is_not_remembered(driver: Any) -> None:
    assert chat(driver, "later", text=5)  # type: ignore[arg-type]
    assert not chat(driver, "later")


def test_post_is_a_resend_only_with_equal_bytes(make_driver: Callable[..., Any]) -> None:
    driver = make_driver()
    assert not chat(driver, "c1", text="one")
    assert not chat(driver, "c1", text="two")
    assert chat(driver, "c1", text="two")
    driver.join("human")
    assert chat(driver, "c1", text="one")
    assert not chat(driver, "c1", text="three")


def test_one_id_over_many_connections(make_driver: Callable[..., Any]) -> None:
    driver = make_driver()
    for n in range(30):
        driver.join(f"human#{n}")
        assert not chat(driver, "c1", label=f"human#{n}", text=f"number {n}")
        assert chat(driver, "c1", label=f"human#{n}", text="other")
    assert chat(driver, "c1", label="human#0", text="number 29")
    driver.verify()


def test_it_survives_a_restart(driver: Any) -> None:
    driver.restart()
    driver.join("human")
    assert chat(driver, "first"), "the same bytes"
    assert not chat(driver, "first", text="other bytes, on another connection")
    driver.verify()


def test_smaller_bounds_take_hold(driver: Any, make_driver: Callable[..., Any]) -> None:
    for n in range(40):
        chat(driver, f"c{n}")
    fewer = make_driver(bounds=Bounds(remembered_ids=1, remembered_for=0)).space.state.settings
    driver.reconfigure(fewer)
    for n in range(20):
        assert not chat(driver.at(10_000 + n), f"d{n}")
    assert driver.space.remembered_ids <= 10
    assert chat(driver, "d19")


def test_duplicate_refusal_says_if_the_id_was_yours(make_driver: Callable[..., Any]) -> None:
    """Else whoever takes the id of what was refused would make its resend look accepted (docs/protocol.md §2)."""
    driver = make_driver()
    for name in ("human", "solver"):
        driver.join(name)

    def yours(label: str) -> bool:
        (refusal,) = driver.say(label, "mcp/request", "q1", {"method": "tools/list"}, to=["calculator"])
        found: bool = msgspec.json.decode(refusal.data)["payload"]["yours"]
        return found

    driver.say("human", "mcp/request", "q1", {"method": "tools/list"}, to=["calculator"])
    assert (yours("human"), yours("solver")) == (True, False)
