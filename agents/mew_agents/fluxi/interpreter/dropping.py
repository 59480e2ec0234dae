"""A message that drops everything, and tells besides why: "leave it, I'm feeling miles better today".

What it tells is no value then. A value that the message wishes for, or that is nearly all of its clause, is one:
"forget it, make it Friday".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import BoolSlot, StringSlot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.fluxi.interpreter.segments import meets, segments
from mew_agents.fluxi.values.addresses import is_address
from mew_agents.fluxi.values.passing_on import passed_on
from mew_agents.fluxi.values.telling import quoted
from mew_agents.fluxi.values.words import TAILS, WISHES
from mew_agents.language.changes_of_mind import changes_of_mind
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.requests import giving_up
from mew_agents.language.retractions import corrective

_FEW: Final = 2  # words beside a value in a clause that is about it
_LONGEST: Final = 5  # words of a name
_BETTER: Final = frozenset(("better", "mejor", "melhor"))
_WISHES: Final = {language: PhraseTable((one, None) for one in WISHES[language]) for language in LANGUAGES}


def drops_all(
    definition: Definition,
    text: str,
    language: Language,
    found: Iterable[Candidate],
    cancelled: Sequence[tuple[int, int]] = (),
) -> bool:
    """Whether a message says that nothing is wanted any more, and means none of the values that are read in it.

    `cancelled`: its clauses that certainly cancel, in which there is no value.
    """
    found = [one for one in found if not meets((one.start, one.end), cancelled)]
    spans = [(one.start, one.end) for one in changes_of_mind(text, language) if one.kind == "drops"]
    spans += [*giving_up(text, language), *cancelled]
    return bool(spans) and not any(_is_meant(definition, text, language, one, spans) for one in found)


def _is_meant(
    definition: Definition, text: str, language: Language, one: Candidate, spans: list[tuple[int, int]]
) -> bool:
    """Whether a value is wished for where it stands."""
    slot = definition.slot(one.path)
    if isinstance(slot, BoolSlot):
        return True
    if isinstance(slot, StringSlot) and slot.pattern is None:
        if slot.type == "text" and not is_address(slot, language):
            handed = quoted(text) or passed_on(text, language)
            return meets((one.start, one.end), [*spans, *([handed] if handed else [])])  # "a note: no need to ring"
        long = len(one.evidence.split()) > _LONGEST and not any(map(str.isdigit, one.evidence))
        return not (long or meets((one.start, one.end), spans))
    folded = fold(text)
    for part in segments(text, ()):
        start, end = folded.span(part.first, part.last)
        if not meets((one.start, one.end), [(start, end)]):
            continue
        tokens = folded.tokens[part.first : part.last + 1]
        idle = TAILS[language] | {token.text for token in fold(one.evidence).tokens}
        if sum(token.text not in idle for token in tokens) <= _FEW:
            return True
        wished = any(_WISHES[language].starting(tokens, at) is not None for at in range(len(tokens)))
        turns = (at for at, token in enumerate(tokens) if not (at > 1 and token.text in _BETTER))  # "I feel better"
        return wished or any(corrective(tokens, at, language) for at in turns)
    return True
