"""How a message takes something back: where the words for it end and the value that counts begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from mew_agents.flows.understanding.whole import Whole
from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot, SlotType
from mew_agents.fluxi.values.remembered import Same
from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.naming import NAMINGS
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.value_words import VOCABULARIES


class Amended(NamedTuple):
    """A message that takes something back: what counts of it is `text[start:end]`, all but the words that say so.

    `again`: within that, where a value follows that stands for one said before ("50, digo, 80"); else None.
    """

    start: int
    end: int
    marked: bool
    again: int | None


class Naming(NamedTuple):
    """A slot called by its name, from `start` in the text; what is said of it stands in `text[begins:ends]`.

    `joined`: right behind the name something says that a value follows: "el monto es".
    """

    path: str
    start: int
    begins: int
    ends: int
    joined: bool


def amended(text: str, language: Language) -> Amended:
    """A message without the words at its head and its end that only say that something is corrected."""
    folded = fold(text)
    tokens = folded.tokens
    first, marked = _head(folded, language)
    last, behind = _tail(folded, first, language)
    if first > last:
        return Amended(0, len(text), False, None)
    again = next((at for at in _taken_back(folded, first, last, language)), None)
    start, end = folded.span(first, first)[0], folded.span(last, last)[1]
    marked = marked or behind
    if not marked:
        start, end = 0, len(text)
    return Amended(start, end, marked, None if again is None else folded.span(again, min(again, len(tokens) - 1))[0])


def _head(folded: Folded, language: Language) -> tuple[int, bool]:
    """The index of the first token behind such words, and whether there are any."""
    tokens, at, marked = folded.tokens, 0, False
    while at < len(tokens):
        known = _HEADS[language].starting(tokens, at)
        if known is not None and folded.stands_alone(at, at + known[0] - 1) and not _denies(tokens, at, language):
            if _is_joined_on(tokens, at + known[0]):
                break
            marked = marked or known[1]
            at += known[0]
        elif tokens[at].text in _PAUSES or (tokens[at].text == "-" and not _is_sign(tokens, at)):
            at += 1
        else:
            break
    return at, marked


def _denies(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Whether a "no" says something of the words behind it, as in "no la perdí", and not of what was said before."""
    if tokens[at].text not in _NO or at + 1 >= len(tokens):
        return False
    after = tokens[at + 1]
    return after.kind == "word" and _HEADS[language].starting(tokens, at + 1) is None


def _tail(folded: Folded, first: int, language: Language) -> tuple[int, bool]:
    """The index of the last token before such words, and whether there are any."""
    tokens, last, marked = folded.tokens, len(folded.tokens) - 1, False
    while last > first:
        known = _TAILS[language].ending(tokens, last)
        if known is not None and last - known[0] >= first:
            marked = marked or known[1]
            last -= known[0]
        elif tokens[last].text in _PAUSES:
            last -= 1
        else:
            break
    return last, marked


def _taken_back(folded: Folded, first: int, last: int, language: Language) -> Iterator[int]:
    """Where a value follows that replaces one, the last such place first."""
    tokens = folded.tokens
    for at in range(last, first, -1):
        known = _AGAIN[language].starting(tokens, at)
        if known is not None and at + known[0] <= last and folded.stands_alone(at, at + known[0] - 1):
            after = at + known[0]
            while after < last and tokens[after].text in _PAUSES:
                after += 1
            yield after


def _is_joined_on(tokens: Sequence[Token], at: int) -> bool:
    """Whether a dash without blanks joins a word there to the one before it: "Não-Me-Toque"."""
    near = tokens[at - 1 : at + 2]
    return len(near) == len("a-b") and near[1].text == "-" and near[0].end == near[1].start == near[2].start - 1


def _is_sign(tokens: Sequence[Token], at: int) -> bool:
    """Whether a dash belongs to what follows: "-5"."""
    return at + 1 < len(tokens) and tokens[at + 1].start == tokens[at].end


def namings(definition: Definition, text: str, language: Language) -> list[Naming]:
    """The slots that a message calls by their names and says something of, in its order."""
    folded = fold(text)
    tokens, joins = folded.tokens, _JOINS[language]
    found = [*_called(definition, folded, language)]
    named = []
    for index, (path, first, after) in enumerate(found):
        limit = found[index + 1][1] if index + 1 < len(found) else len(tokens)
        joined = _is_joined(tokens, after, limit, joins)
        before = _put_before(folded, first, language)
        if before is not None:
            named.append(Naming(path, folded.span(first, after - 1)[0], *before, True))
            continue
        begin = _behind_joins(folded, after, limit, language, free=values.is_free(definition.slot(path)))
        if begin < limit:
            ends = folded.span(limit - 1, limit - 1)[1]
            named.append(Naming(path, folded.span(first, first)[0], folded.span(begin, begin)[0], ends, joined))
    return named


def _is_joined(tokens: Sequence[Token], at: int, limit: int, joins: PhraseTable[None]) -> bool:
    """Whether something says that a value follows, at once or behind an aside."""
    if at >= limit:
        return False
    if tokens[at].text != ",":
        return joins.starting(tokens, at) is not None
    asides = (end for end in range(at + 1, min(limit - 1, at + _ASIDE)) if tokens[end].text == ",")
    return any(joins.starting(tokens, end + 1) is not None for end in asides)


def named_words(text: str, begins: int, ends: int, language: Language) -> tuple[int, int]:
    """Where the words for a named slot end: at the end of the sentence, or of its part if another begins."""
    folded = fold(text)
    tokens, common = folded.tokens, NAMINGS[language].common
    inside = [at for at in range(len(tokens)) if begins <= folded.span(at, at)[0] < ends]
    for index, at in enumerate(inside[1:], 1):
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        sentence = tokens[at].text in _SENTENCE and (following is None or following.start > tokens[at].end)
        part = tokens[at].text in _PART and following is not None and following.text in common
        if (sentence or part) and len(tokens[inside[index - 1]].text) > 1:
            return begins, folded.span(inside[index - 1], inside[index - 1])[1]
    if inside and tokens[inside[-1]].text in _PART:  # it led on to what follows
        ends = folded.span(inside[-2], inside[-2])[1] if len(inside) > 1 else ends
    return begins, ends


def called(definition: Definition, text: str, language: Language) -> dict[str, tuple[int, int]]:
    """The slots that a message calls by their names, and where."""
    folded = fold(text)
    found = _called(definition, folded, language)
    return {path: folded.span(first, after - 1) for path, first, after in found}


def says_wrong(text: str, language: Language) -> bool:
    """Whether a message says anywhere that something was wrong."""
    tokens = fold(text).tokens
    return any(_WRONG[language].starting(tokens, at) for at in range(len(tokens)))


def _called(definition: Definition, folded: Folded, language: Language) -> Iterator[tuple[str, int, int]]:
    """Each with the indices of the first token of its name and of the one after it."""
    tokens, table = folded.tokens, _names(Same(definition), language)
    at = 0
    while at < len(tokens):
        known = table.starting(tokens, at)
        if known is not None and folded.stands_alone(at, at + known[0] - 1):
            yield known[1], at, at + known[0]
        at += 1 if known is None else known[0]


def wants_another(text: str, names: Sequence[tuple[int, int]], language: Language, *, asked: bool) -> bool:
    """Whether a message says of what it names, and of nothing else, that it is to be different: “cambiar el monto”.

    `asked`: what is to be different was asked, so that the name alone says so.
    """
    folded = fold(text)
    return (_CHANGED if asked else _CHANGES)[language].is_said(folded, beside=names) or (
        asked and bool(names) and _CHANGED[language].covers(folded, names)
    )


def _behind_joins(folded: Folded, at: int, limit: int, language: Language, *, free: bool) -> int:
    """The index of the first token of what is said of a slot: "(el monto) no es 50, es 80" keeps the 50.

    Words that a slot takes may begin with a "no". An aside may stand before it: "mi nombre, para servirle, es Ana".
    """
    tokens, table = folded.tokens, (_ITS_JOINS if free else _JOINS)[language]
    if at < limit and tokens[at].text == ",":
        asides = (end for end in range(at + 1, min(limit - 1, at + _ASIDE)) if tokens[end].text == ",")
        at = next((end + 1 for end in asides if table.starting(tokens, end + 1) is not None), at)
    while at < limit and (known := table.starting(tokens, at)) is not None:
        at += known[0]
    return at


def _put_before(folded: Folded, first: int, language: Language) -> tuple[int, int] | None:
    """Where the value stands before a slot's name: “poné alquiler en el concepto”, “put rent as the reference”."""
    tokens = folded.tokens
    at = first - 1
    while at >= 0 and tokens[at].text in _ARTICLES[language]:
        at -= 1
    if at < 0 or tokens[at].text not in _LED[language]:
        return None
    for begin in range(at - 1, max(-1, at - _FAR), -1):
        if tokens[begin].text in _SENTENCE:
            return None
        known = _PUTS[language].starting(tokens, begin)
        if known is not None and begin + known[0] < at:
            return folded.span(begin + known[0], at - 1)
    return None


_NAMED_BY = 3  # letters: "a" and "de" name nothing
_NO = frozenset(("no", "nao"))
_SENTENCE = frozenset(".;!?\n")
_PART = frozenset((",", "and", "y", "e"))
_ASIDE = 10  # tokens of what is said in passing
_FAR = 10  # tokens from "put" to the name of the slot
_PAUSES = frozenset(",.;:!¡¿?…")


@lru_cache(maxsize=256)
def _names(definition: Same[Definition], language: Language) -> PhraseTable[str]:
    """Slots by their labels, and by what their type is called, if one alone is of it."""
    slots = definition.it.slots
    labels = [(slot.label[language], slot.path) for slot in slots if language in slot.label]
    if language == "en":
        labels += [(f"{label}'s", path) for label, path in labels]
    labels += [(f"{label}s", path) for label, path in labels]
    return PhraseTable(
        (phrase, path)
        for phrase, path in (*labels, *_by_type(slots, STEERING[language].called))
        if len(fold(phrase).text) >= _NAMED_BY and fold(phrase).tokens
    )


def _by_type(slots: tuple[Slot, ...], called: Mapping[SlotType, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    for kind, names in called.items():
        of_it = [slot.path for slot in slots if slot.type == kind]
        if len(of_it) == 1:
            yield from ((name, of_it[0]) for name in names)


def _heads(language: Language) -> Iterator[tuple[str, bool]]:
    """True: it says that something is corrected; False: it says nothing, and may stand there."""
    words = STEERING[language]
    yield from ((phrase, True) for phrase in (*words.corrects, *words.changes))
    corrects = {fold(phrase).text for phrase in (*words.corrects, *words.changes)}
    yield from ((phrase, False) for phrase in words.openers if fold(phrase).text not in corrects)
    yield from ((phrase, False) for phrase in VOCABULARIES[language].answers.polite)
    yield from ((phrase, False) for phrase in VOCABULARIES[language].answers.yes)
    yield from ((phrase, False) for phrase in VOCABULARIES[language].answers.weak_yes)


def _tails(language: Language) -> Iterator[tuple[str, bool]]:
    yield from ((phrase, True) for phrase in STEERING[language].corrects_behind)
    yield from ((phrase, False) for phrase in VOCABULARIES[language].answers.polite)


_HEADS: Final = {language: PhraseTable(_heads(language)) for language in LANGUAGES}
_TAILS: Final = {language: PhraseTable(_tails(language)) for language in LANGUAGES}
_AGAIN: Final = {
    language: PhraseTable((phrase, None) for phrase in STEERING[language].takes_back) for language in LANGUAGES
}
_WRONG: Final = {
    language: PhraseTable((phrase, None) for phrase in (*STEERING[language].wrong, *STEERING[language].mistaken))
    for language in LANGUAGES
}
_CHANGES: Final = {
    language: Whole(
        (*STEERING[language].changes, *STEERING[language].wrong),
        (*STEERING[language].soft, *STEERING[language].openers, *VOCABULARIES[language].answers.polite),
    )
    for language in LANGUAGES
}
_CHANGED: Final = {
    language: Whole(
        (*STEERING[language].changes, *STEERING[language].wrong, *STEERING[language].corrects),
        (*STEERING[language].soft, *STEERING[language].openers, *VOCABULARIES[language].answers.polite),
    )
    for language in LANGUAGES
}
_ITS_JOINS: Final = {
    language: PhraseTable((phrase, None) for phrase in (*STEERING[language].joins, *STEERING[language].says))
    for language in LANGUAGES
}
_PUTS: Final = {language: PhraseTable((phrase, None) for phrase in STEERING[language].puts) for language in LANGUAGES}
_LED: Final[dict[Language, frozenset[str]]] = {
    "es": frozenset(("en", "como", "de", "por")),
    "pt": frozenset(("em", "como", "na", "no", "de")),
    "en": frozenset(("as", "in", "for", "on")),
}
_ARTICLES: Final[dict[Language, frozenset[str]]] = {
    "es": frozenset(("el", "la", "mi", "su")),
    "pt": frozenset(("o", "a", "meu", "minha")),
    "en": frozenset(("the", "my", "a")),
}
_JOINS: Final = {
    language: PhraseTable(
        (phrase, None)
        for phrase in (
            *STEERING[language].joins,
            *STEERING[language].says,
            *VOCABULARIES[language].phrases.negators,
        )
    )
    for language in LANGUAGES
}
