"""Messages that open a Work without asking for anything: they name what it is about, or say what is wrong with it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mew_agents.fluxi.definitions import load, shipped
from mew_agents.fluxi.interpreter.base import ProposedWork, Understanding
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import Language

NOW = datetime(2026, 11, 24, 10, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
LUGGAGE = load(Path(__file__).parent / "luggage.yaml")
DEFINITIONS = [LUGGAGE, *(one for one in shipped() if one.type_id == "appointment_booking")]


def propose(text: str, language: Language) -> ProposedWork | None:
    return Rules().propose(text, DEFINITIONS, Understanding(language=language, now=NOW))


@pytest.mark.parametrize(
    ("text", "language", "slots"),
    [
        ("AB123", "es", {"tag": "AB123"}),
        ("AB123, please", "en", {"tag": "AB123"}),
        ("my suitcase AB123 never turned up", "en", {"tag": "AB123", "fault": "gone"}),
        ("I never saw my suitcase AB123", "en", {"tag": "AB123"}),
        ("mi maleta AB123 no apareció", "es", {"tag": "AB123", "fault": "gone"}),
        ("nunca recebi a mala AB123", "pt", {"tag": "AB123"}),
        ("my suitcase is missing", "en", {"fault": "gone"}),
    ],
)
def test_a_complaint_opens_by_what_it_is_about(text: str, language: Language, slots: dict[str, str]) -> None:
    proposal = propose(text, language)
    assert proposal is not None
    assert (proposal.type_id, {one.path: one.value for one in proposal.slots}) == (LUGGAGE.type_id, slots)


@pytest.mark.parametrize(
    ("text", "language", "paths"),
    [
        ("Souza", "es", {"doctor"}),
        ("com Emily Clark", "pt", {"doctor"}),
        ("Friday at 4 pm with Clark", "en", {"doctor", "start"}),
    ],
)
def test_a_booking_opens_by_a_name_alone(text: str, language: Language, paths: set[str]) -> None:
    proposal = propose(text, language)
    assert proposal is not None
    assert (proposal.type_id, {one.path for one in proposal.slots}) == ("appointment_booking", paths)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("a las 16", "es"),
        ("el viernes a las 16", "es"),  # may answer what somebody else was asked, or what has expired
        ("mañana", "es"),
        ("I do not want to report luggage AB123", "en"),
        ("no quiero hacer una denuncia por la maleta AB123", "es"),
        ("Souza was here", "en"),
        ("we met on Friday at 4 pm", "en"),
    ],
)
def test_a_piece_or_a_denial_or_a_mention_opens_nothing(text: str, language: Language) -> None:
    assert propose(text, language) is None
