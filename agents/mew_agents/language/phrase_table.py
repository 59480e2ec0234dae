"""A table from phrases to what they say, looked up in the tokens of a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from mew_agents.language.folding import Token, fold

T = TypeVar("T")


def words_of(phrase: str) -> tuple[str, ...]:
    """The folded tokens of a phrase: "às 5 p.m." is as, 5, p, ., m, ."""
    return tuple(token.text for token in fold(phrase).tokens)


class PhraseTable(Generic[T]):
    """Phrases by their tokens. The first value given for a phrase stays."""

    def __init__(self, entries: Iterable[tuple[str, T]]) -> None:
        self._values: dict[tuple[str, ...], T] = {}
        for phrase, value in entries:
            self._values.setdefault(words_of(phrase), value)
        self._by_first: dict[str, tuple[int, ...]] = {}
        self._by_last: dict[str, tuple[int, ...]] = {}
        for words in self._values:
            self._by_first[words[0]] = _with_length(self._by_first.get(words[0], ()), len(words))
            self._by_last[words[-1]] = _with_length(self._by_last.get(words[-1], ()), len(words))

    def starting(self, tokens: Sequence[Token], at: int) -> tuple[int, T] | None:
        """The longest phrase whose first token is at index `at`: how many tokens it has, and its value."""
        if at >= len(tokens) or (lengths := self._by_first.get(tokens[at].text)) is None:
            return None
        for length in lengths:
            words = tuple(token.text for token in tokens[at : at + length])
            if words in self._values:
                return len(words), self._values[words]
        return None

    def ending(self, tokens: Sequence[Token], at: int) -> tuple[int, T] | None:
        """The longest phrase whose last token is at index `at`: how many tokens it has, and its value."""
        if at < 0 or (lengths := self._by_last.get(tokens[at].text)) is None:
            return None
        for length in lengths:
            words = tuple(token.text for token in tokens[max(0, at + 1 - length) : at + 1])
            if words in self._values:
                return len(words), self._values[words]
        return None


def _with_length(lengths: tuple[int, ...], length: int) -> tuple[int, ...]:
    return tuple(sorted({*lengths, length}, reverse=True))
