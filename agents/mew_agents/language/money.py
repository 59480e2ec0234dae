"""Amounts of money: a number with its currency, or a number where an amount is expected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Doubt, Found, Language
from mew_agents.language.numbers import confidence
from mew_agents.language.numeral import Numeral
from mew_agents.language.numerals import numerals
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.spelling import spelled
from mew_agents.language.value_words import VOCABULARIES
from mew_agents.language.value_words.currencies import CODES, FAMILIES, SIGNS


@dataclass(frozen=True, slots=True)
class Money:
    """An amount, in units of a currency (ISO 4217)."""

    amount: Decimal
    currency: str


def money(text: str, language: Language, *, currency: str) -> list[Found[Money]]:
    """The amounts of a text.

    `currency` (ISO 4217) is what "$", "pesos" or "dollars" mean, if it is one of those, and
    what a bare number means that is the whole message or follows a word such as "monto" or "refund".

    Doubts: "ambiguous" for pesos that may be several countries' and for cents that may be another number
    (`alternatives` has the other readings), "partial" for a bare number before a word that it may count.
    """
    folded = spelled(text, language)
    read = numerals(folded, language)
    if not read:
        return []
    return [*_amounts(folded, read, _LEXICONS[language], currency)]


_PUNCTUATION = frozenset(".,;:!?¡¿()\"'…-~*")


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The words of money in a language."""

    before: PhraseTable[str]  # signs and codes
    after: PhraseTable[str]  # signs, codes and names
    weights: PhraseTable[frozenset[str]]
    cents: frozenset[str]
    cents_joins: frozenset[str]
    bare_cents_joins: frozenset[str]
    of: frozenset[str]
    amounts: PhraseTable[None]
    amounts_behind: PhraseTable[None]
    unrelated: frozenset[str]  # what may follow a bare amount and is nothing that it counts


def _lexicon(language: Language) -> _Lexicon:
    words = VOCABULARIES[language].money
    written = [*SIGNS.items(), *((code, code) for code in CODES)]
    return _Lexicon(
        PhraseTable(written),
        PhraseTable([*words.currencies.items(), *written]),
        PhraseTable((phrase, frozenset(after)) for phrase, after in words.weights.items()),
        frozenset(fold(word).text for word in words.cents),
        frozenset(words.cents_joins),
        frozenset(words.bare_cents_joins),
        frozenset(words.of),
        PhraseTable((phrase, None) for phrase in words.amounts),
        PhraseTable((phrase, None) for phrase in words.amounts_behind),
        _PUNCTUATION.union(fold(word).text for word in VOCABULARIES[language].names.common),
    )


_LEXICONS = {language: _lexicon(language) for language in LANGUAGES}


@dataclass(frozen=True, slots=True)
class _Amount:
    """An amount on the way, from token `first` to token `last`."""

    value: Decimal
    currencies: tuple[str, ...]  # the likeliest first
    first: int
    last: int
    others: tuple[Decimal, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def _amounts(folded: Folded, read: Sequence[Numeral], lexicon: _Lexicon, default: str) -> Iterator[Found[Money]]:
    used = -1
    for at, numeral in enumerate(read):
        if numeral.first <= used:
            continue
        amount = _named(folded, numeral, lexicon, default, used=used) or _bare(folded.tokens, numeral, lexicon, default)
        if amount is not None:
            amount = _with_cents(folded, amount, read[at + 1 : at + 2], lexicon)
            used = amount.last
            yield _found(folded, amount)


def _named(folded: Folded, numeral: Numeral, lexicon: _Lexicon, default: str, *, used: int) -> _Amount | None:
    """With its currency before it, after it, or both ("$ 1.500 pesos"): the one after it says more.

    What stands up to token `used` belongs to the amount before.
    """
    tokens = folded.tokens
    first, last = numeral.first, numeral.last
    before = lexicon.before.ending(tokens, first - 1)
    if before is not None and not folded.opens(first - before[0]):
        return None
    if before is not None and first - before[0] <= used:
        before = None
    if before is not None:
        first -= before[0]
    after = _currency_at(folded, last + 1, lexicon)
    if after is not None:
        last += after[0]
    elif _are_cents(folded, last + 1, lexicon):
        return _Amount(numeral.value / 100, _currencies("", default), first, last + 1)
    elif before is None:
        return None
    name = (after[1] if after else "") or (before[1] if before else "")
    if first > 0 and tokens[first - 1].text == "-" and tokens[first - 1].end == tokens[first].start:
        return _Amount(-_in_money(numeral), _currencies(name, default), first - 1, last)
    return _Amount(_in_money(numeral), _currencies(name, default), first, last)


def _currency_at(folded: Folded, at: int, lexicon: _Lexicon) -> tuple[int, str] | None:
    """The currency that begins at a token, "of" before it or not: how many tokens, and its name."""
    tokens = folded.tokens
    skipped = 1 if at < len(tokens) and tokens[at].text in lexicon.of else 0
    found = lexicon.after.starting(tokens, at + skipped)
    if found is None or not folded.closes(at + skipped + found[0] - 1):
        return None
    behind = at + skipped + found[0]
    weight = lexicon.weights.starting(tokens, at + skipped)
    if weight is not None and behind < len(tokens) and tokens[behind].text in weight[1]:
        return None  # two pounds of sugar
    return skipped + found[0], found[1]


def _are_cents(folded: Folded, at: int, lexicon: _Lexicon) -> bool:
    return at < len(folded.tokens) and folded.tokens[at].text in lexicon.cents and folded.closes(at)


def _bare(tokens: Sequence[Token], numeral: Numeral, lexicon: _Lexicon, default: str) -> _Amount | None:
    """Without a currency: the whole message, or after a word that asks for an amount."""
    if numeral.lone:
        return None
    amount = _Amount(_in_money(numeral), (default,), numeral.first, numeral.last)
    if all(token.text in _PUNCTUATION for at, token in enumerate(tokens) if not numeral.first <= at <= numeral.last):
        return amount
    if numeral.plain and lexicon.amounts_behind.starting(tokens, numeral.last + 1) is not None:
        return amount
    if not numeral.plain or lexicon.amounts.ending(tokens, numeral.first - 1) is None:
        return None
    counted = numeral.last + 1 < len(tokens) and tokens[numeral.last + 1].text not in lexicon.unrelated
    return replace(amount, doubts=("partial",) if counted else ())


def _in_money(numeral: Numeral) -> Decimal:
    """Money has two decimals at most, so that three digits after a point or a comma are thousands."""
    return numeral.alternatives[0] if numeral.decimals > 2 and numeral.alternatives else numeral.value


def _currencies(name: str, default: str) -> tuple[str, ...]:
    """What a currency's name may mean, the likeliest first."""
    family = FAMILIES.get(name)
    if family is None:
        return (name or default,)
    return (default,) if default in family else family if name == "PESO" else family[:1]


def _with_cents(folded: Folded, amount: _Amount, after: Sequence[Numeral], lexicon: _Lexicon) -> _Amount:
    """With the cents behind it: "con cincuenta", "and fifty cents"."""
    if not after or amount.value % 1 or not 0 < after[0].value < 100 or after[0].value % 1:
        return amount
    tokens = folded.tokens
    cents, gap = after[0], after[0].first - amount.last - 1
    join = tokens[amount.last + 1].text
    whole = amount.value + (cents.value / 100).copy_sign(amount.value)
    behind = tokens[cents.last + 1] if cents.last + 1 < len(tokens) else None
    if _are_cents(folded, cents.last + 1, lexicon) and (gap == 0 or (gap == 1 and join in lexicon.cents_joins)):
        return replace(amount, value=whole, last=cents.last + 1)
    if gap != 1 or join not in lexicon.bare_cents_joins or cents.value < 10 or cents.lone:
        return amount
    if behind is None or behind.kind == "symbol":
        return replace(amount, value=whole, last=cents.last)
    return replace(amount, value=whole, last=cents.last, others=(amount.value,), doubts=("ambiguous",))


def _found(folded: Folded, amount: _Amount) -> Found[Money]:
    value, *readings = [
        Money(reading, currency) for reading in (amount.value, *amount.others) for currency in amount.currencies
    ]
    doubts: tuple[Doubt, ...] = amount.doubts
    if len(amount.currencies) > 1 and "ambiguous" not in doubts:
        doubts = ("ambiguous", *doubts)
    start, end = folded.span(amount.first, amount.last)
    return Found(value, start, end, confidence(doubts), tuple(readings), doubts)
