"""The whole answer to a question for a name, which is the name also if it has an option or a day in it."""

from __future__ import annotations

from typing import Final, NamedTuple

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import StringSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.addresses import is_address
from mew_agents.fluxi.values.answer import core
from mew_agents.fluxi.values.words import OF, STOPS, TAILS
from mew_agents.language.dates import dates
from mew_agents.language.folding import fold
from mew_agents.language.naming import NAMINGS

_LONGEST: Final = 5  # words
_LONGEST_SMALL: Final = 3  # words of a name in small letters
_NEARBY: Final = frozenset(("hoy", "manana", "ayer", "hoje", "amanha", "ontem", "today", "tomorrow", "yesterday"))


class NamedAnswer(NamedTuple):
    """Where the name stands. `certain`: nothing else can be meant."""

    span: Span
    certain: bool


def named_answer(definition: Definition, text: str, understanding: Understanding) -> NamedAnswer | None:
    """The name that a message is, if a name was asked for: words with capitals, few small ones, or a day alone.

    The last two are asked back where they have an option or are a day: "don gato", "Sunday".
    """
    language = understanding.language
    asked = next((slot for slot in definition.slots if slot.path == understanding.asked), None)
    if not isinstance(asked, StringSlot) or asked.type != "string" or asked.pattern or is_address(asked, language):
        return None
    span = core(text, language, introduced=True)
    if span is None:
        return None
    folded = fold(text[slice(*span)])
    words = [token for token in folded.tokens if token.text not in "'’-."]
    if any(token.kind != "word" for token in words):
        return None
    if len(words) == 1:
        found = dates(text[slice(*span)], language, now=understanding.now)
        is_day = any(one.end - one.start == span[1] - span[0] for one in found) and words[0].text not in _NEARBY
        return NamedAnswer(span, certain=False) if is_day else None
    said = [token for token in words if token.text not in OF[language]]
    capitals = all(folded.original[folded.origin(one.start, one.end)[0]].isupper() for one in said)
    if len(words) > _LONGEST or any(one.text in STOPS[language] for one in said):
        return None
    if capitals and not text.isupper():
        return NamedAnswer(span, certain=True)
    common = TAILS[language] | (NAMINGS[language].common - NAMINGS[language].titles)
    small = len(words) <= _LONGEST_SMALL and not any(one.text in common for one in said)
    return NamedAnswer(span, certain=False) if small else None
