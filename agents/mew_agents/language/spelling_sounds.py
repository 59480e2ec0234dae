"""How a folded word sounds, so that two spellings of one sound are the same: "kiero" and "quiero", "embiar",
"presiso"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from mew_agents.language.found import Language

# Expressions and what they become, one after the other.
_WRITTEN: Final[Mapping[Language, tuple[tuple[str, str], ...]]] = {
        "es": (
            (r"ch", "X"), (r"qu(?=[ei])", "k"), (r"gu(?=[ei])", "G"), (r"g(?=[ei])", "j"), (r"c(?=[ei])", "s"),
            (r"z", "s"), (r"[cq]", "k"), (r"h", ""), (r"[nm](?=[vbp])", "m"), (r"v", "b"), (r"ll", "y"), (r"w", "gu"),
            (r"ph", "f"), (r"(.)\1", r"\1"),
        ),
        "pt": (
            (r"ch", "x"), (r"qu(?=[ei])", "k"), (r"gu(?=[ei])", "G"), (r"g(?=[ei])", "j"), (r"c(?=[ei])", "s"),
            (r"(?:ss|z)", "s"), (r"[cq]", "k"), (r"^h", ""), (r"[nm](?=[bp])", "m"), (r"(?:aum|am|aun)$", "ao"),
            (r"w", "v"), (r"y", "i"), (r"(.)\1", r"\1"),
        ),
        "en": (
            (r"ph", "f"), (r"ck", "k"), (r"c(?=[eiy])", "s"), (r"c(?!h)", "k"), (r"q", "k"), (r"z", "s"),
            (r"wh", "w"), (r"gh", ""), (r"(?:ea|ee|ie|ei)", "i"), (r"oo|ou", "u"), (r"y$", "i"), (r"(.)\1", r"\1"),
            (r"e$", ""),
        ),
}  # fmt: skip
_RULES: Final = {
    language: tuple((re.compile(pattern), becomes) for pattern, becomes in rules)
    for language, rules in _WRITTEN.items()
}


@lru_cache(maxsize=4096)
def sound(word: str, language: Language) -> str:
    """The sound of a folded word."""
    for pattern, becomes in _RULES[language]:
        word = pattern.sub(becomes, word)
    return word
