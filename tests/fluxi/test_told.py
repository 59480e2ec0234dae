"""What customers are told of a tool's answer, and what they are not."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from mew_agents.fluxi.definitions import Definition, canonical, parse, shipped
from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.outcomes import outcome_of, outcome_of_error
from mew_agents.fluxi.wording import result_told
from mew_agents.language.found import Language


@pytest.fixture(scope="module")
def booking() -> Definition:
    plain = json.loads(canonical(next(one for one in shipped() if one.type_id == "appointment_booking")))
    plain["effects"][0]["told"] = {"es": "su turno es el {number}", "en": "your number is {number}"}
    return parse(json.dumps(plain).encode())


@pytest.mark.parametrize(
    ("language", "answered", "told"),
    [
        ("es", {"status": "applied", "number": "B-17"}, "su turno es el B-17"),
        ("en", {"number": 17}, "your number is 17"),
        ("pt", {"number": 17}, ""),
        ("es", {"status": "applied"}, ""),
        ("es", {"number": {"no": "text"}}, ""),
    ],
)
def test_a_field_of_the_tools_answer_is_told(
    booking: Definition, language: Language, answered: dict[str, object], told: str
) -> None:
    policy = PolicyContext(now=datetime(2026, 11, 24, tzinfo=UTC), language=language)
    assert result_told(booking, "book", answered, policy) == told


def test_words_of_the_gateway_are_not_for_customers() -> None:
    ours = outcome_of({"structuredContent": {"status": "not_applied"}, "content": [{"text": "The day is full."}]})
    assert (ours.for_people, outcome_of_error("participant_not_found", "Nobody here is called 'x'.").for_people) == (
        "The day is full.",
        "",
    )
