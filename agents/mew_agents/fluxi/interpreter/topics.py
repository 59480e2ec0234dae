"""Which operation a text is about, when it has none of the phrases that ask for one: "need a parcel picked up".

The words of a definition's title and phrases are its vocabulary. Two of them, or one and a value that only the
operation takes, or one that is its subject in a message that wishes for something, are enough: the Work that opens
says back what it is about before it does anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import RefSlot, StringSlot
from mew_agents.fluxi.interpreter.allotment import allot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.intentions import Intention
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.words import LIGHT, WISHES
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import Folded, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.sightings import Phrasing

_SUBJECT = 3  # phrases that share a word: then it is what the operation is about
_SHORT = 5  # words of a message that is nothing but a request
_LIKENESS = 0.8
_LEAST_LETTERS = 4
_WISHES = {language: PhraseTable((phrase, None) for phrase in WISHES[language]) for language in LANGUAGES}


class _Vocabulary(NamedTuple):
    """The words of definitions, in one language, and those of them that are a subject."""

    phrasing: Phrasing
    subjects: frozenset[tuple[str, str]]


class _Support(NamedTuple):
    """What speaks for one definition: its words in the text, and values of its binding attributes."""

    words: frozenset[str]
    subject: bool
    bound: int
    telling: bool
    spans: tuple[tuple[int, int], ...]

    def suffices(self, *, wished: bool) -> bool:
        """Whether the message is about the operation."""
        if len(self.words) > 1:
            return True
        if self.words:
            return self.bound > 0 or (self.subject and wished)
        return self.bound > 1 and self.telling

    @property
    def weight(self) -> tuple[int, int]:
        """The more values and words, the likelier."""
        return self.bound + len(self.words), len(self.words)


def topic(text: str, definitions: Sequence[Definition], understanding: Understanding) -> Intention | None:
    """The operation that a text is about, in the first language whose words it uses. None: none, or it is denied."""
    current, folded = tuple(Same(one) for one in definitions), fold(text)
    denied: set[str] = set()
    for language in dict.fromkeys((understanding.language, *LANGUAGES)):
        spoken = replace(understanding, language=language)
        supports = {one.type_id: _support(one, text, folded, current, spoken) for one in definitions}
        denied |= {type_id for type_id, support in supports.items() if support is None}
        found = {type_id: one for type_id, one in supports.items() if one is not None and type_id not in denied}
        wished = _wished(folded, language)
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
    words: dict[str, tuple[int, int]] = {}
    subject = False
    for sighting in vocabulary.phrasing.seen(folded):
        type_id, _, word = sighting.id.partition("\n")
        if type_id != definition.type_id:
            continue
        if clauses.denied(folded.tokens, sighting.first):
            return None
        if not clauses.undone(folded.tokens, sighting.first, sighting.last):
            words[word] = folded.span(sighting.first, sighting.last)
            subject = subject or (type_id, word) in vocabulary.subjects
    bound = _bound(definition, allot(definition, text, understanding))
    spans = tuple(words.values()) or tuple((one.start, one.end) for one in bound)
    telling = any(_tells(definition, one.path) for one in bound)
    return _Support(frozenset(words), subject, len(bound), telling, spans)


def _bound(definition: Definition, candidates: Collection[Candidate]) -> list[Candidate]:
    return [one for one in candidates if one.path in definition.binding_attributes]


def _tells(definition: Definition, path: str) -> bool:
    """Whether a value says by itself whose it is: a name out of a list, or a code."""
    slot = definition.slot(path)
    return isinstance(slot, RefSlot) or (isinstance(slot, StringSlot) and slot.pattern is not None)


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
    for one in definitions:
        type_id, counted = one.it.type_id, _counted(one.it, language)
        words |= {f"{type_id}\n{word}": (word,) for word in counted}
        subjects |= {(type_id, word) for word, count in counted.items() if count >= _SUBJECT}
    return _Vocabulary(Phrasing(words, language), frozenset(subjects))


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
