"""Names that stand alone between commas or on a line of their own: "quiero una cuenta, Ana Paz, 30 años".

Nothing leads to such a name but its place, so it is taken only where a flow has just been asked for, for a slot of
words that the flow is going to ask. One name for one slot is believed; several are asked back, for their order is a
guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from mew_agents.flows.commands import CorrectSlot, SetSlot
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.steps import Collect, Confirm
from mew_agents.flows.understanding.heard import heard
from mew_agents.flows.understanding.implausible import before_its_name
from mew_agents.flows.understanding.whole import Whole
from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.words import INTRODUCTIONS, STOPS
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.hesitations import bare
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
    placed = _in_order(slots, parts)
    if not parts or placed is None:
        return {}
    return {
        slot.path: Candidate(
            path=slot.path,
            value=" ".join(text[part.start : part.end].split()),
            start=part.start,
            end=part.end,
            evidence=text[part.start : part.end],
            checked=_is_said_back(flow) or (len(parts) == 1 and text[part.start].isupper()),
        )
        for slot, part in placed
    }


def _is_said_back(flow: Flow) -> bool:
    """Whether the flow asks for a yes to what it has taken."""
    return any(isinstance(step, Confirm) for step in flow.program.steps.values())


class _Part(NamedTuple):
    """A name in a message; `place`: something says that it is where somebody lives."""

    start: int
    end: int
    place: bool
    words: int


def _in_order(slots: Sequence[Slot], parts: Sequence[_Part]) -> list[tuple[Slot, _Part]] | None:
    """Which name is for which slot: a place for the slot of places, the others in the order of the questions; of two
    the longer one is a person's. None: there are more names than slots.
    """
    where = next((slot for slot in slots if _is_for_places(slot)), None)
    persons = [slot for slot in slots if slot is not where]
    places = [part for part in parts if part.place]
    rest = [part for part in parts if not part.place]
    if where is not None and not places and len(rest) == len(persons) + 1:
        last = rest[-1] if len(rest) != _TWO or rest[0].words >= rest[1].words or rest[1].words == 1 else rest[0]
        places, rest = [last], [part for part in rest if part is not last]
    if len(places) > (where is not None) or len(rest) > len(persons):
        return None
    found = [*zip(persons, rest, strict=False)]
    return found if where is None else [*found, *((where, part) for part in places)]


def _is_for_places(slot: Slot) -> bool:
    """Whether a slot's cues say where somebody lives."""
    return any(fold(cue).text in _LIVING for cues in slot.cues.values() for cue in cues)


def _asked_in_words(flow: Flow) -> Iterator[Slot]:
    """The slots that take any words, in the order in which the flow asks for them."""
    heard_here = heard(flow)
    for step in flow.program.steps.values():
        if isinstance(step, Collect) and heard_here is not None:
            slot = flow.slots[step.collect].slot
            if slot.type == "string" and values.is_free(slot):
                yield slot


def _names(text: str, language: Language, taken: Sequence[Span]) -> Iterator[_Part]:
    """Where parts of a message are a name and nothing else."""
    greeted = False
    small = bool(taken) and not any(sign.isupper() for sign in text[1:])
    for part in _PARTS.finditer(text):
        if not part[0].strip():
            continue
        folded = fold(part[0])
        begin, end = part.span()
        leads = text[end : end + 1] == ":" and len(part[0].split()) == 1  # "Age: 27"
        addressed, greeted = greeted, _SAID[language].covers(folded, ())
        if greeted or leads:
            continue
        told = before_its_name(text, begin, end, language)
        if told is not None and not any(first < told[1] and told[0] < after for first, after in taken):
            start, stop = bare(text, *told, language)
            if _is_name(text[start:stop], language, in_small=True, alone=True):
                yield _Part(start, stop, False, len(text[start:stop].split()))
                continue
        if any(first < end and begin < after for first, after in taken):
            yield from _behind_wish(text, begin, end, language, taken)
            continue
        place = _PLACE[language].match(text, begin, end)
        span, introduced = _core(text, begin if place is None else place.end(), end, language)
        opens = not text[:begin].strip(" ¡¿")
        in_small = (introduced and bool(taken)) or small
        if span is None:
            continue
        start, stop = bare(text, *span, language)
        here = _HERE[language].match(text, start, stop)
        start = start if here is None else here.end()
        said = text[start:stop]
        if not _is_name(said, language, in_small=in_small, alone=small and (place is not None or addressed is False)):
            continue
        lone = len(said.split()) == 1 and not introduced and place is None and here is None
        if lone and (opens or addressed) and not _stands_between(text, stop):
            continue  # any word is written so at the beginning; behind a greeting, who is greeted
        yield _Part(start, stop, place is not None, len(said.split()))


def _behind_wish(text: str, begin: int, end: int, language: Language, taken: Sequence[Span]) -> Iterator[_Part]:
    """A name behind the words for the flow: "create an account for Imogen Shaw", "register as Theo"."""
    last = max((after for first, after in taken if first < end and begin < after), default=begin)
    match = _FOR[language].search(text, last, end)
    if match is not None:
        words = len(match["name"].split())
        yield _Part(*match.span("name"), match["place"] is not None, words)


def _stands_between(text: str, end: int) -> bool:
    """Whether a figure or an address follows a word at the head of a message: "Theo, 25, …"."""
    return re.match(r"\s*[,;.]\s*(?:\d{1,3}\b|\S+@)", text[end:]) is not None


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


def _is_name(said: str, language: Language, *, in_small: bool, alone: bool = False) -> bool:
    """A few words in capitals, with the little words of names between them. `in_small`: or in small letters, as behind
    "soy" in a message that says something else as well; `alone`: then also one word.
    """
    words = said.split()
    if len(words) > _MOST or not all(map(_LETTERS.fullmatch, words)):
        return False
    naming = NAMINGS[language]
    folded = [fold(word).text for word in words]
    if all(word[0].isupper() or part in naming.particles for word, part in zip(words, folded, strict=True)):
        return words[0][0].isupper() and words[-1][0].isupper() and folded[0] not in _NO_NAMES[language]
    ordinary = naming.common | STOPS[language] | _NO_NAMES[language]
    fewest = 1 if alone else _FULL
    if not in_small or not fewest <= len(words) <= _MOST_SMALL or not said.islower():
        return False
    return not ordinary.intersection(folded) and all(map(_SPOKEN.search, folded))


_TWO: Final = 2
_SPOKEN: Final = re.compile(r"(?=.*[aeiouy])\w{3}")  # no "thx" and "grcs"
_MOST_SMALL: Final = 3  # words of a name in small letters
_LIVING: Final = frozenset(("vivo en", "moro em", "i live in"))
_CAPITALISED: Final = (
    r"[A-ZÀ-Þ][\w'’-]+(?: (?:(?:de|del|la|las|los|da|do|dos|das|e|y|van|von|of|the) ){0,2}[A-ZÀ-Þ][\w'’-]+){0,4}"
)
_PLACE: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)\s*(?:y |ah y |pero )*(?:(?:soy|vivo|vivimos|ando|estoy|resido|escribo) )?(?:ac[aá] |aqu[ií] )?(?:en"
        r"|de|desde) (?=[^\W\d])"
    ),
    "pt": re.compile(
        r"(?i)\s*(?:e |ah e |mas )*(?:(?:sou|moro|vivo|estou|resido|escrevo) )?(?:aqui )?(?:em|de|do|da|no"
        r"|na) (?=[^\W\d])"
    ),
    "en": re.compile(
        r"(?i)\s*(?:and |but |oh and |i'?m |i am |i )*(?:(?:live|living|livin|based|residing|located|over|out|up"
        r"|down|here|currently"
        r"|originally|staying) )*(?:in|from) (?=[^\W\d])"
    ),
}
_HERE: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)(?:ac[aá]|aqu[ií]|habla|(?:te|le|les) (?:habla|escribe|saluda)|nombre|me dicen|mi nombre) (?=\S)"
    ),
    "pt": re.compile(r"(?i)(?:aqui|quem fala|fala|nome|me chamam de) (?:[eé] )?(?:[oa] )?(?=\S)"),
    "en": re.compile(r"(?i)(?:this is|name|names|it'?s|here is|i go by|they call me) (?=\S)"),
}
_FOR: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(
        rf"(?:(?:para|por|como|a nombre de|de parte de|soy|me llamo|de) |(?P<place>desde|en) )(?P<name>{_CAPITALISED})"
    ),
    "pt": re.compile(
        rf"(?:(?:para|pra|como|em nome de|em nome da|em nome do|sou|me chamo|de) (?:[oa] )?"
        rf"|(?P<place>em) )(?P<name>{_CAPITALISED})"
    ),
    "en": re.compile(
        rf"(?:(?:for|as|under|named|called|in the name of|I'm|I am) |(?P<place>from|in) )(?P<name>{_CAPITALISED})"
    ),
}


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
