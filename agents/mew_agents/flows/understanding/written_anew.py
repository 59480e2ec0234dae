"""New words for slots that take any, where a message says that the words they hold are not meant.

"Ana Paz no, Ana Páez", "I've put the wrong name, it's Kayla".
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import Final

from mew_agents.flows.understanding.amends import amended, called, says_wrong
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.named import written
from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.fluxi.values import Span
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.value_words import VOCABULARIES

# "could you change the city? I've moved to Inverness", "só a cidade que mudou"
_CHANGED: Final = re.compile(r"(?i)\b(?:cambi\w+|mud(?:ei|ou|ar|a|e)|troc\w+|alter\w+|chang\w+|moved|switch\w*)\b")
EDGES: Final = frozenset(".,;:!?¡¿\n")  # of the parts of a sentence


def written_anew(
    definition: Definition,
    said: str,
    text: str,
    standing: Standing,
    language: Language,
    *,
    reopened: Sequence[str],
    named: Container[str],
) -> dict[str, Candidate]:
    """By path. `text`: what is said without what it takes back; `reopened`: the slots whose values are not meant any
    more; `named`: those that are called by their names, with a value.
    """
    found: dict[str, Candidate] = {}
    for path in dict.fromkeys((*reopened, *_said_wrong(definition, said, standing, language))):
        slot = definition.slot(path)
        if not values.is_free(slot) or path in named:
            continue
        left = [*_segments(text, language)]
        names = [one for one in left if slot.type == "string" and one != left[0]] + left[:1]
        told = [one for one in (written(said, *span, language) for span in names) if one is not None]
        told = sorted(set(told)) if len(left) > 1 or slot.type == "string" else []
        if len(told) == 1 or (len(left) == 1 and path in reopened):
            start, end = told[0] if len(told) == 1 else left[0]
            words = said[start:end]
            found[path] = Candidate(path=path, value=words, start=start, end=end, evidence=words)
    return found


def is_held_name(slot: Slot, standing: Standing) -> bool:
    """Whether a slot is for a name, and has one."""
    return slot.type == "string" and values.is_free(slot) and slot.path in standing.values


def around(language: Language) -> Iterator[str]:
    """What joins, changes and is polite, and may stand around what is said."""
    words = STEERING[language]
    yield from (*words.corrects, *words.joins, *words.changes, *words.openers, *words.corrects_behind)
    yield from VOCABULARIES[language].answers.polite


def _said_wrong(definition: Definition, said: str, standing: Standing, language: Language) -> Iterator[str]:
    """The one name that is held and that a message says to be wrong, or to have changed."""
    changed = standing.question == "execution" and _CHANGED.search(said) is not None
    if standing.question is None or not (changed or says_wrong(said, language)):
        return
    names = called(definition, said, language)
    held = [path for path in names if is_held_name(definition.slot(path), standing)]
    yield from held if len(held) == 1 else ()


def _segments(text: str, language: Language) -> Iterator[Span]:
    """The parts of a message beside what is taken back that say something."""
    begin = 0
    edges = [at for at, sign in enumerate(text) if sign in EDGES]
    for end in (*edges, len(text)):
        part = text[begin:end]
        counts = amended(part, language)
        told = part[counts.start : counts.end]
        inside = _stripped(told, language)
        if inside is not None:
            yield begin + counts.start + inside[0], begin + counts.start + inside[1]
        begin = end + 1


def _stripped(text: str, language: Language) -> Span | None:
    """Where the words are that say something: all but what joins, changes and is polite at both ends."""
    folded = fold(text)
    tokens, table = folded.tokens, _AROUND[language]
    first, last = 0, len(tokens) - 1
    while first <= last:
        known = table.starting(tokens, first)
        if known is None and tokens[first].kind != "symbol":
            break
        first += 1 if known is None else known[0]
    while first <= last:
        known = table.ending(tokens, last)
        if known is None and tokens[last].kind != "symbol":
            break
        last -= 1 if known is None else known[0]
    return folded.span(first, last) if first <= last else None


_AROUND: Final = {language: PhraseTable((phrase, None) for phrase in around(language)) for language in LANGUAGES}
