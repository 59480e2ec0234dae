"""Names that stand alone between commas or on a line of their own: "quiero una cuenta, Ana Paz, 30 años".

Nothing leads to such a name but its place, so it is taken only where a flow has just been asked for, for a slot of
words that the flow is going to ask. One name for one slot is believed; several are asked back, for their order is a
guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mew_agents.flows.commands import CorrectSlot, SetSlot
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.steps import Collect
from mew_agents.flows.understanding.whole import Whole
from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.words import INTRODUCTIONS, STOPS
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.naming import NAMINGS
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.value_words import VOCABULARIES
from mew_agents.language.value_words.vocabulary import phrases

_PARTS: Final = re.compile(r"[^,;:.!?¡¿()\n]+")
_LETTERS: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_MOST: Final = 5  # words of a name
_FULL: Final = 2  # words of a name in small letters: one alone may be any word


def names(
    flow: Flow, text: str, language: Language, *, found: Sequence[SetSlot | CorrectSlot], triggers: Sequence[Span]
) -> dict[str, Candidate]:
    """By path. `found`: what the rest of the message fills; `triggers`: where the words for the flow stand."""
    filled = {one.path for one in found}
    slots = [slot for slot in _asked_in_words(flow) if slot.path not in filled]
    taken = [*((one.start, one.end) for one in found), *triggers]
    parts = [*_names(text, language, taken)] if slots else []
    if not parts or len(parts) > len(slots):
        return {}
    sure = len(parts) == 1
    return {
        slot.path: Candidate(
            path=slot.path,
            value=" ".join(text[start:end].split()),
            start=start,
            end=end,
            evidence=text[start:end],
            checked=sure and text[start].isupper(),
        )
        for slot, (start, end) in zip(slots, parts, strict=False)
    }


def _asked_in_words(flow: Flow) -> Iterator[Slot]:
    """The slots that take any words, in the order in which the flow asks for them."""
    for step in flow.program.steps.values():
        if isinstance(step, Collect):
            slot = flow.slots[step.collect].slot
            if slot.type == "string" and values.is_free(slot):
                yield slot


def _names(text: str, language: Language, taken: Sequence[Span]) -> Iterator[Span]:
    """Where parts of a message are a name and nothing else."""
    greeted = False
    for part in _PARTS.finditer(text):
        if not part[0].strip():
            continue
        folded = fold(part[0])
        begin, end = part.span()
        leads = text[end : end + 1] == ":"  # "Age: 27"
        addressed, greeted = greeted, _SAID[language].covers(folded, ())
        if greeted or leads or any(begin < after and before < end for before, after in taken):
            continue
        span, introduced = _core(text, begin, end, language)
        opens = not text[:begin].strip(" ¡¿")
        in_small = introduced and bool(taken)
        if span is None or not _is_name(text[slice(*span)], language, in_small=in_small):
            continue
        lone = len(text[slice(*span)].split()) == 1 and not introduced
        if lone and (opens or addressed):  # any word is written so at the beginning; behind a greeting, who is greeted
            continue
        yield span


def _core(text: str, begin: int, end: int, language: Language) -> tuple[Span | None, bool]:
    """A part without what introduces a name ("soy …"), and whether something does."""
    folded = fold(text[begin:end])
    tokens, first, last = folded.tokens, 0, len(folded.tokens) - 1
    introduced = False
    if first <= last and _POLITE[language].starting(tokens, first) is not None:
        return None, False  # "Hola Sofía": who is greeted
    while first <= last and (known := _BEFORE[language].starting(tokens, first)) is not None:
        introduced = introduced or known[1]
        first += known[0]
    while first <= last and tokens[last].kind == "symbol":
        last -= 1
    if first > last:
        return None, introduced
    start, stop = folded.span(first, last)
    return (begin + start, begin + stop), introduced


def _is_name(said: str, language: Language, *, in_small: bool) -> bool:
    """A few words in capitals, with the little words of names between them. `in_small`: or in small letters, as behind
    "soy" in a message that says something else as well.
    """
    words = said.split()
    if len(words) > _MOST or not all(map(_LETTERS.fullmatch, words)):
        return False
    naming = NAMINGS[language]
    folded = [fold(word).text for word in words]
    if all(word[0].isupper() or part in naming.particles for word, part in zip(words, folded, strict=True)):
        return words[0][0].isupper() and words[-1][0].isupper() and folded[0] not in _NO_NAMES[language]
    ordinary = naming.common | STOPS[language] | _NO_NAMES[language]
    return in_small and len(words) >= _FULL and said.islower() and not ordinary.intersection(folded)


def _before(language: Language) -> Iterator[tuple[str, bool]]:
    """What may stand before a name in its part; True: it says that a name follows."""
    introductions = {fold(phrase).text for phrase in INTRODUCTIONS[language]}
    yield from ((phrase, True) for phrase in INTRODUCTIONS[language])
    yield from (
        (phrase, True) for phrase in ("é o", "é a", "sou o", "sou a", "aqui é o", "aqui é a", "soy el", "soy la")
    )
    openers = (*STEERING[language].openers, "so", "bem", "pues")
    yield from ((phrase, False) for phrase in openers if fold(phrase).text not in introductions)


_BEFORE: Final = {language: PhraseTable(_before(language)) for language in LANGUAGES}
_POLITE: Final = {
    language: PhraseTable((phrase, None) for phrase in VOCABULARIES[language].answers.polite) for language in LANGUAGES
}
# What stands before the name of whoever signs.
_SIGNED: Final[Mapping[Language, frozenset[str]]] = {
    "es": frozenset(phrases("saludos | atte | atentamente | cordialmente | abrazo | abrazos | besos | firma")),
    "pt": frozenset(
        phrases(
            "saudacoes | cumprimentos | atenciosamente | cordialmente | abraco | abracos | abs | beijos | bjs | att"
        )
    ),
    "en": frozenset(phrases("regards | cheers | sincerely | best | yours | respectfully | love")),
}
_SAID: Final = {
    language: Whole(
        (*STEERING[language].soft, *STEERING[language].chats, *STEERING[language].openers),
        VOCABULARIES[language].answers.polite,
    )
    for language in LANGUAGES
}
_NO_NAMES: Final = {
    language: _SIGNED[language]
    | frozenset(
        token.text
        for phrase in (*STEERING[language].soft, *STEERING[language].openers, *STEERING[language].corrects)
        for token in fold(phrase).tokens
        if len(fold(phrase).tokens) == 1
    )
    for language in LANGUAGES
}
