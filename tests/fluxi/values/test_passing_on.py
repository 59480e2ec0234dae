"""What is to be passed on to whoever comes."""

from __future__ import annotations

import pytest

from mew_agents.fluxi.values.passing_on import passed_on
from mew_agents.language.found import Language


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("n tell the courier ring the bell twice", "en", "ring the bell twice"),
        ("please ask the driver to call me first. ta", "en", "call me first"),
        ("note for the driver: do not leave it with number 12", "en", "do not leave it with number 12"),
        ("driver shud ring twice", "en", "driver shud ring twice"),
        ("put a note saying the gate is broken", "en", "the gate is broken"),
        ("decile al mensajero que toque el timbre", "es", "toque el timbre"),
        ("anotá que no anda el portero", "es", "no anda el portero"),
        ("con la nota de que hay perro", "es", "hay perro"),
        ("avisa o motoboy que é pelos fundos", "pt", "é pelos fundos"),
        ("coloca aí que a campainha não funciona", "pt", "a campainha não funciona"),
    ],
)
def test_what_is_passed_on(text: str, language: Language, words: str) -> None:
    span = passed_on(text, language)
    assert span is not None
    assert text[slice(*span)] == words


@pytest.mark.parametrize(
    ("text", "language"),
    [("tell me when it comes", "en"), ("avisame cuando llegue", "es"), ("me diz se dá", "pt"), ("let him know", "en")],
)
def test_what_is_asked_for_oneself_is_not(text: str, language: Language) -> None:
    assert passed_on(text, language) is None
