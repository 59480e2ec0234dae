"""The values that a message names only to say that they are not meant: "a Bruno no, a Ana", "180 instead of 80"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.values import Reading, Span
from mew_agents.fluxi.values.places import token_at
from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.value_words import VOCABULARIES

_BREAK: Final = ";"  # ends a name, and begins a clause
_STOPS: Final = frozenset('.,;:!?¡¿"()…\n')
_BETWEEN: Final = 4  # tokens between the words that take a value back and the value: "no es la de débito"


class Retracted(NamedTuple):
    """A value that is not meant. `held`: it is the value of the slot. `start` to `end`: it, with the words for that."""

    path: str
    held: bool
    start: int
    end: int


def retracted(
    definition: Definition,
    text: str,
    language: Language,
    held: Mapping[str, Any],
    read: Callable[[Slot, str], Sequence[Reading]],
) -> tuple[Retracted, ...]:
    """In the order of the text. `read`: the readings of a slot in the text.

    A value that no slot holds counts as taken back only if the text names another one for the same slot.
    """
    folded = fold(text)
    found: list[Retracted] = []
    for slot in definition.slots:
        if slot.type == "bool":
            continue
        spans = [*_named(folded, slot, held.get(slot.path), read)]
        label = {token.text for token in fold(slot.label.get(language, "")).tokens}
        denials = [_denial(folded, span, language, label, held=is_held) for span, is_held in spans]
        others = any(denial is None for denial in denials)
        for (_, is_held), denial in zip(spans, denials, strict=True):
            if denial is not None and (is_held or others):
                found.append(Retracted(slot.path, is_held, *denial))
    return tuple(sorted(set(found), key=lambda one: one.start))


def without(text: str, stretches: Sequence[Retracted]) -> str:
    """The text with breaks where these stand, at the same length."""
    for one in stretches:
        text = f"{text[: one.start]}{_BREAK * (one.end - one.start)}{text[one.end :]}"
    return text


def _named(
    folded: Folded, slot: Slot, held: Any, read: Callable[[Slot, str], Sequence[Reading]]
) -> Iterator[tuple[Span, bool]]:
    """Where the text names values of a slot, and whether it is the one that the slot holds."""
    if not values.is_free(slot):
        for reading in read(slot, folded.original):
            if len(reading.claims) == 1:
                yield (reading.start, reading.end), reading.value == held
        return
    if isinstance(held, str) and (wanted := [token.text for token in fold(held).tokens]):
        tokens = [token.text for token in folded.tokens]
        for at in range(len(tokens) - len(wanted) + 1):
            if tokens[at : at + len(wanted)] == wanted:
                yield folded.span(at, at + len(wanted) - 1), True


def _denial(folded: Folded, span: Span, language: Language, label: Set[str], *, held: bool) -> Span | None:
    """The value with the words that take it back, before it or behind it. None: nothing does."""
    first, after = token_at(folded, span[0]), token_at(folded, span[1])
    if first >= after:
        return None
    last = after - 1
    before = _before(folded.tokens, first, language, label, held=held)
    if before is not None:
        return folded.span(before, last)
    behind = _behind(folded.tokens, last, language, held=held)
    return None if behind is None else folded.span(first, behind)


def _before(tokens: Sequence[Token], first: int, language: Language, label: Set[str], *, held: bool) -> int | None:
    """The index of the first word that takes back what begins at `first`.

    Only little words may stand between them, and those of the slot's label: "no es la de débito".
    """
    tables = (_BEFORE[language], _SAID[language]) if held else (_BEFORE[language],)
    for at in range(first - 1, max(-1, first - 2 - _BETWEEN), -1):
        for table in tables:
            known = table.ending(tokens, at)
            if known is not None:
                return at + 1 - known[0]
        if tokens[at].text not in _LITTLE[language] and tokens[at].text not in label:
            return None
    return None


def _behind(tokens: Sequence[Token], last: int, language: Language, *, held: bool) -> int | None:
    """The index of the last word that takes back what ends at `last`: "a Bruno no,", "50 is wrong"."""
    at = last + 1
    if at < len(tokens) and tokens[at].text in _NO[language] and _parts(tokens, at + 1):
        return at
    if held and (known := _WRONG[language].starting(tokens, at)) is not None:
        return at + known[0] - 1
    return None


def _parts(tokens: Sequence[Token], at: int) -> bool:
    return at >= len(tokens) or tokens[at].text in _STOPS


_BEFORE = {
    language: PhraseTable(
        (phrase, None) for phrase in (*STEERING[language].instead_of, *VOCABULARIES[language].phrases.negators)
    )
    for language in LANGUAGES
}
_SAID = {language: PhraseTable((phrase, None) for phrase in STEERING[language].said_before) for language in LANGUAGES}
_WRONG = {language: PhraseTable((phrase, None) for phrase in STEERING[language].wrong) for language in LANGUAGES}
_NO: Final[dict[Language, frozenset[str]]] = {
    "es": frozenset(("no",)),
    "pt": frozenset(("nao", "n")),
    "en": frozenset(("no", "not")),
}
_LITTLE: Final = {
    language: frozenset(
        tokens[0].text
        for phrase in (*VOCABULARIES[language].phrases.fillers, *STEERING[language].joins, *STEERING[language].little)
        if len(tokens := fold(phrase).tokens) == 1 and tokens[0].kind == "word"
    )
    for language in LANGUAGES
}
