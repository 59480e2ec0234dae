"""What a definition's own words and bare figures are not: values of slots that nobody spoke of."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mew_agents.fluxi.definitions import load
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.remainder import remainder
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import Language

NOW = datetime(2026, 11, 24, 10, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
LUGGAGE = load(Path(__file__).parent / "luggage.yaml")
HELD: dict[str, object] = {"tag": "AB123", "fault": "torn", "bags": 2}


def read(
    text: str, language: Language, *, asked: str | None = None, held: dict[str, object] | None = None
) -> dict[str, Candidate]:
    """The candidates of a message: of a new Work, or of one that holds values and asked for a slot."""
    within = None if asked is None else LUGGAGE.type_id
    understanding = Understanding(language=language, now=NOW, within=within, asked=asked, values=held or {})
    proposal = Rules().propose(text, [LUGGAGE], understanding)
    slots, wish = ((), None) if proposal is None else (proposal.slots, proposal.wish)
    certain, left = remainder(LUGGAGE, text, understanding, slots, wish=wish)
    return {one.path: one for one in (*left.guesses, *certain)}


@pytest.mark.parametrize(
    ("text", "language"), [("7", "es"), ("son 7", "es"), ("são 7", "pt"), ("it was 7", "en"), ("seven", "en")]
)
def test_a_bare_figure_is_no_sum_that_nobody_spoke_of(text: str, language: Language) -> None:
    assert "refund" not in read(text, language, asked="", held=HELD)


@pytest.mark.parametrize(
    ("text", "language"),
    [("compensación de 7", "es"), ("7 euros", "es"), ("compensação de 7", "pt"), ("compensation of 7", "en")],
)
def test_a_sum_with_its_currency_or_its_cue_is_read(text: str, language: Language) -> None:
    assert read(text, language, asked="", held=HELD)["refund"].value == {"amount": "7.00", "currency": "EUR"}


def test_a_bare_figure_is_the_sum_that_was_asked_for() -> None:
    assert read("7", "en", asked="refund", held=HELD)["refund"].value == {"amount": "7.00", "currency": "EUR"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hacer una denuncia por la maleta C 18", "es"),
        ("fazer uma queixa de bagagem da mala 18", "pt"),
        ("make a luggage claim, suitcase X 18", "en"),
    ],
)
def test_a_figure_after_the_label_of_another_slot_counts_nothing(text: str, language: Language) -> None:
    assert read(text, language) == {}


def test_a_figure_beside_its_own_label_counts() -> None:
    assert read("make a luggage claim for suitcase AB123, 3 bags", "en")["bags"].value == 3


@pytest.mark.parametrize("asked", [None, "", "fault"])
@pytest.mark.parametrize("text", ["mi maleta", "denunciar equipaje, una maleta"])
def test_a_word_of_the_definition_is_no_slip_of_an_option(text: str, asked: str | None) -> None:
    assert "fault" not in read(text, "es", asked=asked)


@pytest.mark.parametrize(("asked", "doubts"), [(None, ("approximate",)), ("", ("approximate",)), ("fault", ())])
def test_a_slip_of_an_option_is_doubted_unless_it_was_asked_for(asked: str | None, doubts: tuple[str, ...]) -> None:
    found = read("denunciar equipaje, desaparecda", "es", asked=asked)["fault"]
    assert (found.value, found.doubts) == ("gone", doubts)
