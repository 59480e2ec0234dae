"""When two calls of tools are the same: as JSON, and texts without what nobody reads in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from .cases import WHOLE, Call

# `{about: words}` in a goal, and how many words a text may have besides.
ABOUT: Final = "about"
_MORE: Final = 8
_OUTER: Final = " \t\n.,;:!?¡¿…\"'“”«»()"


def fold(text: str) -> str:
    """A text without capitals, accents, runs of white space, and punctuation around it."""
    plain = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return re.sub(r"\s+", " ", plain).casefold().strip(_OUTER)


def same(wanted: Any, found: Any, whole: Sequence[str] = ()) -> bool:
    """Whether a value is the wanted one. `whole`: the texts that the whole message may stand for."""
    if wanted == WHOLE:
        return isinstance(found, str) and any(fold(found) == fold(text) for text in whole)
    if isinstance(wanted, str) and isinstance(found, str):
        return fold(wanted) == fold(found)
    if isinstance(wanted, Mapping) and wanted.keys() == {ABOUT}:
        return isinstance(found, str) and _is_about(fold(wanted[ABOUT]), fold(found))
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        return wanted.keys() == found.keys() and all(same(wanted[key], found[key], whole) for key in wanted)
    return bool(wanted == found) and isinstance(wanted, bool) == isinstance(found, bool)


def _is_about(words: str, found: str) -> bool:
    """Whether a text has these words, uncut, and few others: whoever says them puts an article or a verb before."""
    return f" {words} " in f" {found} " and len(found.split()) <= len(words.split()) + _MORE


def same_call(wanted: Call, found: Call, whole: Sequence[str] = ()) -> bool:
    """Whether a call is the wanted one."""
    return wanted.tool == found.tool and same(wanted.arguments, found.arguments, whole)


def unmatched(wanted: Iterable[Call], found: Iterable[Call], whole: Sequence[str] = ()) -> list[Call]:
    """The wanted calls that were not made; each that was made counts once."""
    left = list(found)
    missing = []
    for one in wanted:
        match = next((call for call in left if same_call(one, call, whole)), None)
        if match is None:
            missing.append(one)
        else:
            left.remove(match)
    return missing


def unwanted(wanted: Iterable[Call], found: Iterable[Call], whole: Sequence[str] = ()) -> list[Call]:
    """The calls that were made and not wanted."""
    left = list(wanted)
    wrong = []
    for one in found:
        match = next((call for call in left if same_call(call, one, whole)), None)
        if match is None:
            wrong.append(one)
        else:
            left.remove(match)
    return wrong
