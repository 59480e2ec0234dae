"""Codes in another form than their pattern's: "A1001" or "a 1001" for "A-1001", and "1001", which cannot be mended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from mew_agents.fluxi.definitions.slots import StringSlot
from mew_agents.fluxi.values.answer import core
from mew_agents.fluxi.values.cues import follows_cue
from mew_agents.fluxi.values.labels import follows_label
from mew_agents.fluxi.values.reading import Span
from mew_agents.fluxi.values.strings import cased
from mew_agents.fluxi.values.words import TAILS
from mew_agents.language.folding import fold
from mew_agents.language.found import Language

# Letters and figures with at most a sign or a blank between them, and a figure among them.
_RUN: Final = re.compile(r"(?<![\w@./-])(?:[^\W\d_]{1,3} (?=\d))?[^\W_]+(?: ?[-./#] ?[^\W_]+){0,3}(?![\w@]|[./-]\w)")
_SIGNS: Final = "-./# "
_LONGEST: Final = 24  # letters and figures
_MOST_SIGNS: Final = 2


_LEAST = 2  # signs of what may be a code that is misshapen


def mended(slot: StringSlot, text: str, language: Language, *, asked: bool) -> Iterator[tuple[Span, str]]:
    """The codes that lack only signs, or have others: where each stands, and as the pattern wants it.

    One with a blank in it, or in small letters, counts only if it was asked for or the slot is named before it.
    """
    for start, end in _runs(text):
        written = text[start:end]
        forms = _forms(slot.pattern or "", "".join(sign for sign in written if sign.isalnum()))
        plain = " " not in written and written == written.upper()
        if len(forms) == 1 and (plain or asked or _is_named(slot, text, start, language)):
            yield (start, end), forms.pop()


def misshapen(slot: StringSlot, text: str, language: Language, *, asked: bool) -> Iterator[Span]:
    """What stands where a code would, and is none: behind the slot's name or its cue, or as the whole answer."""
    answer = core(text, language, introduced=True) if asked else None
    for start, end in (_figure(text, span, language) for span in _runs(text)):
        few = end - start < _LEAST and (start, end) != answer
        if not few and (_is_named(slot, text, start, language) or (start, end) == answer):
            yield start, end


def _runs(text: str) -> Iterator[Span]:
    return (match.span() for match in _RUN.finditer(text) if any(sign.isdigit() for sign in match[0]))


def _figure(text: str, span: Span, language: Language) -> Span:
    """A run without the little word before it: "de 1001"."""
    word, blank, _ = text[span[0] : span[1]].partition(" ")
    return (span[0] + len(word) + 1, span[1]) if blank and fold(word).text in TAILS[language] else span


def _is_named(slot: StringSlot, text: str, start: int, language: Language) -> bool:
    return follows_label(slot, text, start, language) or follows_cue(slot, text, start, language)


def _forms(pattern: str, letters: str) -> set[str]:
    """All that the pattern takes of these letters and figures with at most two signs put between them."""
    if not 1 < len(letters) <= _LONGEST:
        return set()
    found: set[str] = set()
    signs = [sign for sign in _SIGNS if sign in pattern]
    for many in range(_MOST_SIGNS + 1):
        for places in combinations(range(1, len(letters)), many):
            for sign in signs if many else ("",):
                pieces = [letters[a:b] for a, b in zip((0, *places), (*places, len(letters)), strict=True)]
                value = cased(pattern, sign.join(pieces))
                if value is not None:
                    found.add(value)
        if found:
            return found
    return found
