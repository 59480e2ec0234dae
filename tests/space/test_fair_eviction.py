"""Whom a full memory forgets first (docs/protocol.md §7, docs/limits.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mew_gateway.space.limits.fair_eviction import FairCache
from mew_gateway.space.settings import Bounds, Watchdog

DO = {"method": "do"}


def _cache(items: dict[str, str]) -> FairCache[str]:
    """A memory of words that are their holder's: the one of the first letter."""
    return FairCache(items, lambda word: word[0])


def _filled(words: str, *, most: int) -> dict[str, str]:
    items: dict[str, str] = {}
    cache = _cache(items)
    for word in words.split():
        cache.add(word, word, most=most)
    return items


def test_no_item_is_evicted_while_there_is_room() -> None:
    assert list(_filled("a1 a2 a3 b1", most=4)) == ["a1", "a2", "a3", "b1"]


def test_largest_holder_loses_its_oldest_item() -> None:
    assert list(_filled("a1 b1 a2 a3 c1", most=4)) == ["b1", "a2", "a3", "c1"]


def test_flood_evicts_only_its_own_items() -> None:
    flood = " ".join(f"z{nth}" for nth in range(100))
    assert list(_filled(f"a1 b1 {flood} a2", most=6)) == ["a1", "b1", "z97", "z98", "z99", "a2"]


def test_among_equal_shares_the_adding_holder_loses() -> None:
    assert list(_filled("a1 a2 b1 b2 b3", most=4)) == ["a1", "a2", "b2", "b3"]


def test_readded_item_is_the_newest() -> None:
    assert list(_filled("a1 a2 a1 a3", most=2)) == ["a1", "a3"]


def test_rebuilt_cache_evicts_alike() -> None:
    words = ["b1", "a1", "c1", "a2", "b2", "c2", "c3", "a3", "b3", "a4", "d1", "d2"]
    live: dict[str, str] = {}
    cache = _cache(live)
    for word in words:
        restored = dict(live)
        _cache(restored).add(word, word, most=5)
        cache.add(word, word, most=5)
        assert list(restored) == list(live)


def test_dropped_item_has_no_holder() -> None:
    items = _filled("a1 b1", most=2)
    cache = _cache(items)
    assert (cache.drop("a1"), cache.drop("a1")) == ("a1", None)
    cache.add("b2", "b2", most=2)
    assert list(items) == ["b1", "b2"]


def _made(make_driver: Callable[..., Any], **fields: Any) -> Any:
    driver = make_driver(bounds=Bounds(closed_sequences=6, settled_interrupts=6), **fields)
    for name in ("human", "worker", "solver", "calculator"):
        driver.join(name)
    return driver


def test_stranger_cannot_evict_closed_sequences(make_driver: Callable[..., Any], errors: Callable[..., Any]) -> None:
    driver = _made(make_driver)
    driver.say("worker", "reasoning/start", "r1")
    driver.say("worker", "reasoning/conclusion", "e1", context="r1")
    for nth in range(10):
        driver.say("solver", "reasoning/start", f"s{nth}")
        driver.say("solver", "reasoning/conclusion", f"c{nth}", context=f"s{nth}")
    assert errors(driver.say("worker", "mcp/request", "q1", DO, to=["calculator"], context="r1")) == ["sequence_closed"]


def test_proposer_cannot_evict_decisions(make_driver: Callable[..., Any], errors: Callable[..., Any]) -> None:
    driver = _made(make_driver)
    for id in ("no", "yes"):
        driver.say("worker", "mcp/proposal", id, DO)
    driver.say("human", "mcp/reject", "j1", {"reason": "unsafe"}, correlation_id=["no"])
    driver.say("human", "mcp/request", "q1", DO, correlation_id=["yes"])
    for nth in range(10):
        driver.say("worker", "mcp/proposal", f"p{nth}", DO)
        driver.say("worker", "mcp/withdraw", f"w{nth}", correlation_id=[f"p{nth}"])
    assert errors(driver.say("human", "mcp/request", "q2", DO, correlation_id=["no"])) == ["proposal_rejected"]
    assert errors(driver.say("human", "mcp/request", "q3", DO, correlation_id=["yes"])) == ["proposal_closed"]


def test_stranger_cannot_evict_settled_interrupts(make_driver: Callable[..., Any], errors: Callable[..., Any]) -> None:
    """What the watchdog sends counts as the one's that it is for."""
    driver = _made(make_driver, watchdog=Watchdog(max_thoughts=1))
    about = {"to": ["worker"], "correlation_id": ["r1"]}
    driver.say("worker", "reasoning/start", "r1")
    driver.say("human", "reasoning/interrupt", "i1", {"reason": "redirect"}, **about)
    driver.at(30_000).pass_deadlines()
    for nth in range(10):
        driver.say("solver", "reasoning/start", f"s{nth}")
        for thought in range(2):
            driver.say("solver", "reasoning/thought", f"t{nth}-{thought}", context=f"s{nth}")
        (barked,) = (one.id for one in driver.space.state.interrupts.values() if one.target == "solver")
        driver.say("solver", "reasoning/interrupt-ack", f"a{nth}", {"status": "stopping"}, correlation_id=[barked])
        driver.say("solver", "reasoning/conclusion", f"c{nth}", context=f"s{nth}")
    assert len(driver.space.state.settled) == 6
    assert (
        errors(driver.say("worker", "reasoning/interrupt-ack", "late", {"status": "ignored"}, correlation_id=["i1"]))
        == []
    )
    assert driver.space.state.settled["i1"].status == "late"
