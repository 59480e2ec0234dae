"""What a message wants done, by the words that a definition gives for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import Folded, fold
from mew_agents.language.found import Doubt, Found, Language
from mew_agents.language.numbers import confidence
from mew_agents.language.sightings import SURE, Phrasing, Sighting
from mew_agents.language.spelling import spelled


def intents(text: str, words: Mapping[str, Sequence[str]], language: Language) -> list[Found[str]]:
    """The keys of `words` (type id: phrases in this language) that a text asks for. For many texts keep `Intents`."""
    return Intents(words, language).found(text)


class Intents:
    """Phrases by type id in a language, indexed."""

    def __init__(self, words: Mapping[str, Sequence[str]], language: Language) -> None:
        """`words`: type id to phrases, such as "agendar turno" or "reservar hora"; verbs best as infinitives."""
        self._phrasing = Phrasing(words, language)
        self._language: Language = language
        self._clauses = CLAUSES[language]
        self._undoing = {id_ for id_, phrases in words.items() if any(self._undoes(phrase) for phrase in phrases)}

    def found(self, text: str) -> list[Found[str]]:
        """The type ids asked for, each once, in the text's order. The evidence is the phrase's words.

        A denied phrase is not asked for ("no quiero agendar"), nor one whose clause cancels or changes something,
        unless the type's own phrases do. Doubts: "ambiguous" when the same words ask for several types
        (`alternatives`), "approximate" when they are put too differently.
        """
        folded = spelled(text, self._language)
        best: dict[str, Sighting] = {}
        for sighting in self._phrasing.seen(folded):
            if self._is_meant(folded, sighting) and _weight(sighting) > _weight(best.get(sighting.id)):
                best[sighting.id] = sighting
        return merged(folded, sorted(best.values(), key=lambda sighting: sighting.first))

    def _undoes(self, phrase: str) -> bool:
        return any(self._clauses.undoes(token.text) for token in fold(phrase).tokens)

    def _is_meant(self, folded: Folded, sighting: Sighting) -> bool:
        if self._clauses.denied(folded.tokens, sighting.first):
            return False
        undone = sighting.id not in self._undoing and self._clauses.undone(folded.tokens, sighting.first, sighting.last)
        return not undone


def _weight(sighting: Sighting | None) -> tuple[int, float]:
    """The longer the better, then the likelier."""
    return (sighting.last - sighting.first, sighting.likeness) if sighting is not None else (-1, 0.0)


def merged(folded: Folded, sightings: Sequence[Sighting], *, sure: float = SURE) -> list[Found[str]]:
    """Sightings in the text's order as findings: those of the same words are readings of one. `sure`: the likeness
    from which on one is not doubted.
    """
    found: list[Found[str]] = []
    places: dict[tuple[int, int], list[Sighting]] = {}
    for sighting in sightings:
        places.setdefault((sighting.first, sighting.last), []).append(sighting)
    for (first, last), readings in places.items():
        likeness = max(reading.likeness for reading in readings)
        ids = dict.fromkeys(reading.id for reading in readings if reading.likeness == likeness)
        doubts: tuple[Doubt, ...] = ("ambiguous",) if len(ids) > 1 else ()
        if likeness < sure:
            doubts += ("approximate",)
        value, *others = ids
        start, end = folded.span(first, last)
        found.append(Found(value, start, end, min(likeness, confidence(doubts)), tuple(others), doubts))
    return found
