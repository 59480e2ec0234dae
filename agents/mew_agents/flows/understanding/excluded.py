"""Values that a message leaves out of what is wanted: "any day but monday", "menos el lunes"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mew_agents.flows.understanding.unplaced_words import EXCLUDING
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.places import token_at
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable

_BETWEEN: Final = frozenset(
    ("el", "la", "los", "las", "o", "a", "os", "as", "the", "on", "in", "en", "em", "na", "no", "de", "del", "do", "da")
)


def excluded(text: str, language: Language, spans: Sequence[Span]) -> Iterator[Span]:
    """Those of the spans that are left out, each with the words that say so."""
    folded = fold(text)
    tokens = folded.tokens
    for start, end in spans:
        at = token_at(folded, start) - 1
        while at >= 0 and tokens[at].text in _BETWEEN and _EXCLUDES[language].ending(tokens, at) is None:
            at -= 1
        known = _EXCLUDES[language].ending(tokens, at)
        first = 0 if known is None else at + 1 - known[0]
        # "but" at the beginning, or behind a sign, is no "any … but".
        if known is not None and first > 0 and tokens[first - 1].kind == "word":
            yield folded.span(first, first)[0], end


def after_excluding(text: str, language: Language) -> Iterator[tuple[int, Span]]:
    """Where words that leave something out begin, and what stands behind them to the end of the clause: it is read by
    itself, because a word may be a value only when nothing stands around it ("sexta" is a Friday and a sixth).
    """
    folded = fold(text)
    tokens = folded.tokens
    for at in range(1, len(tokens)):
        known = _EXCLUDES[language].starting(tokens, at)
        if known is None or tokens[at - 1].kind != "word":
            continue
        after = at + known[0]
        while after < len(tokens) and tokens[after].text in _BETWEEN:
            after += 1
        if after < len(tokens):
            begin = folded.span(after, after)[0]
            ends = _CLAUSE_END.search(text, begin)
            yield folded.span(at, at)[0], (begin, len(text) if ends is None else ends.start())


_CLAUSE_END: Final = re.compile(r"[,.;!?\n]")
_EXCLUDES: Final = {language: PhraseTable((one, None) for one in EXCLUDING[language]) for language in LANGUAGES}
