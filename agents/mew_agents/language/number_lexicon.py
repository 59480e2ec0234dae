"""The words of numbers in a language, folded, with what each does in a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.value_words import VOCABULARIES
from mew_agents.language.value_words.vocabulary import NumberWords

# one: below 30; hundreds: 100 to 900 as one word; hundred: multiplies what is before it; scale: thousand and above.
Role: TypeAlias = Literal["one", "ten", "hundreds", "hundred", "scale", "dozen", "half", "article"]


@dataclass(frozen=True, slots=True)
class NumberLexicon:
    """`roles` gives a folded word's role and value. An article is a one that may just stand before a noun."""

    words: NumberWords
    roles: Mapping[str, tuple[Role, int]]
    joins: frozenset[str]
    counting_articles: frozenset[str]  # "un", "one"; not "a", which counts only what multiplies
    bare_scales: frozenset[str]
    unsure_halves: frozenset[str]

    def role(self, word: str) -> Role | None:
        """The role of a folded word; None: no word of numbers."""
        known = self.roles.get(word)
        return None if known is None else known[0]


def _lexicon(words: NumberWords) -> NumberLexicon:
    roles: dict[str, tuple[Role, int]] = {}
    roles.update(_entries("one", words.ones))
    roles.update(_entries("ten", words.tens))
    roles.update(_entries("hundreds", words.hundreds))
    roles.update(_entries("scale", words.scales))
    roles.update(_entries("dozen", dict.fromkeys(words.dozens, 12)))
    roles.update(_entries("half", dict.fromkeys(words.halves, 0)))
    counting = _folded(article for article in words.articles if article in words.ones)
    roles.update(_entries("article", dict.fromkeys(words.articles, 1)))
    roles.update(_entries("hundred", {words.hundred: 100} if words.hundred else {}))
    return NumberLexicon(
        words, roles, _folded(words.joins), counting, _folded(words.bare_scales), _folded(words.unsure_halves)
    )


def _entries(role: Role, values: Mapping[str, int]) -> dict[str, tuple[Role, int]]:
    return {fold(word).text: (role, value) for word, value in values.items()}


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(fold(word).text for word in words)


NUMBER_LEXICONS: dict[Language, NumberLexicon] = {
    language: _lexicon(VOCABULARIES[language].numbers) for language in LANGUAGES
}
