"""Everything that flows say besides their own words, in every language and manner."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import combinations, product
from typing import Any

import pytest

from mew_agents.flows.replies import BOOK, KEYS, MANNERS, say
from mew_agents.flows.replies.sentences import SENTENCES
from mew_agents.fluxi import replies as fluxi
from mew_agents.fluxi.message import Formality, PolicyContext, Tone
from mew_agents.language.found import LANGUAGES, Language

TONES: tuple[Tone, ...] = ("neutral", "warm", "brief")
FORMALITIES: tuple[Formality, ...] = ("formal", "informal")
NOW = datetime(2026, 11, 24, 15, tzinfo=UTC)


def policy(
    language: Language = "es", tone: Tone = "neutral", formality: Formality = "formal", **more: Any
) -> PolicyContext:
    return PolicyContext(now=NOW, language=language, tone=tone, formality=formality, **more)


def names(key: str, language: Language, formality: Formality = "formal", *, brief: bool = False) -> set[str]:
    return set(BOOK.sentence(key, language, formality, brief=brief).names)


def values(key: str) -> dict[str, str]:
    return {name: f"Xx {name}" for name in names(key, "es")}


every_key = pytest.mark.parametrize("key", MANNERS)


def test_every_language_has_every_key_and_none_is_fluxis() -> None:
    assert all(list(SENTENCES[language]) == list(MANNERS) for language in LANGUAGES)
    assert not set(MANNERS) & set(fluxi.MANNERS)
    assert set(KEYS) == {*MANNERS, *fluxi.MANNERS}


def test_fluxis_keys_are_said_as_fluxi_says_them() -> None:
    for language, tone in product(LANGUAGES, TONES):
        manner = policy(language, tone)
        assert say("nothing_to_cancel", manner) == fluxi.say("nothing_to_cancel", manner)


@every_key
def test_places_agree(key: str) -> None:
    for language, formality in product(LANGUAGES, FORMALITIES):
        assert names(key, language, formality) == names(key, "es")
        assert names(key, language, formality, brief=True) <= names(key, "es")


@every_key
def test_every_reply_reads_as_a_sentence(key: str) -> None:
    for language, tone, formality in product(LANGUAGES, TONES, FORMALITIES):
        for told in (values(key), dict.fromkeys(values(key), "Xx")):
            reply = say(key, policy(language, tone, formality), **told)
            assert re.fullmatch(r"[¿¡]?[A-ZÁÉÍÓÚ].*[.?!]|.*[Xx]x( \w+)?", reply), reply
            assert not re.search(r"[<>|{}\[\]]|  |\.\.| [.,;:?!]|[^\w\s)?!.…]\.", reply), reply
            assert reply.count("¿") == (reply.count("?") if language == "es" else 0), reply


@every_key
def test_optional_values_may_be_missing(key: str) -> None:
    for language, tone, formality in product(LANGUAGES, TONES, FORMALITIES):
        needed = BOOK.sentence(key, language, formality, brief=tone == "brief").required
        reply = say(key, policy(language, tone, formality), **dict.fromkeys(needed, "Xx"))
        assert not re.search(r"  | [.,;:?!]", reply), reply


@every_key
def test_each_setting_changes_every_reply(key: str) -> None:
    told = values(key)
    for language, formality in product(LANGUAGES, FORMALITIES):
        tones = [say(key, policy(language, tone, formality), **told) for tone in TONES]
        assert all(one != other for one, other in combinations(tones, 2)), tones
        full, warm, brief = tones
        assert len(brief) <= len(full) < len(warm), (brief, full)
    for language, tone in product(LANGUAGES, TONES):
        forms = [say(key, policy(language, tone, formality), **told) for formality in FORMALITIES]
        assert forms[0] != forms[1], forms
        assert say(key, policy(language, tone, emojis=True), **told).endswith(MANNERS[key].emoji)
    assert len({say(key, policy(language), **told) for language in LANGUAGES}) == 3


@pytest.mark.parametrize("key", [key for key, manner in MANNERS.items() if manner.repeats])
def test_a_question_that_is_repeated_is_dressed_once(key: str) -> None:
    manner = policy("es", "warm", emojis=True, rules=("before: Banco Sur.",))
    question = say("ask_slot", manner, prompt="¿Edad?")
    again = say(key, manner, **{**values(key), "prompt": question})
    assert again.count("Banco Sur.") == 1
    assert again.count(BOOK.tongues["es"].openings["ask"].replace("<le|te>", "le")) == (MANNERS[key].mood == "ask")
    assert "¿edad?" in again.lower()


def test_a_rule_may_name_what_only_flows_say() -> None:
    rule = "after flow_completed: Gracias."
    assert say("flow_completed", policy(rules=(rule,)), title="transferencia").endswith("transferencia. Gracias.")
    assert fluxi.unknown((rule, "after nothing_such: x")) == (rule, "after nothing_such: x")
    assert fluxi.unknown((rule, "after nothing_such: x"), keys=KEYS) == ("after nothing_such: x",)
