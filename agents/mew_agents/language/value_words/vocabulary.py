"""What a language's words for values are: the shape that each language fills.

Phrases are written as people write them, accents included; the extractors fold them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

Phrases: TypeAlias = tuple[str, ...]


def phrases(written: str) -> Phrases:
    """The phrases of `written`, which parts them by a bar: "sí | claro que sí"."""
    return tuple(" ".join(phrase.split()) for phrase in written.split("|"))


def combined(*written: str) -> Phrases:
    """Every phrase of the first followed by every one of the next: "cancelar | anular" and "el turno | la cita"."""
    return tuple(" ".join(parts) for parts in product(*map(phrases, written)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWords:
    """What whole messages are made of that answer a question. A longer phrase beats a shorter one."""

    yes: Phrases
    weak_yes: Phrases  # a yes, unless a firm answer follows: "bueno, no" is a no
    alone: Phrases  # a weak yes as the whole message, nothing at the head of another: "é" is often "e" there
    no: Phrases
    unclear: Phrases  # neither, whatever stands beside it: "no sé"
    polite: Phrases  # says nothing: "gracias"
    cancel: Phrases
    status: Phrases  # with "?" at the end: only as a question


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberWords:
    """Cardinals, and the words that tell that a number is an hour or a day."""

    decimal: str  # the sign before decimals; the other one of "." and "," parts thousands
    strays: bool  # some write it the other way round, as in Mexico: "1,500" is rather 1500 then
    ones: Mapping[str, int]  # 0 to 29, as far as they are one word
    tens: Mapping[str, int]
    hundreds: Mapping[str, int]
    hundred: str  # the word that multiplies by a hundred, "" where hundreds are words of their own
    scales: Mapping[str, int]  # thousand and above
    bare_scales: Phrases  # stand without a count: "mil" is 1000
    dozens: Phrases
    halves: Phrases
    unsure_halves: Phrases  # "media": half of a thing, or half past
    articles: Phrases  # one, but mostly no number: "un"
    joins: Phrases  # between the parts of one number
    joins_anything: bool  # also after hundreds and scales ("mil e quinhentos"), not between tens and ones only
    minus: Phrases
    not_minus_after: Phrases  # "al menos cinco"
    hours_before: Phrases  # "a las 5"
    hours_after: Phrases  # "5 de la tarde"
    past_the_hour: Phrases  # join an hour and its minutes
    days_before: Phrases  # "el día 3", "martes 3"
    months: Phrases
    percent: Phrases
    idioms: Phrases  # contain a number, mean none: "mil gracias"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyWords:
    """Currencies, their cents, and what comes before an amount that names no currency."""

    currencies: Mapping[str, str]  # to ISO 4217, or to one of the families of `money.FAMILIES`
    weights: Mapping[str, Phrases]  # also a weight, when one of these words follows: "pounds" before "of"
    cents: Phrases
    cents_joins: Phrases  # before the cents that say so
    bare_cents_joins: Phrases  # before cents that only stand there: "mil pesos con cincuenta"
    of: Phrases  # between number and currency: "dos millones de pesos"
    amounts: Phrases  # before a bare number, which is money then: "el monto es"
    amounts_behind: Phrases  # the same behind it: "75 back"


@dataclass(frozen=True, slots=True, kw_only=True)
class NameWords:
    """What stands around people's names."""

    titles: Phrases
    particles: Phrases  # inside names, not enough for one: "de la"
    introducers: Phrases  # before a name: "con"
    common: Phrases  # never a name by themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseWords:
    """What decides whether a phrase that stands in a text is meant."""

    negators: Phrases
    not_negating: Phrases  # hold a negator, deny nothing: "no sé cómo"
    turns: Phrases  # a clause ends before them: "pero"
    wishes: Phrases  # a clause may begin with them, too: "no puedo ir quiero otro turno"
    undoing: Phrases  # verbs that take something back or change it: "cancelar"
    fillers: Phrases  # may stand inside a phrase: "agendar un turno"
    endings: Phrases  # of one word's forms, the longest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """All words of a language."""

    answers: AnswerWords
    numbers: NumberWords
    money: MoneyWords
    names: NameWords
    phrases: PhraseWords
