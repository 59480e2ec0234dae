"""The sentence that a word stands in."""

from __future__ import annotations

from mew_agents.language.folding import fold

_ENDS = frozenset(".!?")


def sentence(text: str, at: int) -> tuple[int, int]:
    """From where to where the sentence goes that the token of that index is in, with the sign at its end."""
    folded = fold(text)
    tokens = folded.tokens
    first, last = at, at
    while first > 0 and tokens[first - 1].text not in _ENDS and not tokens[first].opens_line:
        first -= 1
    while last + 1 < len(tokens) and tokens[last].text not in _ENDS and not tokens[last + 1].opens_line:
        last += 1
    return folded.span(first, last)
