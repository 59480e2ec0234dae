"""Which language a message is written in."""

from __future__ import annotations

import pytest

from mew_agents.language.found import Language
from mew_agents.language.speech import language_of


@pytest.mark.parametrize(
    ("text", "current", "spoken"),
    [
        ("I need an appointment with Dr. Clark", "es", "en"),
        ("hola, quiero un turno con la Dra. Pérez", "en", "es"),
        ("bom dia, preciso de uma consulta na sexta", "es", "pt"),
        ("ok", "pt", "pt"),
        ("A-1001", "es", "es"),
        ("no", "es", "es"),
        ("con el Dr. Souza", "en", "es"),
    ],
)
def test_a_language_is_told_by_its_words(text: str, current: Language, spoken: Language) -> None:
    assert language_of(text, current) == spoken
