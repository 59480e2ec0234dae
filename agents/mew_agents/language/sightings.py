"""Phrases of a list, seen in a text although it bends, misspells or stretches them: "agendame un turno"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.naming import NAMINGS
from mew_agents.language.nearness import Nearby
from mew_agents.language.value_words import VOCABULARIES

SURE = 0.85  # likeness from which on a phrase that was put otherwise is not doubted
BENT = 0.95  # likeness of another form of the same word
_MAX_FILLERS = 2
_MIN_STEM = 4  # letters
_HYPHEN = "-"  # may stand between the words of a phrase, in the text or where the phrase is written
# Words that are meant where a phrase has them, though they may stand inside any other.
_ANOTHER = frozenset(("otro", "otra", "outro", "outra", "another", "new", "nuevo", "nueva", "novo", "nova"))


class Sighting(NamedTuple):
    """A phrase of `id`, from token `first` to token `last`, with its likeness from 0 to 1."""

    id: str
    first: int
    last: int
    likeness: float


class Phrasing:
    """Phrases by id, in one language, to look for in texts."""

    def __init__(self, phrases: Mapping[str, Sequence[str]], language: Language) -> None:
        self._language = language
        self._fillers = _FILLERS[language]
        self._everyday = frozenset[str]().union(*(NAMINGS[spoken].common for spoken in LANGUAGES))
        self._starting: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        words: dict[str, None] = {}
        for id_, written in phrases.items():
            for phrase in dict.fromkeys(map(self._words, written)):
                self._starting.setdefault(phrase[0], []).append((id_, phrase))
                words.update(dict.fromkeys(phrase))
        self._words_known = words
        self._by_stem: dict[str, list[str]] = {}
        for word in words:
            self._by_stem.setdefault(stem(word, language), []).append(word)
        self._nearby = Nearby(words)

    def seen(self, folded: Folded) -> list[Sighting]:
        """All phrases in a text, in its order; of those that lie inside another, only the other."""
        tokens = folded.tokens
        forms = [self._forms(token) if folded.stands_alone(at, at) else {} for at, token in enumerate(tokens)]
        seen = [
            sighting
            for at, known in enumerate(forms)
            for word in known
            for sighting in self._from(forms, tokens, at, word)
        ]
        return list(outermost(seen))

    def _words(self, phrase: str) -> tuple[str, ...]:
        words = tuple(token.text for token in fold(phrase).tokens if token.kind != "symbol")
        kept = tuple(word for word in words if word not in self._fillers or word in _ANOTHER)
        return kept if sum(map(len, kept)) >= _MIN_STEM else words  # "I'm" alone says nothing of "I'm new"

    def _forms(self, token: Token) -> dict[str, float]:
        """The words of phrases that a token is a form of, with its likeness."""
        if token.text in self._words_known:
            return {token.text: 1.0}
        if token.kind != "word":
            return {}
        bent = self._by_stem.get(stem(token.text, self._language))
        if bent:
            return dict.fromkeys(bent, BENT)
        return {} if token.text in self._everyday else dict(self._nearby.near(token.text))

    def _from(
        self, forms: Sequence[Mapping[str, float]], tokens: Sequence[Token], at: int, word: str
    ) -> Iterator[Sighting]:
        for id_, phrase in self._starting.get(word, ()):
            last, likeness = at, forms[at][word]
            for wanted in phrase[1:]:
                following = last + 1
                while (
                    following < min(len(tokens), last + 1 + _MAX_FILLERS)
                    and wanted not in forms[following]
                    and (tokens[following].text in self._fillers or tokens[following].text == _HYPHEN)
                ):
                    following += 1
                if following >= len(tokens) or wanted not in forms[following]:
                    break
                last, likeness = following, likeness + forms[following][wanted]
            else:
                yield Sighting(id_, at, last, likeness / len(phrase))


def stem(word: str, language: Language) -> str:
    """What the forms of a word share, as far as its ending tells: "reservar" and "reservame" are reserv."""
    for length in _ENDING_LENGTHS[language]:
        if len(word) - length >= _MIN_STEM and word[-length:] in _ENDINGS[language]:
            return word[:-length]
    return word


def outermost(seen: Iterable[Sighting]) -> Iterator[Sighting]:
    """In the text's order, without what lies inside a longer one that begins before it or with it."""
    end = -1
    longest: tuple[int, int] = (-1, -1)
    for sighting in sorted(seen, key=lambda sighting: (sighting.first, -sighting.last)):
        place = (sighting.first, sighting.last)
        if sighting.last > end or place == longest:
            end, longest = sighting.last, place
            yield sighting


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(fold(word).text for word in words)


_FILLERS = {language: _folded(VOCABULARIES[language].phrases.fillers) for language in LANGUAGES}
_ENDINGS = {language: _folded(VOCABULARIES[language].phrases.endings) for language in LANGUAGES}
_ENDING_LENGTHS = {
    language: sorted({len(ending) for ending in endings}, reverse=True) for language, endings in _ENDINGS.items()
}
