"""The parts of a correction that says several things: "no, 80 and to Lucía", "no, Cusco y 31".

Each part is read by itself, as if it were the whole correction. A joint inside of a value ("treinta y uno", "10 y
media") parts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from mew_agents.flows.understanding.amends import amended
from mew_agents.flows.understanding.base import Standing
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.values import Attention, Span
from mew_agents.language.found import Language
from mew_agents.language.numbers import numbers

_JOINTS: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(r"(?i)[,;.]?\s+(?:y|e)\s+|[,;]\s+"),
    "pt": re.compile(r"(?i)[,;.]?\s+e\s+|[,;]\s+"),
    "en": re.compile(r"(?i)[,;.]?\s+(?:and|&)\s+|[,;]\s+"),
}
_MOST: Final = 6  # parts of one correction
_LONGEST: Final = 300  # characters of a message whose parts are looked at
_NAME: Final = re.compile(r"[^\W\d_a-zà-ÿ][\w'’-]+(?: (?:(?:de|del|la|da|do|dos) )*[^\W\d_a-zà-ÿ][\w'’-]+){0,3}")


def parted(text: str, definition: Definition, standing: Standing, language: Language) -> Sequence[Span]:
    """Where the parts stand, without the words at the head that only say that something is corrected. Empty: the
    message is one part.
    """
    if len(text) > _LONGEST:
        return ()
    counts = amended(text, language)
    inside = _values(text, definition, standing, language)
    begin = counts.start
    found: list[Span] = []
    for joint in _JOINTS[language].finditer(text, counts.start, counts.end):
        if any(start < joint.end() and joint.start() < end for start, end in inside):
            continue
        if text[begin : joint.start()].strip():
            found.append((begin, joint.start()))
        begin = joint.end()
    found.append((begin, counts.end))
    return found if 1 < len(found) <= _MOST else ()


def named_alone(text: str, start: int, end: int, definition: Definition, standing: Standing) -> dict[str, Candidate]:
    """A name that is a whole part, for the slot of words that was filled last: a guess, which is asked back."""
    words = text[start:end].rstrip(" .!")
    held = [path for path in reversed([*standing.values]) if path in definition.paths]
    free = [path for path in held if definition.slot(path).type == "string" and values.is_free(definition.slot(path))]
    if standing.question != "execution" or not free or not _NAME.fullmatch(words):
        return {}
    told = Candidate(
        path=free[0], value=words, start=start, end=start + len(words), evidence=words, checked=False, guessed=True
    )
    return {told.path: told}


def _values(text: str, definition: Definition, standing: Standing, language: Language) -> list[Span]:
    """Where values stand that are no words of their own choice."""
    known = Understanding(
        language=language, now=standing.now, within=definition.type_id, values=standing.values, lists=standing.lists
    )
    found = [(one.start, one.end) for one in numbers(text, language)]
    for slot in definition.slots:
        if not values.is_free(slot):
            for one in values.readings(slot, text, known, closely=Attention.ASKED):
                found += one.claims
    return found
