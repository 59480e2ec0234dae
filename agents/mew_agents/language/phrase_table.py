"""A table from phrases to what they say, looked up in the tokens of a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from mew_agents.language.folding import Token, fold

T = TypeVar("T")


def words_of(phrase: str) -> tuple[str, ...]:
    """The folded tokens of a phrase: "às 5 p.m." is as, 5, p, ., m, ."""
    return tuple(token.text for token in fold(phrase).tokens)


class _Index(NamedTuple, Generic[T]):
    """Values by the words of a phrase, and the lengths of phrases by their first and last word."""

    values: dict[tuple[str, ...], T]
    by_first: dict[str, tuple[int, ...]]
    by_last: dict[str, tuple[int, ...]]


class PhraseTable(Generic[T]):
    """Phrases by their tokens. The first value given for a phrase stays.

    The table is built when it is first asked: a process imports some two hundred of them, and asks a few.
    """

    def __init__(self, entries: Iterable[tuple[str, T]]) -> None:
        self._entries = tuple(entries)

    @cached_property
    def _index(self) -> _Index[T]:
        index = _Index[T]({}, {}, {})
        for phrase, value in self._entries:
            index.values.setdefault(words_of(phrase), value)
        for words in index.values:
            for by, word in ((index.by_first, words[0]), (index.by_last, words[-1])):
                by[word] = _with_length(by.get(word, ()), len(words))
        return index

    def starting(self, tokens: Sequence[Token], at: int) -> tuple[int, T] | None:
        """The longest phrase whose first token is at index `at`: how many tokens it has, and its value."""
        index = self._index
        if at >= len(tokens) or (lengths := index.by_first.get(tokens[at].text)) is None:
            return None
        for length in lengths:
            words = tuple(token.text for token in tokens[at : at + length])
            if words in index.values:
                return len(words), index.values[words]
        return None

    def ending(self, tokens: Sequence[Token], at: int) -> tuple[int, T] | None:
        """The longest phrase whose last token is at index `at`: how many tokens it has, and its value."""
        index = self._index
        if at < 0 or (lengths := index.by_last.get(tokens[at].text)) is None:
            return None
        for length in lengths:
            words = tuple(token.text for token in tokens[max(0, at + 1 - length) : at + 1])
            if words in index.values:
                return len(words), index.values[words]
        return None


def _with_length(lengths: tuple[int, ...], length: int) -> tuple[int, ...]:
    return tuple(sorted({*lengths, length}, reverse=True))
