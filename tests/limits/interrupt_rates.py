"""Cases of the interrupt rates, and of the watchdog's limits on a sequence."""

from __future__ import annotations

import json
from typing import Any

from mew_gateway.space.effects import Deliver, Effect
from mew_gateway.space.settings import Interrupts, Participant, Rate, Watchdog

from ..kit.space_driver import CAST, SpaceDriver, cast_settings, codes
from .limit import Pair
from .limit_fixture import LimitFixture, accepted, lives_on, refused, told, weighing


def _ask(driver: SpaceDriver, label: str, id: str, sequence: str = "s", **of: Any) -> list[Effect]:
    said = {"reason": "user_request", **of}
    return driver.say(label, "reasoning/interrupt", id, said, to=["worker"], correlation_id=[sequence])


def frequent(settings: Interrupts, label: str, *, count: int, per: int, **of: Any) -> Pair:
    """Make the cases of a rate: `count` per `per` ms are accepted; one more is refused until `retry_after_ms`."""

    def asked(fixture: LimitFixture) -> SpaceDriver:
        driver = fixture.driver(interrupts=settings)
        accepted(driver, "worker", "reasoning/start", "s")
        for number in range(count):
            assert codes(_ask(driver.at(number * 10), label, f"i{number}", **of)) == []
        return driver

    def at(fixture: LimitFixture) -> None:
        driver = asked(fixture)
        for number in range(count):  # for ever at this pace
            assert codes(_ask(driver.at(per + number * 10), label, f"j{number}", **of)) == []

    def past(fixture: LimitFixture) -> None:
        driver, last = asked(fixture), 10 * (count - 1)
        said = {"reason": "user_request", **of}
        where: dict[str, Any] = {"to": ["worker"], "correlation_id": ["s"]}
        before = codes(_ask(driver, label, "one too many", **of))
        assert before == ["rate_limited"]
        wait = told(_ask(driver, label, "again", **of))["retry_after_ms"]
        assert wait == per - last, "it says when the first of them is long enough ago"
        driver.at(last + wait - 1)
        assert codes(driver.say(label, "reasoning/interrupt", "too soon", said, **where)) == ["rate_limited"]
        assert codes(_ask(driver.at(last + wait), label, "in time", **of)) == []
        driver.verify()

    return Pair(at, past)


PER_SEQUENCE = frequent(Interrupts(per_sequence=Rate(3, 5_000)), "boss", count=3, per=5_000)
EMERGENCY = frequent(
    Interrupts(emergency=Rate(2, 5_000), per_sequence=Rate(1, 1), emergency_escalation=()),
    "safety",
    count=2,
    per=5_000,
    **{"class": "emergency"},
)


def _apart_at(fixture: LimitFixture) -> None:
    driver = _two_sequences(fixture)
    for number, (label, sequence) in enumerate([("boss", "s"), ("boss", "t"), ("human", "s"), ("safety", "s")]):
        assert codes(_ask(driver, label, f"i{number}", sequence)) == []


def _apart_past(fixture: LimitFixture) -> None:
    driver = _two_sequences(fixture)
    assert codes(_ask(driver, "boss", "i0")) == []
    where: dict[str, Any] = {"to": ["worker"], "correlation_id": ["s"]}
    refused(driver, "rate_limited", "boss", "reasoning/interrupt", "i1", {"reason": "user_request"}, **where)
    refused(driver, "rate_limited", "boss", "reasoning/cancel", "c", {}, context="s")  # it is an interrupt, too


def _two_sequences(fixture: LimitFixture) -> SpaceDriver:
    driver = fixture.driver(interrupts=Interrupts(per_sequence=Rate(1, 5_000)))
    for sequence in ("s", "t"):
        accepted(driver, "worker", "reasoning/start", sequence)
    return driver


PER_SENDER_AND_SEQUENCE = Pair(_apart_at, _apart_past)


def watched(limit: Watchdog, *, bound: int, own: bool) -> Pair:
    """Make the cases of a watchdog: a sequence at its bound is left alone; one thought or byte more is interrupted."""

    def watching(fixture: LimitFixture) -> SpaceDriver:
        if not own:
            return fixture.driver(watchdog=limit)
        settings = cast_settings(watchdog=Watchdog(max_seconds=1, max_thoughts=1, max_bytes=1))
        people = {**settings.participants, "worker": Participant("worker", tuple(CAST["worker"]), watchdog=limit)}
        return fixture.driver(participants=people)

    def at(fixture: LimitFixture) -> None:
        driver = watching(fixture)
        assert _barks(_say(driver, bound)) == []
        lives_on(driver, "worker")  # in no sequence: it does not count
        driver.verify()

    def past(fixture: LimitFixture) -> None:
        driver = watching(fixture)
        assert _barks(_say(driver, bound + 1)) == [{"reason": "resource_limit", "class": "cancel"}]
        assert _barks(driver.say("worker", "reasoning/thought", "more", {"message": "more"}, context="s")) == []
        lives_on(driver, "worker")
        driver.verify()

    def _say(driver: SpaceDriver, much: int) -> list[Effect]:
        accepted(driver, "worker", "reasoning/start", "s")
        if limit.max_thoughts is not None:
            return [
                effect
                for number in range(much)
                for effect in driver.say("worker", "reasoning/thought", f"t{number}", context="s")
            ]
        left = much - driver.space.state.sequences["s"].size
        return driver.send("worker", weighing(left, "worker", "reasoning/thought", "t", {}, pad="message", context="s"))

    return Pair(at, past)


def _barks(effects: list[Effect]) -> list[dict[str, Any]]:
    sent = [json.loads(effect.data) for effect in effects if isinstance(effect, Deliver)]
    payloads = [one["payload"] for one in sent if one["kind"] == "reasoning/interrupt"]
    return [{"reason": one["reason"], "class": one["class"]} for one in payloads]


MAX_THOUGHTS = watched(Watchdog(max_thoughts=3), bound=3, own=False)
MAX_BYTES = watched(Watchdog(max_bytes=1_000), bound=1_000, own=False)
OWN_MAX_THOUGHTS = watched(Watchdog(max_thoughts=3), bound=3, own=True)
OWN_MAX_BYTES = watched(Watchdog(max_bytes=1_000), bound=1_000, own=True)
