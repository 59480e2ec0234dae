"""Another name, in words that say no more than that it would be better: "família Prado ia ficar melhor"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.answer import core
from mew_agents.fluxi.values.words import ABOUT_DAYS, ABOUT_HOURS, OTHERS
from mew_agents.language.folding import fold
from mew_agents.language.found import Language

_LONGEST: Final = 4  # words
# What says that the words before it are to be instead. Over folded text.
_BETTER: Final = {
    "es": re.compile(r"(?<!\w)(?:seria|estaria|quedaria|iria|va|queda) mejor(?!\w)"),
    "pt": re.compile(r"(?<!\w)(?:seria|estaria|ficaria|ia ser|ia ficar|fica) melhor(?!\w)"),
    "en": re.compile(r"(?<!\w)(?:would be|is|might be) better(?!\w)"),
}
# Words that are no name before them: what is pointed at, and the parts of the day.
_POINTING: Final = re.compile(
    r"eso|esto|asi|ahi|isso|isto|assim|ai|that|this|it|what|which|later"
    r"|tarde|noche|manana|mediodia|noite|manha|morning|afternoon|evening|night|noon"
)


def preferred(definition: Definition, text: str, understanding: Understanding, used: Sequence[Span]) -> Span | None:
    """Return the few words that a message begins with, and says that they would be better.

    None of them is a word of the definition's, or of days and hours: "the terrace would be better" is no name.
    """
    language = understanding.language
    folded = fold(text)
    match = _BETTER[language].search(folded.text)
    kept = None if match is None else core(text[: folded.origin(match.start(), match.end())[0]], language)
    if kept is None or meets(kept, used):
        return None
    words = [token.text for token in fold(text[kept[0] : kept[1]]).tokens]
    others = _own_words(definition, language) | ABOUT_DAYS[language] | ABOUT_HOURS[language] | OTHERS[language]
    if len(words) > _LONGEST or not all(word.isalpha() and word not in others for word in words):
        return None
    if any(_POINTING.fullmatch(word) for word in words):
        return None
    return kept


def _own_words(definition: Definition, language: Language) -> frozenset[str]:
    """The words of the slots' labels and cues."""
    written = [slot.label.get(language, "") for slot in definition.slots]
    written += [cue for slot in definition.slots for cue in slot.cues.get(language, ())]
    return frozenset(token.text for phrase in written for token in fold(phrase).tokens)
