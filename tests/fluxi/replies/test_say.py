"""Everything that is said, in every language and manner."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

import mew_agents.fluxi
from mew_agents.fluxi.message import Formality, PolicyContext, ResultKind, Tone
from mew_agents.fluxi.replies import FLUXI, MANNERS, say, spoken, unknown
from mew_agents.fluxi.replies.sentences import TONGUES
from mew_agents.language.found import LANGUAGES, Language

TONES: tuple[Tone, ...] = ("neutral", "warm", "brief")
FORMALITIES: tuple[Formality, ...] = ("formal", "informal")
NOW = datetime(2026, 11, 24, 15, tzinfo=UTC)
KINDS = get_args(ResultKind)
# Its question is the definition's, which has both forms itself: nothing is put before it.
ASKED_IN_THE_DEFINITIONS_WORDS = ("ask_slot",)


def policy(language: Language = "es", tone: Tone = "neutral", formality: Formality = "formal", **more) -> PolicyContext:
    return PolicyContext(
        now=NOW, language=language, tone=tone, formality=formality, **{"timezone": "America/Montevideo", **more}
    )


def names(key: str, language: Language, formality: Formality = "formal", *, brief: bool = False) -> set[str]:
    found = FLUXI.sentence(key, language, formality, brief=brief).names
    return {name.removesuffix(".capital").removesuffix(".small") for name in found}


def values(key: str) -> dict[str, str]:
    return {name: f"Xx {name}" for name in names(key, "es")}


every_key = pytest.mark.parametrize("key", MANNERS)


def test_every_language_has_every_key() -> None:
    assert set(TONGUES) == set(LANGUAGES)
    for tongue in TONGUES.values():
        assert list(tongue.sentences) == list(MANNERS)
        assert set(tongue.openings) == {manner.mood for manner in MANNERS.values()}


@every_key
def test_places_agree(key: str) -> None:
    for language, formality in product(LANGUAGES, FORMALITIES):
        assert names(key, language, formality) == names(key, "es")
        assert names(key, language, formality, brief=True) <= names(key, "es")


@every_key
def test_every_reply_reads_as_a_sentence(key: str) -> None:
    for language, tone, formality, emojis in product(LANGUAGES, TONES, FORMALITIES, (False, True)):
        for told in (values(key), dict.fromkeys(values(key), "Xx")):
            reply = say(key, policy(language, tone, formality, emojis=emojis), **told)
            plain = reply.removesuffix(f" {MANNERS[key].emoji}")
            assert (plain == reply) != emojis
            assert re.fullmatch(r"[¿¡]?[A-ZÁÉÍÓÚ].*[.?!]|.*[Xx]x( \w+)?", plain), reply
            assert not re.search(r"[<>|{}\[\]]|  |\.\.| [.,;:?!]|[^\w\s)?!.…]\.", reply), reply
            assert reply.count("¿") == (reply.count("?") if language == "es" else 0), reply


@every_key
def test_optional_values_may_be_missing(key: str) -> None:
    for language, tone, formality in product(LANGUAGES, TONES, FORMALITIES):
        parsed = FLUXI.sentence(key, language, formality, brief=tone == "brief")
        needed = {name.removesuffix(".capital").removesuffix(".small") for name in parsed.required}
        manner = policy(language, tone, formality)
        reply = say(key, manner, **dict.fromkeys(needed, "Xx"))
        assert reply == say(key, manner, **dict.fromkeys(needed, "Xx"), further="never said")
        assert not re.search(r"  | [.,;:?!]", reply), reply


@every_key
def test_each_setting_changes_every_reply(key: str) -> None:
    told = values(key)
    for language, formality, emojis in product(LANGUAGES, FORMALITIES, (False, True)):
        tones = [say(key, policy(language, tone, formality, emojis=emojis), **told) for tone in TONES]
        assert key in ASKED_IN_THE_DEFINITIONS_WORDS or len(set(tones)) == len(TONES), tones
    for language, tone in product(LANGUAGES, TONES):
        if key not in ASKED_IN_THE_DEFINITIONS_WORDS:
            forms = [say(key, policy(language, tone, formality), **told) for formality in FORMALITIES]
            assert forms[0] != forms[1], forms
        assert say(key, policy(language, tone, emojis=True), **told) != say(key, policy(language, tone), **told)
    if key not in ASKED_IN_THE_DEFINITIONS_WORDS:
        assert len({say(key, policy(language), **told) for language in LANGUAGES}) == 3


@every_key
def test_brief_is_no_longer_and_warm_is_longer(key: str) -> None:
    for language, formality in product(LANGUAGES, FORMALITIES):
        full, warm, brief = (say(key, policy(language, tone, formality), **values(key)) for tone in TONES)
        assert len(brief) <= len(full) < len(warm), (brief, full)


def test_values_are_written_as_people_write_them() -> None:
    moment = datetime(2026, 11, 27, 20, tzinfo=UTC)
    told = {language: spoken(moment, policy(language)) for language in LANGUAGES}
    assert told == {
        "es": "viernes, 27 de noviembre de 2026 a las 17:00",
        "pt": "sexta-feira, 27 de novembro de 2026 às 17:00",
        "en": "Friday, November 27, 2026 at 5:00 PM",
    }
    assert spoken(moment.replace(hour=4), policy("es")) == "viernes, 27 de noviembre de 2026 a la 1:00"
    assert spoken(moment, policy("es", timezone="Asia/Tokyo")) == "sábado, 28 de noviembre de 2026 a las 5:00"
    assert [spoken(date(2026, 1, 3), policy(one)) for one in LANGUAGES] == [
        "sábado, 3 de enero de 2026",
        "sábado, 3 de janeiro de 2026",
        "Saturday, January 3, 2026",
    ]
    assert [spoken(time(17, 5), policy(one)) for one in LANGUAGES] == ["17:05", "17:05", "5:05 PM"]
    assert [spoken(Decimal("12345.670"), policy(one)) for one in LANGUAGES] == ["12.345,67", "12.345,67", "12,345.67"]
    assert [spoken(True, policy(one)) for one in LANGUAGES] == ["sí", "sim", "yes"]
    assert [spoken(["a", "b", "c"], policy(one)) for one in LANGUAGES] == ["a, b o c", "a, b ou c", "a, b, or c"]
    lengths = timedelta(days=1, hours=2, minutes=30), timedelta(minutes=1), timedelta(0)
    assert [spoken(one, policy("es")) for one in lengths] == ["1 día, 2 horas y 30 minutos", "1 minuto", "0 minutos"]
    assert [spoken(one, policy("en")) for one in lengths] == [
        "1 day, 2 hours, and 30 minutes",
        "1 minute",
        "0 minutes",
    ]


def test_a_sentence_begins_large_and_ends_once() -> None:
    assert say("confirm_execution", policy("es", "brief"), summary="turno, 5 p. m.") == "Turno, 5 p. m. ¿Confirma?"
    assert say("ask_slot", policy("es"), prompt="¿Qué día?") == "¿Qué día?"
    assert say("ask_slot", policy("en", formality="informal"), prompt="SWIFT code?") == "SWIFT code?"
    assert say("ask_slot", policy("es", "brief"), prompt="¿qué día?") == "¿Qué día?"


def test_words_of_people_are_never_templates() -> None:
    for odd in ("{title}", "[a]", "<a|b>", "{{", "%s", "\\1"):
        assert odd in say("in_doubt", policy(), summary=odd)


def test_what_is_unknown_or_missing_is_an_error() -> None:
    with pytest.raises(KeyError):
        say("no_such_key", policy())
    with pytest.raises(KeyError, match="summary"):
        say("confirm_execution", policy(), summary=None)


def test_rules_are_said_around_replies() -> None:
    rules = ("before: Clínica Sur.", "after completed: Traiga su documento.", "after: Gracias.", "never sell")
    manner = policy("es", "warm", emojis=True, rules=rules)
    assert say("halted", manner).startswith("Clínica Sur. No se preocupe. Todo está detenido")
    assert say("halted", manner).endswith("cuando se reanude, le aviso. Gracias. 🛑")
    assert "Traiga su documento. Gracias. ✅" in say("completed", manner, summary="turno")
    assert unknown((*rules, "after compleated: x", "before:", "Before: x", "after: {title}")) == (
        "never sell",
        "after compleated: x",
        "before:",
        "Before: x",
    )
    assert say("halted", policy(rules=("after: {title} [x] <a|b>",))).endswith("{title} [x] <a|b>")


def test_whatever_the_engine_says_there_is() -> None:
    said = dict(keys_said())
    assert len(said) > 20
    for where, key in said.items():
        known = [one for one in MANNERS if one == key or (key.endswith("*") and one.startswith(key[:-1]))]
        assert known or not re.fullmatch(r"[a-z_]+\*?", key) or key in KINDS, f"{where} says {key}"


def test_a_question_that_is_repeated_is_not_dressed_twice() -> None:
    manner = policy("es", "warm", emojis=True, rules=("before: Clínica Sur.", "after: Gracias."))
    question = say("ask_slot", manner, prompt="¿Qué día?")
    assert question == "Clínica Sur. Con mucho gusto le ayudo. ¿Qué día? Gracias. 😊"
    assert say("ask_again", manner, prompt=question) == (
        "Clínica Sur. No se preocupe. Disculpe, no entendí su respuesta. ¿Qué día? Gracias. 🤔"
    )


@every_key
def test_what_is_put_on_can_be_taken_off(key: str) -> None:
    for language, tone, emojis in product(LANGUAGES, TONES, (False, True)):
        manner = policy(language, tone, emojis=emojis, rules=("before: A.", f"after {key}: B."))
        assert FLUXI.undressed(FLUXI.dressed("Xx.", key, manner), manner) == "Xx."
    assert FLUXI.undressed("Xx.", policy("es", "warm", emojis=True)) == "Xx."


def keys_said() -> Iterator[tuple[str, str]]:
    """Every key that the engine says: where, and the key or, of an f-string, how it begins."""
    package = Path(mew_agents.fluxi.__file__).parent
    for file in package.rglob("*.py"):
        if "replies" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) == "say" and not _of_a_phrasebook(node.func):
                for argument in node.args[:2]:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        yield f"{file.name}:{node.lineno}", argument.value
                    elif isinstance(argument, ast.JoinedStr) and isinstance(argument.values[0], ast.Constant):
                        yield f"{file.name}:{node.lineno}", str(argument.values[0].value) + "*"


def _of_a_phrasebook(function: ast.expr) -> bool:
    """Whether it is another set of words that says something: those are constants of their modules."""
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id.isupper()


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
