"""What agents say: every phrase in every language, with the same places to fill."""

from __future__ import annotations

from string import Formatter

import pytest

from mew_agents import calculator, echo, mute, repertoire, solver, speaker
from mew_agents.phrasebook import LANGUAGES, Phrasebook

BOOKS = [
    *(agent.PHRASES for agent in (calculator, echo, mute, solver, speaker)),
    repertoire.AGREEMENT,
    repertoire.TOPICS,
]


def _places(template: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


@pytest.mark.parametrize("book", BOOKS)
def test_every_phrase_has_every_language_and_the_same_places(book):
    for key, phrases in book.phrases.items():
        assert tuple(phrases) == LANGUAGES, key
        assert len({frozenset(_places(template)) for template in phrases.values()}) == 1, key


def test_a_number_is_written_as_the_language_writes_it():
    book = Phrasebook({"n": {"en": "{n} {m}", "es": "{n} {m}", "pt": "{n} {m}"}})
    assert [book.say("n", language, n=1234.56, m=0.0449) for language in LANGUAGES] == [
        "1234.6 0.04",
        "1234,6 0,04",
        "1234,6 0,04",
    ]


def test_what_is_filled_in_is_not_a_template():
    assert echo.PHRASES.say("heard", "en", text="{text} {0} {x}") == "You said: {text} {0} {x}"
