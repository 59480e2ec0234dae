"""Phrases in three languages, each with where it is said and what rules make of it in pass 1."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ruamel.yaml import YAML

from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.rules import Rules
from mew_agents.language.found import LANGUAGES, Language

from .standings import short, standing

HERE = Path(__file__).parent


class Phrase(NamedTuple):
    language: Language
    text: str
    standing: Standing
    commands: str


def phrases(name: str) -> Iterator[Phrase]:
    for language in LANGUAGES:
        for part in YAML(typ="safe").load((HERE / f"{name}_{language}.yaml").read_text(encoding="utf-8")):
            where = standing(
                language, part["at"], asked=part.get("asked"), confirm=part.get("confirm", False), held=part.get("held")
            )
            yield from (Phrase(language, text, where, commands) for text, commands in part["say"].items())


CORPUS = [*phrases("corpus")]


def named(phrase: Phrase) -> str:
    where = phrase.standing
    return f"{phrase.language} {where.at_hand and where.at_hand.name}/{where.asked or where.question}: {phrase.text}"


@pytest.mark.parametrize("phrase", CORPUS, ids=named)
def test_a_phrase(phrase: Phrase) -> None:
    found = Rules().commands(phrase.text, phrase.standing)
    assert short(found, phrase.standing) == phrase.commands


def test_there_are_enough_phrases() -> None:
    counted: dict[Any, int] = {spoken: sum(one.language == spoken for one in CORPUS) for spoken in LANGUAGES}
    assert min(counted.values()) >= 150, counted


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_that_no_rule_was_written_for_are_mostly_right(language: Language) -> None:
    fresh = [one for one in phrases("fresh") if one.language == language]
    right = sum(short(Rules().commands(one.text, one.standing), one.standing) == one.commands for one in fresh)
    assert len(fresh) >= 60
    assert right / len(fresh) >= 0.9
