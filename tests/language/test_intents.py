"""Intents and options: bent and misspelt words, what denies them, and what they share."""

from __future__ import annotations

import pytest

from mew_agents.language.choices import Choices, Wordings, choices
from mew_agents.language.found import Language
from mew_agents.language.intents import Intents, intents

BOOKING = Intents({"booking": ["agendar turno", "turno", "reservar hora"], "moving": ["cambiar turno"]}, "es")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("agendame otro turno", ["booking"]),
        ("quería que me reserven una hora", ["booking"]),
        ("quiero cambiar el turno", ["moving"]),
        ("el turno lo quiero cancelar", []),
        ("cancelá eso. Quiero un turno", ["booking"]),
        ("no quiero cancelar, quiero un turno", ["booking"]),
        ("sin turno", []),
        ("no quiero ningún turno", []),
        ("no puedo el lunes pero quiero un turno", ["booking"]),
        ("reservar para mi hermana una hora", []),
        ("turnover", []),
    ],
)
def test_a_phrase_is_found_where_it_is_meant(text: str, wanted: list[str]) -> None:
    assert [found.value for found in BOOKING.found(text)] == wanted


def test_the_longest_phrase_is_the_evidence() -> None:
    text = "Un turno, quiero agendar un turno"
    (found,) = BOOKING.found(text)
    assert found.evidence(text) == "agendar un turno"


def test_the_same_words_for_two_intents_are_ambiguous() -> None:
    (found,) = intents("quiero pagar", {"bill": ["pagar"], "debt": ["pagar", "deuda"]}, "es")
    assert (found.value, found.alternatives, found.doubts) == ("bill", ("debt",), ("ambiguous",))


def test_a_slip_in_a_short_word_is_approximate() -> None:
    (found,) = intents("quiero un sllo", {"booking": ["sello"]}, "es")
    assert found.doubts == ("approximate",)


PAYMENT: dict[str, dict[Language, list[str]]] = {
    "cash": {"es": ["efectivo"], "en": ["cash"]},
    "card": {"es": ["tarjeta", "tarjeta de crédito"], "en": ["card"]},
}


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("efectivo o tarjeta", ["cash", "card"]),
        ("efectivo, no tarjeta", ["cash"]),
        ("con tarjetas de credito", ["card"]),
        ("card", ["card"]),
        ("cheque", []),
    ],
)
def test_options_are_named_in_the_text(text: str, chosen: list[str]) -> None:
    assert [found.value for found in choices(text, PAYMENT, "es")] == chosen


@pytest.mark.parametrize(("language", "chosen"), [("es", "one"), ("pt", "two")])
def test_a_word_is_the_speaker_s_own_before_another_language_s(language: Language, chosen: str) -> None:
    options: dict[str, dict[Language, list[str]]] = {"one": {"es": ["presunto"]}, "two": {"pt": ["presunto"]}}
    assert [found.value for found in Choices(options, language).found("presunto")] == [chosen]


def test_an_option_may_begin_with_a_no() -> None:
    options: dict[str, dict[Language, list[str]]] = {"with": {"es": ["azúcar"]}, "without": {"es": ["sin azúcar"]}}
    assert [found.value for found in choices("sin azúcar", options, "es")] == ["without"]


@pytest.mark.parametrize("written", ["blow-dry", "blow dry"])
@pytest.mark.parametrize("text", ["blow-dry", "a blow dry, please", "I'd like the Blow-Dry"])
def test_an_option_may_be_written_with_a_hyphen(written: str, text: str) -> None:
    options: dict[str, Wordings] = {"dry": {"en": [written]}, "cut": {"en": ["cut"]}}
    assert [found.value for found in choices(text, options, "en")] == ["dry"]
