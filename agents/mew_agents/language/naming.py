"""What stands around names in a language: titles, what joins a name, and words that are never one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mew_agents.language.folding import Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.value_words import VOCABULARIES

Gender: TypeAlias = Literal["woman", "man"]

# Folded titles that say which. A namesake is told by them: "la Dra. Pérez" where there is a Dr. Pérez as well.
_GENDERS: Mapping[Language, Mapping[Gender, str]] = {
    "es": {"woman": "dra doctora sra senora srta senorita dona profesora", "man": "dr doctor sr senor don profesor"},
    "pt": {"woman": "dra doutora sra senhora dona profa professora", "man": "dr doutor sr senhor seu prof professor"},
    "en": {"woman": "mrs ms miss madam", "man": "mr sir"},
}


@dataclass(frozen=True, slots=True)
class Naming:
    """The words around names, folded."""

    titles: frozenset[str]
    particles: frozenset[str]
    introducers: frozenset[str]
    common: frozenset[str]
    genders: Mapping[str, Gender]

    def titled(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a title stands before the token: "Dra. Pérez"."""
        before = before_the_point(tokens, at)
        return before >= 0 and tokens[before].text in self.titles

    def gender(self, tokens: Sequence[Token], at: int) -> Gender | None:
        """What the title before the token says of whoever is named: "Dra. Pérez" is no man."""
        before = before_the_point(tokens, at)
        return self.genders.get(tokens[before].text) if before >= 0 else None

    def introduced(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether what stands before the token makes a name likely: a title, or "con"."""
        before = before_the_point(tokens, at)
        return before >= 0 and (tokens[before].text in self.introducers or tokens[before].text in self.titles)


def before_the_point(tokens: Sequence[Token], at: int) -> int:
    """Where the word before a token is, over the point of an abbreviation; -1: none is."""
    return at - 2 if at > 1 and tokens[at - 1].text == "." else at - 1


def _naming(language: Language) -> Naming:
    words = VOCABULARIES[language]
    polite = frozenset(token.text for phrase in words.answers.polite for token in fold(phrase).tokens)
    return Naming(
        _folded(words.names.titles),
        _folded(words.names.particles),
        _folded(words.names.introducers),
        _folded(words.names.common) | polite,
        {title: gender for gender, titles in _GENDERS[language].items() for title in titles.split()},
    )


def _folded(words: Sequence[str]) -> frozenset[str]:
    return frozenset(fold(word).text for word in words)


NAMINGS: dict[Language, Naming] = {language: _naming(language) for language in LANGUAGES}
# Words of names that identify nobody, in any language.
UNNAMED: frozenset[str] = frozenset().union(*(naming.titles | naming.particles for naming in NAMINGS.values()))
