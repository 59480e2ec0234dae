"""Words that somebody tells in a form of their own: in quotation marks, or before "that is why".

Each function returns where the words stand, and does not look at what other slots make of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mew_agents.fluxi.values.answer import core
from mew_agents.fluxi.values.reading import Span
from mew_agents.fluxi.values.told_words import CONCERNS
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language

_FEWEST: Final = 2  # words between quotation marks that are no title
_FEWEST_OF_A_REASON: Final = 3
_QUOTED: Final = re.compile(
    r"(?<!\w)(?:\"(?P<a>[^\"\n]+)\"|“(?P<b>[^”“\n]+)[”“]|«(?P<c>[^»\n]+)»|„(?P<d>[^“”\n]+)[“”]"
    r"|(?<=: )['‘](?P<e>[^'‘’\n]+(?:['’]\w[^'‘’\n]*)*)['’])(?!\w)"
)
# With these a clause says that the one before it is the reason. Over folded text.
_THEREFORE: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(r"(?<!\w)(?:y )?(?:es )?(?:por|x) (?:eso|ello|ese motivo|esa razon|lo cual|lo que)(?= \w)"),
    "pt": re.compile(r"(?<!\w)(?:e )?por (?:isso|esse motivo|essa razao|este motivo|esta razao)(?!\w)"),
    "en": re.compile(
        r"(?<!\w)(?:and |so |which is |that'?s |that is |this is )+(?:the reason )?why(?= \w)|hence(?= \w)"
    ),
}
_CLAUSES: Final = re.compile(r"[.!?;:,\n]\s")
_CONCERNS: Final = {language: re.compile(rf"\b(?:{CONCERNS[language]})") for language in LANGUAGES}
_BREAKS: Final = re.compile(r"[.!?;:\n]\s")
# A request to note what was just said, at the end of it. Over text as it is written.
_NOTED: Final = re.compile(
    r"(?i)[,.;:!?\s]+(?:y )?(?:que (?:quede|conste|fique)(?: (?:anotado|claro|registrado|registado|asentado))?"
    r"|an[oó]t[ae](?:lo|melo|nlo)|t[eé]n(?:gan|ganlo|lo|erlo) en cuenta|para que (?:lo )?sep(?:an|as|a)"
    r"|anot[ae](?:m)?(?: a[ií])?|para (?:saberem|constar|ficarem a saber)|s[óo] para (?:saberem|avisar)"
    r"|(?:please )?(?:note that|make a note(?: of (?:that|it))?|write that down|put that down)|just so you know|fyi"
    r"|for the record)[\s.!]*$"
)


def quoted(text: str) -> Span | None:
    """Return where words stand in quotation marks that are more than a name or a title; None: nowhere."""
    for match in _QUOTED.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        words = text[start:end].split()
        if len(words) >= _FEWEST and any(word[:1].islower() for word in words):
            return start, end
    return None


def reason_before(text: str, language: Language) -> Span | None:
    """Return the clause that "that is why" stands after; None: there is none."""
    folded = fold(text)
    match = _THEREFORE[language].search(folded.text)
    if match is None or not match.start():
        return None
    end = folded.origin(match.start(), match.end())[0]
    start = max((one.end() for one in _BREAKS.finditer(text[:end].rstrip(" ,.;!"))), default=0)
    kept = core(text[start:end], language)
    if kept is None or len(text[start + kept[0] : start + kept[1]].split()) < _FEWEST_OF_A_REASON:
        return None
    return start + kept[0], start + kept[1]


def tells_pain(text: str, end: int, language: Language) -> bool:
    """Whether the clause up to there tells of a pain, an illness and the like: "me duele la rodilla desde"."""
    start = max((one.end() for one in _CLAUSES.finditer(text[:end])), default=0)
    return _CONCERNS[language].search(fold(text[start:end]).text) is not None


def without_request(words: str) -> str:
    """Return words without the request to note them that they end with."""
    match = _NOTED.search(words)
    return words if match is None or not match.start() else words[: match.start()]
