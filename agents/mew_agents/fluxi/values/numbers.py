"""Whole numbers, numbers and amounts of money."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from babel.numbers import get_currency_precision

from mew_agents.fluxi.definitions.slots import MoneySlot, NumberSlot, SlotBase
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values.cues import follows_cue
from mew_agents.fluxi.values.groups import group, is_part
from mew_agents.fluxi.values.kind import Kind
from mew_agents.fluxi.values.labels import is_beside_label, is_sum
from mew_agents.fluxi.values.reading import Attention, Reading, Refusal, Span, reading
from mew_agents.fluxi.values.units import converted, is_foreign, is_of_a_time, is_own, thing_behind, with_halves
from mew_agents.fluxi.values.words import TAILS
from mew_agents.language.ages import AGES, ages
from mew_agents.language.folding import fold
from mew_agents.language.found import Found, Language
from mew_agents.language.money import Money, money
from mew_agents.language.numbers import numbers
from mew_agents.language.retractions import corrective, replaced
from mew_agents.language.spelling import spelled

_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,12})?")
_ADDED = re.compile(
    r"\s*(?:more|mas|mais|extra|fewer|less|menos|personas mas|pessoas a mais|people more)\b(?! de\b| than\b)"
)
_PAID = re.compile(r"\b(?:paid|cost|costed|pague|pagamos|costo|costaba|salio|paguei|custou|custava)(?: \w+){0,2}\W*$")
_HALF = re.compile(r"\b(?:half|mitad|metade)\b")
_NEAR = 60  # characters around a number that are looked at
_CLOSE = 4  # tokens from a correcting word to the figure
_LARGEST = 2**53  # what JSON holds exactly everywhere


class Numbers(Kind[NumberSlot]):
    """`int` (a JSON number) and `number` (text, so that no digit is lost)."""

    specific = 4

    def readings(
        self,
        slot: NumberSlot,
        text: str,
        understanding: Understanding,
        attention: Attention,
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Numbers behind a cue or beside the label; only without one any, when it was asked for, or has no cues and
        nothing else is talked about.
        """
        language = understanding.language
        found = [item for item in _counting(slot, text, language) if _storable(slot, item)]
        if slot.path in understanding.values:
            found = [item for item in found if not _is_added(text, item.end)]
        parts = {item.start for item in found if is_part(slot, text, item.end)}
        found = [item for item in found if item.start not in parts or follows_cue(slot, text, item.start, language)]
        sums = [item for item in found if is_sum(text, item.start, item.end, language)]
        whole = None if sums else group(slot, text, language)
        if whole is not None:
            yield whole
            found = [item for item in found if not whole.meets(((item.start, item.end),))]
        marked = [item for item in found if is_marked(slot, text, item.start, item.end, language)]
        anywhere = attention is Attention.ASKED or (attention is Attention.OPEN and not slot.cues)
        if marked and not sums:
            marked += [item for item in found if item not in marked and _corrects(text, marked[-1].end, item, language)]
        for item in sums or marked or (found if anywhere and whole is None else ()):
            yield reading(item, int if slot.type == "int" else _decimal)
        if not (found or whole):
            for item in converted(slot, text, language):
                if _storable(slot, item):
                    yield reading(item, int if slot.type == "int" else _decimal)

    def refusal(self, slot: NumberSlot, value: Any, understanding: Understanding) -> Refusal | None:  # noqa: ARG002
        """Its bounds."""
        if slot.type == "int":
            if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _LARGEST:
                return Refusal("form")
        elif not isinstance(value, str) or not _NUMBER.fullmatch(value):
            return Refusal("form")
        return _bounds(slot, Decimal(value))

    def normal(self, slot: NumberSlot, value: Any, understanding: Understanding) -> Any:  # noqa: ARG002
        """`"3"` of an int is 3; 12.50 of a number `"12.50"`."""
        number = _read(value)
        if number is None:
            return value
        if slot.type == "number":
            return _decimal(number)
        return int(number) if number == number.to_integral_value() else value

    def written(self, slot: NumberSlot, value: Any) -> str:  # noqa: ARG002
        """Without zeros that say nothing."""
        return _decimal(Decimal(value).normalize())


def _is_added(text: str, end: int) -> bool:
    """Whether a number says how many more or fewer there are: "two more people"."""
    return _ADDED.match(fold(text[end : end + _NEAR]).text) is not None


def _wanted(amounts: list[Reading], text: str) -> list[Reading]:
    """Without what was paid, where another amount is wanted back: "I paid 40 but only want 25 back"."""
    paid = [one for one in amounts if _PAID.search(fold(text[max(0, one.start - _NEAR) : one.start]).text)]
    if not paid:
        return amounts
    if len(paid) < len(amounts):
        return [one for one in amounts if one not in paid]
    return [one for one in amounts if not _HALF.search(fold(text[one.end :]).text)]


class Moneys(Kind[MoneySlot]):
    """`money`: `{"amount": "1500.00", "currency": "ARS"}`, with as many decimals as the currency has."""

    specific = 6

    def readings(
        self,
        slot: MoneySlot,
        text: str,
        understanding: Understanding,
        attention: Attention,
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Amounts; a bare number when it was asked for, or stands behind a cue; and only these when not asked for.

        What was paid is none where another one is wanted.
        """
        return _wanted(list(self._told(slot, text, understanding, attention)), text)

    def _told(
        self, slot: MoneySlot, text: str, understanding: Understanding, attention: Attention
    ) -> Iterator[Reading]:
        language = understanding.language
        currency = _currency(slot, understanding)
        amounts = money(text, language, currency=currency)
        bare = [item for item in _counting(slot, text, language) if abs(item.value) < 10**20]
        spans = {(item.start, item.end) for item in bare}
        for amount in amounts:
            marked = (amount.start, amount.end) not in spans or follows_cue(slot, text, amount.start, language)
            if marked or attention is not Attention.MARKED:
                yield reading(amount, _money)
        for item in bare:
            asked = attention is Attention.ASKED or follows_cue(slot, text, item.start, language)
            asked = asked or _names_it(slot, text, item.end, language)
            if asked and not any(item.start < amount.end and amount.start < item.end for amount in amounts):
                yield reading(item, lambda value: _money(Money(value, currency)))

    def refusal(self, slot: MoneySlot, value: Any, understanding: Understanding) -> Refusal | None:  # noqa: ARG002
        """Its currencies, its bounds, and no fractions that the currency has not."""
        if not isinstance(value, dict) or set(value) != {"amount", "currency"}:
            return Refusal("form")
        amount, currency = value["amount"], value["currency"]
        if not isinstance(amount, str) or not _NUMBER.fullmatch(amount) or not isinstance(currency, str):
            return Refusal("form")
        if currency not in slot.accepted:
            return Refusal("currency", {"currencies": list(slot.accepted)})
        if -_exponent(Decimal(amount).normalize()) > get_currency_precision(currency):
            return Refusal("form")
        return _bounds(slot, Decimal(amount))

    def normal(self, slot: MoneySlot, value: Any, understanding: Understanding) -> Any:
        """`"25 USD"`, `"25"` or 25; the currency that is held, or the slot's, when none is said."""
        usual = _currency(slot, understanding)
        if isinstance(value, dict):
            amount, currency = _read(value.get("amount")), value.get("currency", usual)
        else:
            number, _, code = str(value).strip().partition(" ")
            amount, currency = _read(number), code.strip() or usual
        known = isinstance(currency, str) and re.fullmatch("[A-Z]{3}", currency)
        return value if amount is None or not known else _money(Money(amount, currency))

    def written(self, slot: MoneySlot, value: Any) -> str:  # noqa: ARG002
        """`1500.00 ARS`"""
        plain = _money(Money(Decimal(value["amount"]), value["currency"]))
        return f"{plain['amount']} {plain['currency']}"


def _names_it(slot: MoneySlot, text: str, end: int, language: Language) -> bool:
    """Whether the slot's whole label stands right behind a figure: "40 de valor declarado", "5 de propina"."""
    label = [token.text for token in fold(slot.label.get(language, "")).tokens]
    thing = thing_behind(text, end)
    if thing is not None and label == [thing.kind]:
        return True
    tokens = [token.text for token in spelled(text[end : end + _NEAR], language).tokens[: len(label) + 2]]
    while tokens and tokens[0] in TAILS[language]:
        tokens = tokens[1:]
    return len(label) > 1 and tokens[: len(label)] == label


def is_marked(slot: NumberSlot, text: str, start: int, end: int, language: Language) -> bool:
    """Whether the words around a number say whose it is: a cue before it, or the slot's label beside it."""
    if follows_cue(slot, text, start, language) or is_sum(text, start, end, language) or is_own(slot, text, end):
        return True
    return is_beside_label(slot, text, start, end, language) or group(slot, text[start:end], language) is not None


def _corrects(text: str, end: int, item: Found[Decimal], language: Language) -> bool:
    """Whether a bare figure stands right behind words that correct one before it: "for 2. No wait, 3"."""
    if item.start < end or not replaced(text, end, item.start, language):
        return False
    behind = spelled(text[item.end : item.end + _NEAR], language).tokens[:1]
    counts = bool(behind) and behind[0].kind == "word" and behind[0].text not in TAILS[language]
    tokens = spelled(text[max(end, item.start - _NEAR) : item.start], language).tokens
    led = any(corrective(tokens, at, language) and len(tokens) - at <= _CLOSE for at in range(len(tokens)))
    return led and not counts


def _counting(slot: NumberSlot | MoneySlot, text: str, language: Language) -> list[Found[Decimal]]:
    """The numbers of a text that count what the slot asks for, or nothing that is named; an age counts nothing else."""
    found = [item for item in with_halves(numbers(text, language), text) if not is_foreign(slot, text, item.end)]
    spans = () if _is_of_age(slot) else ages(text)
    found = [item for item in found if not any(start < item.end and item.start < end for start, end in spans)]
    return [item for item in found if not is_of_a_time(text, item.end) or _is_led(slot, text, item, language)]


def _is_led(slot: NumberSlot | MoneySlot, text: str, item: Found[Decimal], language: Language) -> bool:
    """Whether words before a number say that it is the slot's."""
    return follows_cue(slot, text, item.start, language) or is_beside_label(slot, text, item.start, item.end, language)


def _is_of_age(slot: SlotBase) -> bool:
    written = (*slot.label.values(), *(cue for cues in slot.cues.values() for cue in cues), slot.path)
    return any(token.text in AGES for words in written for token in fold(words).tokens)


def _currency(slot: MoneySlot, understanding: Understanding) -> str:
    """What an amount is in that names no currency: a corrected one keeps that of the amount before."""
    held = understanding.values.get(slot.path)
    return str(held["currency"]) if held is not None else slot.currency


def _storable(slot: NumberSlot, item: Found[Decimal]) -> bool:
    whole = item.value == item.value.to_integral_value()
    return (
        abs(item.value) <= _LARGEST and whole if slot.type == "int" else bool(_NUMBER.fullmatch(_decimal(item.value)))
    )


def _read(value: Any) -> Decimal | None:
    """A number as text or as JSON; a float counts as it is written."""
    text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    return Decimal(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else None


def _bounds(slot: NumberSlot | MoneySlot, value: Decimal) -> Refusal | None:
    if slot.min is not None and value < slot.min:
        return Refusal("too_small", {"limit": _decimal(slot.min)})
    if slot.max is not None and value > slot.max:
        return Refusal("too_big", {"limit": _decimal(slot.max)})
    return None


def _decimal(value: Decimal) -> str:
    return format(value, "f")


def _money(value: Money) -> dict[str, str]:
    amount, decimals = value.amount, get_currency_precision(value.currency)
    if -_exponent(amount.normalize()) <= decimals:
        amount = amount.quantize(Decimal(1).scaleb(-decimals))
    return {"amount": _decimal(amount), "currency": value.currency}


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
