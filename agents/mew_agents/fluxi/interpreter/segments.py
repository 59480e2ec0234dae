"""What a text says outside of the stretches that are used, in pieces between its signs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mew_agents.fluxi.values import Span
from mew_agents.language.folding import Token, fold

_WITHIN: Final = frozenset("'-/&%$€£#+\"")  # signs that part no words
_SENTENCE_ENDS: Final = frozenset(".!?;")


class Segment(NamedTuple):
    """Tokens `first` to `last` of a text, with no sign and nothing used among them.

    `joined`: nothing but commas and the like lies between it and the segment before.
    """

    first: int
    last: int
    joined: bool


def segments(text: str, used: Sequence[Span]) -> list[Segment]:
    """The segments of a text, in its order."""
    folded = fold(text)
    found: list[Segment] = []
    first: int | None = None
    joined = False
    for at, token in enumerate(folded.tokens):
        taken = meets(folded.span(at, at), used)
        if first is not None and (taken or token.opens_line or _parts(token)):
            found.append(Segment(first, at - 1, joined))
            first, joined = None, not token.opens_line
        if taken or _parts(token):
            joined = joined and not taken and token.text not in _SENTENCE_ENDS
        elif first is None:
            first = at
    if first is not None:
        found.append(Segment(first, len(folded.tokens) - 1, joined))
    return found


def meets(span: Span, used: Sequence[Span]) -> bool:
    """Whether a stretch has something in common with one of the others."""
    return any(span[0] < stop and begin < span[1] for begin, stop in used)


def _parts(token: Token) -> bool:
    return token.kind == "symbol" and token.text not in _WITHIN
