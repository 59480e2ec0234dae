"""A name or a place in an answer that says more: "I'm in Newport at the minute", "Bury St Edmunds, near Cambridge".

A name is written in capitals, with the little words of names in it. What leads to it and what is said of it in small
letters, behind a sign, is not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mew_agents.language.found import Language
from mew_agents.language.hesitations import bare

_CAPITALS: Final = r"[A-ZÀ-Þ][\w'’.-]*"
_NAME: Final = re.compile(
    rf"{_CAPITALS}(?: (?:(?:de|del|la|las|los|da|do|dos|das|e|y|van|von|of|the|on|upon|le|el) ){{0,2}}{_CAPITALS})*"
)
# Words that lead from "I live" to a place, and those that say who one is.
_LEADS: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)(?:(?:yo|el|soy|fui|vine|he|mudado|mes|pasado"
        r"|vivo|vivimos|estoy|estamos|resido|ac[aá]|aqu[ií]|ahora|es|me mud[eé]|nac[ií]|la|ciudad"
        r"|mi|pueblo"
        r"|actualmente|llamo|me|nombre|completo|ser[ií]a|un|pueblito|que|se|llama) )*(?:en|de|a|desde|por|es|soy"
        r"|llamo|llama|ser[ií]a) "
    ),
    "pt": re.compile(
        r"(?i)(?:(?:eu|sou|fui|vim|mudei|m[eê]s|passado"
        r"|moro|vivo|estou|aqui|agora|[eé]|me mudei|nasci|a|o|cidade|minha|meu|atualmente|chamo|me|nome"
        r"|completo|seria|que|se|chama|numa) )*(?:em|de|do|da|no|na|para|pra|[eé]|sou|chamo|chama|seria) "
    ),
    "en": re.compile(
        r"(?i)(?:(?:i'?m|i am|we're|i['’]?ve|i have"
        r"|i|we|it'?s|that'?s|currently|now|at|the|moment|lives?|living|livin|lived|moved"
        r"|based"
        r"|stay|staying|from|born|raised|out|over|up|down|here|just|originally|my|full|name|city|town|would|be|called|a"
        r"|place|you|can|call) )*(?:in|to|at|from|near|is|it'?s|i'?m|called|me|be) "
    ),
}
# Behind a name, something else is said with these, also without a sign.
_GOES_ON: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?:que|porque|pero|por|ac[aá]|aqu[ií]|nom[aá]s|mismo|misma|desde|hace|con|donde|cerca|pegado|en|para"
        r"|me (?:llamo|dicen|llaman)|es (?:mi|el|la)"
        r"|como|te|se|as[ií]|ahora|toda)\b"
    ),
    "pt": re.compile(
        r"(?:que|porque|mas|por|aqui|mesmo|mesma|desde|h[aá]|com|onde|perto|em|para|pra|como|te|se|agora|toda|né|viu"
        r"|me (?:chamo|chamam)|é (?:o|a|meu|minha))\b"
    ),
    "en": re.compile(
        r"(?:but|because|cos|at|in|near|since|for|with|which|where|right|these|this|now|as|last|mind|so|like|if"
        r"|though|is (?:my|the))\b"
    ),
}
_SAYING: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)(?<![\w])(?:(?:que|q) (?:diga|sea|ponga)|deb(?:e|er[ií]a) (?:decir|ser)|tiene que (?:decir|ser)"
        r"|ser[ií]a|pone|pon[eé]?|poneme"
        r"|ponme|ponga|[eé]s) (?=[^\W\d])(?!(?:que|de|el|la|otr[oa]|un|una|mal|esa?|ese|mejor|as[ií])\b)"
    ),
    "pt": re.compile(
        r"(?i)(?<![\w])(?:que (?:diga|seja|fique)|deve(?:ria)? (?:dizer|ser)|tem que (?:dizer|ser)|seria|p[oõ]e"
        r"|coloca|bota|ponha|[eé]) "
        r"(?:o |a )?(?=[^\W\d])(?!(?:que|de|outr[oa]|um|uma|mal|essa?|esse|melhor|assim|errad[oa])\b)"
    ),
    "en": re.compile(
        r"(?i)(?<![\w])(?:should (?:say|be|read|have been)|(?:can|could) (?:it|that) (?:say|be|read)"
        r"|(?:can|could) (?:you|u|ya) (?:put|write|have)|ought to (?:say|be)|needs to (?:say|be)|(?:make|put) it"
        r"|it'?s|it is|its) "
        r"(?=[^\W\d])(?!(?:the|a|an|wrong|not|my|meant|supposed|that|just|actually the)\b)(?:actually "
        r"|meant to be |supposed to be )?"
    ),
}
# What somebody goes on to say of themselves begins with a capital in English: "Ana Paz, I'm in Leeds".
_OF_ONESELF: Final = re.compile(r"I(?:['’](?:m|ve|d|ll))?\b(?!\.)")
# A name in small letters, and more behind a comma: "siobhan, 67, quick pls".
_SMALL: Final = re.compile(r"(?P<name>[^\W\d_]{2,}(?: [^\W\d_]+){0,3}), ?(?=\S)")
_SIGN: Final = re.compile(r"\s*[,.;:!(…–-]+\s*")


def named(text: str, start: int, end: int, language: Language) -> tuple[int, int] | None:
    """Where the name stands in `text[start:end]`. None: it is not told from the rest, or there is no rest."""
    begin, stop = bare(text, start, end, language)
    lead = _LEADS[language].match(text, begin, stop)
    if lead is not None and text[lead.end() : lead.end() + 1].isupper():
        begin = lead.end()
    name = _NAME.match(text, begin, stop)
    if name is None:
        small = _SMALL.match(text, begin, stop)
        return None if small is None or not text[start:end].islower() else small.span("name")
    sentence = _SENTENCE_END.search(text, name.start(), name.end())
    after = name.end() if sentence is None else sentence.start()
    if sentence is None and name[0].endswith(".") and not _is_short(name[0]):
        after -= 1
    rest = text[after:stop]
    if sentence is not None:
        return begin, after
    sign = _SIGN.match(rest)
    said = rest[sign.end() :] if sign is not None else rest.lstrip()
    capital = said[:1].isupper() and not _OF_ONESELF.match(said)
    if said and not ((sign is not None or _GOES_ON[language].match(said)) and not capital):
        return None
    return (begin, after) if (begin, after) != (start, end) else None


def written(text: str, start: int, end: int, language: Language) -> tuple[int, int] | None:
    """Where a stretch is a name in capitals, but for what leads to it. None: it is not."""
    begin, stop = bare(text, start, end, language)
    said = said_to_be(text, begin, stop, language)
    lead = _LEADS[language].match(text, begin, stop)
    begin, stop = said or (lead.end() if lead is not None else begin, stop)
    name = _NAME.match(text, begin, stop)
    return (begin, stop) if name is not None and name.end() == stop else None


def said_to_be(text: str, start: int, end: int, language: Language) -> tuple[int, int] | None:
    """Where the words stand that a stretch says that something is to be: "change the city would you, should say X"."""
    match = _SAYING[language].search(text, start, end)
    if match is None:
        return None
    stop = re.compile(r"[,;!?\n]|\.(?!\w)").search(text, match.end(), end)
    begin, after = bare(text, match.end(), end if stop is None else stop.start(), language)
    return (begin, after) if after > begin and text[begin].isalnum() else None


def _is_short(name: str) -> bool:
    """Whether the last word of a name is cut: "Bury St."."""
    return len(name.split()[-1]) <= _SHORT


_SHORT: Final = 4
# Behind a word that is not cut: "Ruiz. Creo", and not "Bury St. Edmunds" or "Gral. Roca".
_SENTENCE_END: Final = re.compile(r"(?<=[^\W\d_]{4})(?<!Gral)(?<!Cnel)(?<!Sgto)\.(?=\s)")
