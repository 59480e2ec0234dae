"""What holds for every extractor of values and every text: it claims only what it read, never fails, never hangs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import cycle
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mew_agents.language.answers import answer, asks_status, wants_to_cancel, yes_or_no
from mew_agents.language.choices import Choices
from mew_agents.language.contacts import emails, phones
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Found, Language
from mew_agents.language.intents import Intents
from mew_agents.language.money import money
from mew_agents.language.names import Names
from mew_agents.language.numbers import numbers
from mew_agents.language.spelling import LEADING
from mew_agents.language.value_words import VOCABULARIES

KNOWN = Names({"ana": ["Dra. Ana Pérez"], "juan": ["Juan Pérez"], "sun": ["Domingo Viernes"], "two": ["Sala 2", "2"]})
INTENTS = {
    language: Intents(
        {"booking": ["agendar turno", "book visit", "marcar hora"], "refund": ["refund", "turno"]}, language
    )
    for language in LANGUAGES
}
CHOICES = {
    language: Choices({"cash": {"es": ["efectivo"], "en": ["cash"]}, "card": {"pt": ["cartão de crédito"]}}, language)
    for language in LANGUAGES
}
EXTRACTORS: dict[str, Callable[[str, Language], Sequence[Found[Any]]]] = {
    "numbers": numbers,
    "money": lambda text, language: money(text, language, currency="ARS"),
    "names": KNOWN.found,
    "intents": lambda text, language: INTENTS[language].found(text),
    "choices": lambda text, language: CHOICES[language].found(text),
    "yes_or_no": yes_or_no,
    "phones": lambda text, language: phones(text, language, region="AR"),
    "emails": lambda text, *_: emails(text),
}

WORD = 4  # letters: fewer belong to the figure before them ("2nd"), or make a code

# Pieces that extractors read, halves of them, and what may stand between.
PIECES = (
    "sí", "no", "dale", "👍🏽", "não", "yes", "é", "ok", "mil", "un", "una", "uno", "millón", "y", "e", "and", "medio",
    "treinta", "vinte", "twenty", "hundred", "a", "half", "docena", "dozen", "2", "15k", "1.500", "1,5", "1 500", "-5",
    "menos", "$", "R$", "US$", "pesos", "reais", "dollars", "de", "con", "cincuenta", "centavos", "%", "a las", "às",
    "diciembre", "Ana", "perez", "Peres", "Dra.", "Domingo", "Viernes", "Sala", "agendar", "agendame", "un turno",
    "book", "visit", "cancelar", "efectivo", "cash", "cartao", "credito", "+54 11 4567-8901", "11 4567 8901", "4567",
    "x@y.com", "@", ".", ",", "?", "-", "/", "\n", "(", ")", "I'm", "’", "e\u0301", "\u200d", "ß", "½", "٣",
)  # fmt: skip
SPOKEN = st.lists(st.sampled_from(PIECES), max_size=9).flatmap(
    lambda pieces: st.sampled_from((" ", "", ", ")).map(lambda between: between.join(pieces))
)
TEXTS = SPOKEN | st.text(max_size=80)


def parts_a_word(text: str, at: int) -> bool:
    """Whether a claim that ends or begins here parts a word. A figure and a word lack a blank only: "35dolares"."""
    if not 0 < at < len(text) or not (text[at - 1].isalnum() and text[at].isalnum()):
        return False
    word = fold(text[at:]).tokens[0]
    led = fold(text[:at]).tokens[-1].text
    if text[at].isdecimal() and led in LEADING:
        return False  # "alas5"
    return not (text[at - 1].isdecimal() and word.kind == "word" and word.end - word.start >= WORD)


@pytest.mark.parametrize(("text", "value"), [("15kconcancelar", 15), ("٣medioPeres", 3), ("8personas", 8)])
def test_a_figure_may_run_on_into_a_word(text: str, value: int) -> None:
    (found,) = numbers(text, "es")
    assert found.value == Decimal(value)
    assert not parts_a_word(text, found.end)


@pytest.mark.parametrize("text", ["A8personas", "8-personas2", "2nd"])
def test_a_figure_within_a_code_is_no_number(text: str) -> None:
    assert numbers(text, "en") == []


@pytest.mark.parametrize("extractor", EXTRACTORS)
@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
@settings(max_examples=300)
def test_it_claims_only_what_it_read(extractor: str, text: str, language: Language) -> None:
    found = EXTRACTORS[extractor](text, language)
    end = 0
    for each in found:
        assert end <= each.start < each.end <= len(text)
        words = each.evidence(text)
        assert words == words.strip()
        assert not parts_a_word(text, each.start)
        assert not parts_a_word(text, each.end)
        assert 0 < each.confidence <= 1
        assert each.confidence < 1 or not each.doubts
        alone = EXTRACTORS[extractor](words, language)
        assert [again.value for again in alone] == [each.value]
        end = each.end


@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
@settings(max_examples=300)
def test_an_answer_s_rest_is_the_text_s_end(text: str, language: Language) -> None:
    given_ = answer(text, language)
    assert text[given_.start :].rstrip() == given_.rest
    assert (given_.leading is None) or given_.kind == "none"
    assert given_.kind == "none" or not given_.rest
    assert not (wants_to_cancel(text, language) and asks_status(text, language))


@given(text=SPOKEN, language=st.sampled_from(LANGUAGES))
def test_an_answer_does_not_hear_capitals_accents_or_points(text: str, language: Language) -> None:
    given_ = answer(text, language)
    loud = answer(f"¡{text.upper()}!".replace("ß", "ẞ"), language)
    plain = answer(fold(text).text, language)
    assert given_.kind == loud.kind == plain.kind
    assert given_.leading == loud.leading == plain.leading


@given(st.integers(-999_999, 999_999), st.sampled_from(LANGUAGES), st.sampled_from(("zorp", "sobre", "uns", "about")))
def test_a_number_is_read_as_the_language_writes_it_whatever_stands_beside_it(
    value: int, language: Language, word: str
) -> None:
    written = f"{value:,}" if language == "en" else f"{value:,}".replace(",", ".")
    assert [each.value for each in numbers(f"{word} {written} {word}", language)] == [Decimal(value)]


@given(st.integers(0, 10**9), st.integers(0, 99), st.sampled_from(LANGUAGES))
def test_an_amount_is_read_as_the_language_writes_it(whole: int, cents: int, language: Language) -> None:
    written = f"{whole:,}.{cents:02}"
    if language != "en":
        written = written.translate({ord(","): ".", ord("."): ","})
    (found,) = money(f"zorp US$ {written} zorp", language, currency="ARS")
    assert (found.value.amount, found.value.currency, found.doubts) == (whole + Decimal(cents) / 100, "USD", ())


LONG = [
    *(piece * (10_000 // len(piece)) for piece in ("1", "1.", "1 ", "-", "a@", "a.", "mil ", "mil millones ", "sí ")),
    *(
        piece * (10_000 // len(piece))
        for piece in ("no, ", "uno y ", "a las 5 y ", "+54 ", "perez ", "peres ", "half a ")
    ),
    *(piece * (10_000 // len(piece)) for piece in ("no quiero agendar ", "agendar un ", "\u0301", "👍🏽", "'a", "$1 ")),
    *(" ".join(words.answers.yes)[:10_000] for words in VOCABULARIES.values()),
]


def _is_read_soon(read: Callable[[str, Language], object], text: str, language: Language) -> None:
    """A reading whose work grows with a power of the text takes minutes here, each time; a pause of the garbage
    collector or of the machine is not met three times in a row."""
    took = []
    for _ in range(3):
        started = time.thread_time()
        read(text, language)
        took.append(time.thread_time() - started)
        if took[-1] < 1:
            return
    raise AssertionError(f"{text[:20]!r}… took {took} seconds")


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_no_text_takes_long(extractor: str) -> None:
    for text, language in zip(LONG, cycle(LANGUAGES), strict=False):
        _is_read_soon(EXTRACTORS[extractor], text, language)


@pytest.mark.parametrize("reading", [answer, wants_to_cancel, asks_status])
def test_no_answer_takes_long(reading: Callable[[str, Language], object]) -> None:
    for text, language in zip(LONG, cycle(LANGUAGES), strict=False):
        _is_read_soon(reading, text, language)


@given(st.text(min_size=1000, max_size=10_000), st.sampled_from(LANGUAGES))
@settings(max_examples=5, suppress_health_check=[HealthCheck.large_base_example, HealthCheck.data_too_large])
def test_no_long_text_fails(text: str, language: Language) -> None:
    for extract in EXTRACTORS.values():
        extract(text, language)
    assert answer(text, language).start <= len(text)
