"""What stands around an answer and is none of it."""

from __future__ import annotations

import pytest

from mew_agents.language.found import Language
from mew_agents.language.hesitations import bare, says_nothing


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("en", "uhhh lets see, Young Smith", "Young Smith"),
        ("en", "Dundee will ya", "Dundee"),
        ("en", "sure thing! Marcus Lindqvist", "Marcus Lindqvist"),
        ("en", "Theo, love", "Theo"),
        ("en", "Love Lane", "Love Lane"),
        ("es", "eh... bueno, poneme Sol Paz nomás", "Sol Paz"),
        ("es", "Nueve de Julio, gracias mi amor", "Nueve de Julio"),
        ("pt", "deixa eu ver, Rui Prado, tá?", "Rui Prado"),
        ("pt", "Bom Jesus da Lapa", "Bom Jesus da Lapa"),
    ],
)
def test_an_answer_is_bare(language: Language, text: str, answer: str) -> None:
    start, end = bare(text, 0, len(text), language)
    assert text[start:end] == answer


def test_addressing_somebody_says_nothing() -> None:
    assert says_nothing("pet", "en")
    assert says_nothing("ay, corazón", "es")
    assert not says_nothing("Rosario", "es")
