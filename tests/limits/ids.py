"""Cases of the limits on remembered ids, and on the length of ids, names and other fields."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mew_gateway.errors import Rejected
from mew_gateway.protocol.ids import MAX_ENVELOPE_ID
from mew_gateway.space.limits import remembered_ids
from mew_gateway.space.settings import Bounds
from mew_gateway.space.state import REMEMBERED

from ..kit.space_driver import SpaceDriver, codes
from .limit import Pair
from .limit_fixture import TS, LimitFixture, accepted, lives_on, refused

_BOUND = 5
_AGE = 1_000  # ms


def _is_used(driver: SpaceDriver, id: str) -> bool:
    """Use an id again on the same connection. Return true if it is refused."""
    found = codes(driver.say("human", "chat", id, {"text": "again"}))
    assert found in ([], ["duplicate_id"])
    return bool(found)


def _spoken(fixture: LimitFixture, many: int, *, bounds: Bounds, every: int) -> SpaceDriver:
    driver = fixture.driver(bounds=bounds)
    for number in range(many):
        accepted(driver.at(number * every), "human", "chat", f"c{number}", {"text": "hi"})
    return driver


def _ids_at(fixture: LimitFixture) -> None:
    bounds = Bounds(remembered_ids=_BOUND, remembered_for=0)
    for many in range(1, 5 * _BOUND):
        driver = _spoken(fixture, many, bounds=bounds, every=3_600_000)
        for number in range(max(0, many - _BOUND), many):
            assert _is_used(driver, f"c{number}")


def _ids_past(fixture: LimitFixture) -> None:
    driver = _spoken(fixture, 4 * _BOUND, bounds=Bounds(remembered_ids=_BOUND, remembered_for=0), every=3_600_000)
    assert driver.space.remembered_ids <= 2 * _BOUND
    for number in range(2 * _BOUND):
        assert not _is_used(driver, f"c{number}")
    driver.verify()


IDS = Pair(_ids_at, _ids_past)


def _age_at(fixture: LimitFixture) -> None:
    driver = _spoken(fixture, 3, bounds=Bounds(remembered_ids=1, remembered_for=_AGE), every=1)
    accepted(driver.at(_AGE - 1), "human", "chat", "later", {"text": "hi"})
    assert _is_used(driver, "c0")


def _age_past(fixture: LimitFixture) -> None:
    driver = _spoken(fixture, 3, bounds=Bounds(remembered_ids=1, remembered_for=_AGE), every=1)
    accepted(driver.at(_AGE), "human", "chat", "later", {"text": "hi"})
    assert _is_used(driver, "c1")
    assert not _is_used(driver, "c0")
    driver.verify()


AGE = Pair(_age_at, _age_past)

_FLOOD = remembered_ids._MOST * _BOUND


def _flood_at(fixture: LimitFixture) -> None:
    driver = _spoken(fixture, _FLOOD - 1, bounds=Bounds(remembered_ids=_BOUND), every=0)
    assert all(_is_used(driver, f"c{number}") for number in range(_FLOOD - 1))


def _flood_past(fixture: LimitFixture) -> None:
    driver = _spoken(fixture, 10 * _FLOOD, bounds=Bounds(remembered_ids=_BOUND), every=0)
    assert driver.space.remembered_ids <= _FLOOD + _BOUND
    assert not _is_used(driver, "c0")
    assert _is_used(driver, f"c{10 * _FLOOD - _BOUND}")


FLOOD = Pair(_flood_at, _flood_past)


def worded(field: str, of: Callable[[int], Any], bound: int) -> Pair:
    """Make the cases of a field's length: the longest passes, a longer one does not reach the space."""

    def frame(length: int) -> bytes:
        document = {"id": "whole", "ts": TS, "kind": "chat", "payload": {"text": "hello"}}
        return json.dumps({**document, field: of(length)}).encode()

    def at(fixture: LimitFixture) -> None:
        driver = fixture.driver()
        assert codes(driver.send("admin", frame(bound))) in ([], ["participant_not_found"])
        assert len(driver.sealed) == 1

    def past(fixture: LimitFixture) -> None:
        driver = fixture.driver()
        for empty in (frame(bound + 1), *([frame(0)] if field in ("id", "kind") else [])):
            with pytest.raises(Rejected) as refusal:
                driver.send("admin", empty)
            assert refusal.value.code == "invalid_envelope"
        lives_on(driver, "admin")

    return Pair(at, past)


_KIND, _STAMP, _CONTEXT, _SEVERAL, _NAME = BOUNDS = 128, 64, 1_024, 1_024, 64  # the envelope's types have them

ID = worded("id", lambda length: "x" * length, MAX_ENVELOPE_ID)
KIND = worded("kind", lambda length: "x" * length, _KIND)
STAMP = worded("ts", lambda length: TS.ljust(length, "0"), _STAMP)
CONTEXT = worded("context", lambda length: "x" * length, _CONTEXT)
TO = worded("to", lambda length: ["other"] * length, _SEVERAL)
RECIPIENT = worded("to", lambda length: ["x" * length], _NAME)
CORRELATIONS = worded("correlation_id", lambda length: ["x"] * length, _SEVERAL)
CORRELATION = worded("correlation_id", lambda length: ["x" * length], MAX_ENVELOPE_ID)


def _text_at(fixture: LimitFixture) -> None:
    assert _kept(fixture, "x" * REMEMBERED) == "x" * REMEMBERED


def _text_past(fixture: LimitFixture) -> None:
    assert _kept(fixture, "x" * (REMEMBERED + 1)) == "x" * (REMEMBERED - 1) + "…"


def _kept(fixture: LimitFixture, text: str) -> str | None:
    driver = fixture.driver()
    accepted(driver, "worker", "reasoning/start", "s", {"message": text})
    lives_on(driver, "worker")
    return driver.space.state.sequences["s"].message


TEXT = Pair(_text_at, _text_past)


def _guest(length: int) -> dict[str, Any]:
    return {"participant_id": "x" * length}


def _name_at(fixture: LimitFixture) -> None:
    accepted(fixture.driver(), "admin", "space/invite", "i", _guest(_NAME))


def _name_past(fixture: LimitFixture) -> None:
    refused(fixture.driver(), "invalid_participant", "admin", "space/invite", "i", _guest(_NAME + 1))


NAME = Pair(_name_at, _name_past)


def _numbered(number: int) -> bytes:
    text = f'{{"id":"n{number}","kind":"chat","payload":{{"text":"x","n":[{number}]}}}}'
    return text.encode()


def _number_at(fixture: LimitFixture) -> None:
    driver = fixture.driver()
    for number in (2**64 - 1, -(2**63)):
        assert codes(driver.send("human", _numbered(number))) == []


def _number_past(fixture: LimitFixture) -> None:
    driver = fixture.driver()
    for number in (2**64, -(2**63) - 1):
        with pytest.raises(Rejected, match="64 bit") as refusal:
            driver.send("human", _numbered(number))
        assert refusal.value.code == "invalid_number"
    lives_on(driver, "human")


NUMBER = Pair(_number_at, _number_past)
