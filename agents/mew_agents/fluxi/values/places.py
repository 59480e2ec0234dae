"""Where an offset of a text is among its tokens."""

from __future__ import annotations

from bisect import bisect_left

from mew_agents.language.folding import Folded


def token_at(folded: Folded, offset: int) -> int:
    """The index of the first token that starts there in the original, or later; the number of tokens if none does."""
    return bisect_left(range(len(folded.tokens)), offset, key=lambda at: folded.span(at, at)[0])
