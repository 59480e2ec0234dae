"""Normaliser: a text as folded words, with the breaks of sentences, and whether it asks."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

# Characters of a text that are read; what comes after is cut, so that no text takes longer than this one.
LONGEST = 1_000

# A quotation is what another person said, not what the writer wants: one word that no rule knows.
QUOTATION = "<quoted>"
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»|‘[^’]*’|`[^`]*`|(?<!\w)\'[^\']{1,80}\'(?!\w)')
_REPEATED = re.compile(r"([^\W\d_])\1\1+")
_APOSTROPHE = re.compile(r"(?<=\w)['’´`](?=\w)")
_TOKEN = re.compile(rf"{QUOTATION}|[\w-]+|[🛑✋⛔]|[?¿.!¡;:,\n()—–]")
_BREAKS = "?¿.!¡;:,\n()—–-"


class Wording(NamedTuple):
    """`words` without accents, capitals and repeated letters; `breaks[i]` says that punctuation stands before word i,
    and the last item of it is True; `asked`: there is a question mark outside quotations.
    """

    words: tuple[str, ...]
    breaks: tuple[bool, ...]
    asked: bool

    def clause_end(self, start: int, *, at_most: int = LONGEST) -> int:
        """Return the index after the clause's last word, from word `start`, or `at_most` words from it."""
        last = min(start + at_most, len(self.words))
        return next((index for index in range(start + 1, last) if self.breaks[index]), last)


def fold(text: str) -> str:
    """Return a text in lower case without accents and repeated letters ("stoooop", "Pará")."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    return _REPEATED.sub(r"\1", plain)


def wording(text: str) -> Wording:
    """Normalise a text. Of one longer than `LONGEST` characters only the beginning is read."""
    # Cut twice: one character may unfold into eighteen.
    folded = fold(_QUOTED.sub(QUOTATION, _APOSTROPHE.sub("", text[:LONGEST])))[:LONGEST]
    words: list[str] = []
    breaks: list[bool] = []
    broken = True
    for token in _TOKEN.findall(folded):
        if word := token.strip(_BREAKS + "_"):
            words.append(word)
            breaks.append(broken)
        broken = not word
    return Wording(tuple(words), (*breaks, True), "?" in folded or "¿" in folded)
