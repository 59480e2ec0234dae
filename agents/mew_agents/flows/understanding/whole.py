"""A whole message that says one thing: nothing stands in it but its phrases, politeness and words that say nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mew_agents.language.folding import Folded
from mew_agents.language.phrase_table import PhraseTable

Span: TypeAlias = tuple[int, int]


class Whole:
    """Phrases that make a message up, and padding that may stand around them."""

    def __init__(self, said: Iterable[str], padding: Iterable[str] = ()) -> None:
        self._table = PhraseTable((*((phrase, True) for phrase in said), *((phrase, False) for phrase in padding)))

    def is_said(self, folded: Folded, *, beside: Sequence[Span] = ()) -> bool:
        """Whether a message is made of this, and at least one phrase is no padding. `beside`: stretches of the
        original that are understood otherwise, and may stand in it as well.
        """
        found = self._found(folded, beside)
        return found is not None and any(found)

    def begins(self, folded: Folded) -> bool:
        """Whether a message begins with any of it."""
        tokens = folded.tokens
        first = next((at for at, token in enumerate(tokens) if token.kind != "symbol"), len(tokens))
        return self._table.starting(tokens, first) is not None

    def covers(self, folded: Folded, beside: Sequence[Span]) -> bool:
        """Whether nothing else stands beside these stretches."""
        return self._found(folded, beside) is not None

    def _found(self, folded: Folded, beside: Sequence[Span]) -> list[bool] | None:
        """For each phrase of the message whether it says it. None: the message goes on about something else."""
        tokens, found, at = folded.tokens, list[bool](), 0
        while at < len(tokens):
            if tokens[at].kind == "symbol" or within(folded, at, beside):
                at += 1
                continue
            known = self._table.starting(tokens, at)
            if known is None or not folded.stands_alone(at, at + known[0] - 1):
                return None
            found.append(known[1])
            at += known[0]
        return found


def within(folded: Folded, at: int, spans: Sequence[Span]) -> bool:
    """Whether a token stands in one of these stretches of the original."""
    if not spans:
        return False
    start = folded.span(at, at)[0]
    return any(begin <= start < end for begin, end in spans)
