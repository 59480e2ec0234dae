"""A day that is a part of somebody's name is no day."""

from __future__ import annotations

import pytest

from mew_agents.language.found import Language
from mew_agents.language.named_days import is_of_a_name


@pytest.mark.parametrize(
    ("text", "day", "language", "asked", "named"),
    [
        ("poné Domingo Sáenz", "Domingo", "es", True, True),
        ("sunday adeyemi", "sunday", "en", True, True),
        ("es para Domingo Sáenz", "Domingo", "es", False, True),
        ("é para o Domingos Sábado", "Sábado", "pt", False, True),
        ("It is for April Friday", "Friday", "en", False, True),
        ("el domingo", "domingo", "es", True, False),
        ("with Dr Clark Friday at 5", "Friday", "en", False, False),
        ("Domingo a las 5", "Domingo", "es", False, False),
    ],
)
def test_a_day_of_a_name(text: str, day: str, language: Language, asked: bool, named: bool) -> None:
    start = text.index(day)
    assert is_of_a_name(text, start, start + len(day), language, asked=asked) is named
