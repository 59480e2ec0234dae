"""What cannot be a name: a sentence, the name of another slot, a figure that another slot takes.

A slot for a name or a place takes any words, so the rest of a sentence lands in it easily: "la edad, disculpá" is no
city, and "he cumplido quince" is nobody's name. What is told behind a name ("Lucía Paz es mi nombre") is cut off; what
is no name without it is not taken at all, and is asked for again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mew_agents.flows.understanding.amends import called
from mew_agents.flows.understanding.remarks import STEERING_WORDS
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.fluxi.values import Reading, Span
from mew_agents.language.folding import fold
from mew_agents.language.found import Language

# Words of a sentence, which no name has in small letters.
_SENTENCE: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"\b(?:tengo|ten[ií]a|soy|era|eran|es|est[aá]|estoy|he|hemos|dije|puse|quiero|quer[ií]a|pon|pon[eé]|ponga"
        r"|pod[eé]s|puede|puedes|llamo|cumpl\w+|me|te|lo)\b"
    ),
    "pt": re.compile(
        r"\b(?:tenho|tinha|sou|era|eram|é|est[aá]|estou|tô|disse|falei|pus|quero|queria|p[oõ]e|ponha|pode|fiquei"
        r"|chamo|fiz|me|eu)\b"
    ),
    "en": re.compile(
        r"\b(?:I|i|i'?m|I'm|am|is|it'?s|was|were|said|told|have|has|had|can|could|should|would|want|need|put|my|your"
        r"|you|it|that'?s|did|do)\b"
    ),
}
# What is told behind a name, and says that it is one.
_BEHIND: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i),? (?:(?:es|ser[ií]a) (?:mi|el|su) nombre|me (?:llamo|dicen|llaman)|es (?:mi|la) ciudad|es donde"
        r"|(?:x|por) (?:ac[aá]|aqu[ií]|aki|aka))\b"
    ),
    "pt": re.compile(
        r"(?i),? (?:(?:é|eh|seria) (?:o |a )?(?:meu |minha )?(?:nome|cidade)|me (?:chamo|chamam)|chamo-me|é onde"
        r"|(?:por )?aqui)\b"
    ),
    "en": re.compile(
        r"(?i),? (?:(?:is|'?s|would be) (?:my|the) (?:full )?(?:name|city|town)|is what (?:they|people)|is where"
        r"|they call me)\b"
    ),
}
_CAPITALS: Final = re.compile(r"(?<![\w'’-])[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)*")
# Said of another slot that it is to be different; said of a name, it is none: "o mail ficou mal escrito".
_WENT_WRONG: Final = re.compile(
    r"(?i)\b(?:mal|errad[oa]|equivocad[oa]|incorrect[oa]?|wrong|mistyped|misspel\w+|typo|trocad[oa]|cambiad[oa])\b"
)
_ONLY_CHANGED: Final = re.compile(
    r"(?i)(?:(?:que|es|la|lo|a|o|foi|fue|[eé]|se|ha|has|it|is) )*"
    r"(?:cambi(?:[oó]|ado|ada)|mud(?:ou|ei|ado|ada)|changed|trocou)"
)
_MOST: Final = 5  # words of a name


def before_its_name(text: str, start: int, end: int, language: Language) -> Span | None:
    """Where a name stands that says behind it that it is one, of `text[start:end]`."""
    match = _BEHIND[language].search(text, start, end)
    begin = start + len(text[start:end]) - len(text[start:end].lstrip())
    if match is None or not 0 < len(text[begin : match.start()].split()) <= _MOST:
        return None
    return begin, match.start()


def is_sentence(words: str, language: Language) -> bool:
    """Whether words say something, and are no name."""
    return _SENTENCE[language].search(words) is not None


def plausible(
    slot: Slot,
    candidate: Candidate,
    definition: Definition,
    said: str,
    language: Language,
    readable: Callable[[Slot, str], Sequence[Reading]],
) -> Candidate | None:
    """A candidate as it may stand in its slot. None: it cannot. `readable`: everything that a typed slot reads in a
    text. Of a sentence with one name in capitals that name is asked back.
    """
    if slot.type != "string" or not slot.required or not values.is_free(slot) or not isinstance(candidate.value, str):
        return candidate
    at = said.find(candidate.value, max(0, candidate.start))
    if at < 0:
        return candidate
    end = at + len(candidate.value)
    told = before_its_name(said, at, end, language)
    if told is not None and not is_sentence(said[slice(*told)], language):
        return replace(candidate, value=said[slice(*told)], start=told[0], end=told[1])
    if _ONLY_CHANGED.fullmatch(candidate.value) is not None:
        return None
    if _belongs_elsewhere(slot, candidate.value, definition, language, readable):
        return None
    if not is_sentence(candidate.value, language):
        return candidate
    names = [one for one in _CAPITALS.finditer(said, at, end) if one.start() > at and not is_sentence(one[0], language)]
    if len(names) != 1:
        return None
    return replace(candidate, value=names[0][0], start=names[0].start(), end=names[0].end(), checked=False)


def _belongs_elsewhere(
    slot: Slot,
    words: str,
    definition: Definition,
    language: Language,
    readable: Callable[[Slot, str], Sequence[Reading]],
) -> bool:
    """Whether words name another slot, or say a figure that one takes, and nothing else but what steers a dialogue."""
    others = [one for one in definition.slots if one.path != slot.path]
    names = called(definition, words, language)
    spans = [span for path, span in names.items() if path != slot.path]
    if spans and _WENT_WRONG.search(words) is not None:
        return True
    spans += [
        claim
        for one in others
        if not values.is_free(one) and one.type not in ("enum", "ref", "bool")
        for reading in readable(one, words)
        for claim in reading.claims
    ]
    tokens = [token for token in fold(words).tokens if token.kind != "symbol"]
    left = [one for one in tokens if not any(start < one.end and one.start < end for start, end in spans)]
    alone = not any(one.kind == "word" for one in tokens)  # "3": whatever it is, it is asked back
    return bool(spans) and not alone and all(one.text in STEERING_WORDS[language] for one in left)
