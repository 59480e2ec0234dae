"""Which operation a text is about, when it has none of the phrases that ask for one: "need a parcel picked up".

The words of a definition's title and phrases are its vocabulary. Two of them, or one and a value that only the
operation takes, or one that is its subject in a message that wishes for something, are enough: the Work that opens
says back what it is about before it does anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import EnumSlot, RefSlot, StringSlot
from mew_agents.fluxi.interpreter.allotment import allot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.intentions import Intention
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.answer import core
from mew_agents.fluxi.values.people_words import CHILDREN, KIN, ONE_OF_MINE
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.synonyms import SYNONYMS
from mew_agents.fluxi.values.words import LIGHT, TAILS, WISHES
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import Folded, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.naming import UNNAMED
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.requests import recalls
from mew_agents.language.sightings import SURE, Phrasing
from mew_agents.language.spelling import spelled

_SUBJECT = 3  # phrases that share a word: then it is what the operation is about
_SHORT = 5  # words of a message that is nothing but a request
_LIKENESS = 0.8
_LEAST_LETTERS = 4
_LONG = 5  # letters of a word that may be a slip
_BESIDE = 3  # words from what a code is called to the code
_WISHES = {language: PhraseTable((phrase, None) for phrase in WISHES[language]) for language in LANGUAGES}


class _Vocabulary(NamedTuple):
    """The words of definitions, in one language, those of them that are a subject, and those that a definition's own
    phrases or options deny: "my order has not arrived".
    """

    phrasing: Phrasing
    subjects: frozenset[tuple[str, str]]
    denied: frozenset[tuple[str, str]]


class _Support(NamedTuple):
    """What speaks for one definition: its words in the text, and values of its binding attributes.

    `coded`: one of these is a code, and another slot has a value as well: "A-1217, 89 dollars". `chosen`: an option of
    the definition is named. `whole`: these values are all that the message says.
    """

    words: frozenset[str]
    subject: bool
    bound: int
    telling: bool
    coded: bool
    chosen: bool
    whole: bool
    spans: tuple[tuple[int, int], ...]

    def suffices(self, *, wished: bool) -> bool:
        """Whether the message is about the operation."""
        if len(self.words) > 1:
            return True
        if self.words:
            return self.bound > 0 or self.chosen or (self.subject and wished)
        return (self.bound > 1 and self.telling) or self.coded or self.whole

    @property
    def weight(self) -> tuple[int, int]:
        """The more values and words, the likelier."""
        return self.bound + len(self.words), len(self.words)


def topic(
    text: str, definitions: Sequence[Definition], understanding: Understanding, *, besides: bool = False
) -> Intention | None:
    """The operation that a text is about, in the first language whose words it uses. None: none, or it is denied.

    `besides`: the text asks for another operation, so that a wish and one word do not speak for this one as well.
    """
    current = tuple(Same(one) for one in definitions)
    denied: set[str] = set()
    spoken_in = (understanding.language,) if besides else (understanding.language, *LANGUAGES)
    for language in dict.fromkeys(spoken_in):
        spoken, folded = replace(understanding, language=language), spelled(text, language)
        supports = {one.type_id: _support(one, text, folded, current, spoken) for one in definitions}
        denied |= {type_id for type_id, support in supports.items() if support is None}
        found = {type_id: one for type_id, one in supports.items() if one is not None and type_id not in denied}
        if besides:
            found = {type_id: _besides(one, language) for type_id, one in found.items()}
        if language == understanding.language:
            denied |= {one.it.type_id for one in current if _undone(one, folded, current, language)}
        wished = not besides and _wished(folded, language)
        fitting = [type_id for type_id, support in found.items() if support.suffices(wished=wished)]
        if fitting:
            most = max(found[type_id].weight for type_id in fitting)
            fitting.sort(key=lambda type_id: found[type_id].weight, reverse=True)
            first = _joined(found[fitting[0]].spans, text)
            best = tuple(
                type_id
                for type_id in fitting
                if found[type_id].weight == most or not _meet(first, _joined(found[type_id].spans, text))
            )
            spans = tuple(_joined(found[type_id].spans, text) for type_id in best)
            return Intention(best, _LIKENESS, language, spans)
    return None


def _undone(
    definition: Same[Definition], folded: Folded, current: tuple[Same[Definition], ...], language: Language
) -> bool:
    """Whether a text takes back or changes what the definition is about, and asks for nothing by its other words."""
    clauses = CLAUSES[language]
    mine = [
        one
        for one in _vocabulary(current, language).phrasing.seen(folded)
        if one.id.partition("\n")[0] == definition.it.type_id
    ]
    return bool(mine) and all(clauses.undone(folded.tokens, one.first, one.last) for one in mine)


def _besides(support: _Support, language: Language) -> _Support:
    """What speaks for an operation besides the one that is asked for. Words for whom something is ask for nothing ("me
    and my three children"); nor does a single word that is not its subject, and an option or a day that the text has
    for the first one ("leave my two dogs at the kennel on Monday").
    """
    people = ONE_OF_MINE[language][1] | CHILDREN[language] | KIN[language]
    words = support.words - people
    if len(words) > 1 or support.subject:
        return support._replace(words=words)
    return support._replace(words=frozenset(), bound=support.bound if support.telling else 0, chosen=False)


def subjects(text: str, definitions: Sequence[Definition], understanding: Understanding) -> frozenset[str]:
    """The types whose subject a text names, in any of the languages, and does not deny."""
    current = tuple(Same(one) for one in definitions)
    found: set[str] = set()
    for language in dict.fromkeys((understanding.language, *LANGUAGES)):
        found |= {type_id for type_id, _ in _subjects_seen(spelled(text, language), current, language)}
    return frozenset(found)


def recalled(text: str, definitions: Sequence[Definition], understanding: Understanding) -> frozenset[str]:
    """The types of which a text asks what its sender has: "at what time is my appointment?"."""
    current = tuple(Same(one) for one in definitions)
    found: set[str] = set()
    for language in dict.fromkeys((understanding.language, *LANGUAGES)):
        seen = _subjects_seen(spelled(text, language), current, language)
        found |= {type_id for type_id, at in seen if recalls(text, at, language)}
    return frozenset(found)


def _subjects_seen(
    folded: Folded, current: tuple[Same[Definition], ...], language: Language
) -> Iterator[tuple[str, int]]:
    """The types whose subject is named, and the index of the token where it is."""
    vocabulary, clauses = _vocabulary(current, language), CLAUSES[language]
    for sighting in vocabulary.phrasing.seen(folded):
        type_id, _, word = sighting.id.partition("\n")
        if (type_id, word) in vocabulary.subjects and not clauses.denied(folded.tokens, sighting.first):
            yield type_id, sighting.first


def _support(
    definition: Definition,
    text: str,
    folded: Folded,
    current: tuple[Same[Definition], ...],
    understanding: Understanding,
) -> _Support | None:
    """What speaks for a definition; None: its words are denied."""
    language, clauses = understanding.language, CLAUSES[understanding.language]
    vocabulary = _vocabulary(current, language)
    told = allot(definition, text, understanding)
    bound = _bound(definition, told)
    words: dict[str, tuple[int, int]] = {}
    subject = False
    for sighting in vocabulary.phrasing.seen(folded):
        type_id, _, word = sighting.id.partition("\n")
        if type_id != definition.type_id:
            continue
        if sighting.likeness < SURE and folded.tokens[sighting.first].end - folded.tokens[sighting.first].start < _LONG:
            continue  # "lost" is no slip of "post"
        span = folded.span(sighting.first, sighting.last)
        if clauses.denied(folded.tokens, sighting.first):
            if (type_id, word) in vocabulary.denied or any(
                _names(definition, one, text, span, language) for one in bound
            ):
                words[word] = span
                continue
            return None
        if not clauses.undone(folded.tokens, sighting.first, sighting.last):
            words[word] = span
            subject = subject or (type_id, word) in vocabulary.subjects
    coded = len(told) > 1 and any(_is_code(definition, one.path) for one in bound)
    spans = tuple(words.values()) or tuple((one.start, one.end) for one in (told if coded else bound))
    telling = any(_tells(definition, one.path) for one in bound)
    chosen = any(isinstance(definition.slot(one.path), EnumSlot) and not one.doubts for one in told)
    whole = telling and _is_whole(text, bound, language)
    return _Support(frozenset(words), subject, len(bound), telling, coded, chosen, whole, spans)


def _names(definition: Definition, bound: Candidate, text: str, span: Span, language: Language) -> bool:
    """Whether a word only says what a code is, before it: "I never got order K-17" denies no complaint."""
    slot = definition.slot(bound.path)
    label = {token.text for token in fold(slot.label.get(language, "")).tokens}
    named = fold(text[span[0] : span[1]]).text in label and span[1] <= bound.start
    return named and _is_code(definition, bound.path) and len(text[span[1] : bound.start].split()) < _BESIDE


def _is_whole(text: str, bound: Sequence[Candidate], language: Language) -> bool:
    """Whether a message says nothing but the values of binding attributes, and words that lead to them."""
    kept = core(text, language, introduced=True)
    if kept is None or not bound or any(one.doubts for one in bound):
        return False
    start, end = kept
    for one in sorted(bound, key=lambda one: one.start):
        if not _is_led(text[start : one.start], language):
            return False
        start = one.end
    return not any(token.kind != "symbol" for token in fold(text[start:end]).tokens)


def _is_led(words: str, language: Language) -> bool:
    """Whether words between values only lead to the next one: "with", "on the"."""
    leading = TAILS[language] | UNNAMED
    return all(token.kind == "symbol" or token.text in leading for token in fold(words).tokens)


def _bound(definition: Definition, candidates: Collection[Candidate]) -> list[Candidate]:
    return [one for one in candidates if one.path in definition.binding_attributes]


def _tells(definition: Definition, path: str) -> bool:
    """Whether a value says by itself whose it is: a name out of a list, or a code."""
    return isinstance(definition.slot(path), RefSlot) or _is_code(definition, path)


def _is_code(definition: Definition, path: str) -> bool:
    slot = definition.slot(path)
    return isinstance(slot, StringSlot) and slot.pattern is not None


def _wished(folded: Folded, language: Language) -> bool:
    """Whether a message asks for something, or is too short for anything else."""
    tokens, table = folded.tokens, _WISHES[language]
    if sum(token.kind != "symbol" for token in tokens) <= _SHORT:
        return True
    return any(table.starting(tokens, at) is not None for at in range(len(tokens)))


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _joined(spans: Sequence[tuple[int, int]], text: str) -> tuple[int, int]:
    if not spans:
        return 0, len(text)
    return min(start for start, _ in spans), max(end for _, end in spans)


@lru_cache(maxsize=64)
def _vocabulary(definitions: tuple[Same[Definition], ...], language: Language) -> _Vocabulary:
    words: dict[str, tuple[str, ...]] = {}
    subjects: set[tuple[str, str]] = set()
    denied: set[tuple[str, str]] = set()
    for one in definitions:
        type_id, counted = one.it.type_id, _counted(one.it, language)
        words |= {f"{type_id}\n{word}": (word, *SYNONYMS[language].get(word, ())) for word in counted}
        subjects |= {(type_id, word) for word, count in counted.items() if count >= _SUBJECT}
        denied |= {(type_id, word) for word in _denied(one.it, language) if word in counted}
    return _Vocabulary(Phrasing(words, language), frozenset(subjects), frozenset(denied))


def _denied(definition: Definition, language: Language) -> set[str]:
    """The words that stand denied in a definition's own phrases and options."""
    options = (option for slot in definition.slots if isinstance(slot, EnumSlot) for option in slot.options.values())
    written = [*definition.intents.get(language, ()), *(one for option in options for one in option.get(language, ()))]
    return {
        token.text
        for tokens in (fold(phrase).tokens for phrase in written)
        for at, token in enumerate(tokens)
        if CLAUSES[language].denied(tokens, at)
    }


def _counted(definition: Definition, language: Language) -> Mapping[str, int]:
    """The words of a definition that mean something, and in how many phrases each is; those of a title in many."""
    count: Counter[str] = Counter()
    for phrase in definition.intents.get(language, ()):
        count.update(_meaningful(phrase, language))
    if language in definition.title:
        count.update(dict.fromkeys(_meaningful(definition.title[language], language), _SUBJECT))
    return count


def _meaningful(phrase: str, language: Language) -> set[str]:
    words = (token.text for token in fold(phrase).tokens if token.kind == "word")
    return {word for word in words if len(word) >= _LEAST_LETTERS and word not in LIGHT[language]}
