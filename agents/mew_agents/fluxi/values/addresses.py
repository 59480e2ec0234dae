"""Addresses in a text: a street with its number, floor and flat before or after it, and the town.

Only their form tells: a name with a capital and a number that belongs to no day, hour, sum or measure. So "9 de Julio
355, Córdoba" is one, and "Saturday April 3, Boston" is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from mew_agents.fluxi.definitions.slots import StringSlot
from mew_agents.fluxi.values.reading import Span
from mew_agents.language.dates import dates
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.naming import NAMINGS
from mew_agents.language.times import times

# A label that has one of these words is that of an address.
_LABELS: Final[Mapping[Language, frozenset[str]]] = {
    "es": frozenset(("direccion", "domicilio")),
    "pt": frozenset(("endereco", "morada")),
    "en": frozenset(("address",)),
}
# What is said right before an address, and is none of it.
_LEADS: Final[Mapping[Language, str]] = {
    "es": r"direcci[oó]n(?: de \w+)?(?: es| ser[ií]a)?|domicilio(?: es)?|es|en|por|desde|de"
    r"|vivo en|estoy en|estamos en|a|al|hasta",
    "pt": r"endere[cç]o(?: d[ea] \w+)?(?: é)?|morada(?: é)?|é|em|na|no|pela|pelo|da|do|de|moro na|moro em"
    r"|estou na|à|às|ao|aos|a|até",
    "en": r"address(?: is|'s)?|is|it's|its|at|from|in|on|to|i'm at|we're at",
}
_CAPITAL = r"[^\W\d_a-zß-ÿ](?:[\w'’]{0,3}\.(?= )|[\w'’-]*)"
_NUMBER = r"[0-9]{1,5}(?:[A-Za-z](?!\w)|-[0-9]{1,4})?(?! ?(?:\.?[º°ª]|kgs?(?!\w)|kilos?(?!\w)|quilos?(?!\w)))"
_LINK = r"(?:d[aeo]s?|del|la|las|los|el|e|y|of|the)"
_KIND = r"(?:calle|avenida|av|avda|rua|r|travessa|alameda|pra[cç]a|pasaje|plaza|bulevar|estrada|largo|n[º°]|nº|n\.º)\.?"
_FLOOR = (
    r"(?:(?:[0-9]{1,2} ?[º°ª.]{1,2} ?\w+(?:\.(?=,))?)|(?:[0-9]{1,2}(?:st|nd|rd|th) floor)"
    r"|(?:(?i:piso|planta|puerta|depto|dpto|departamento|apartamento|apto|apt|ap|andar|bloco|casa|flat|unit|suite|floor)"
    r"\.? ?[0-9]{0,4} ?[A-Za-z]?))(?!\w)"
)
_PART = rf"(?:{_CAPITAL}|{_NUMBER}(?:st|nd|rd|th)?(?: [Kk]m\.? [0-9]{{1,4}})?)"
_STREET = rf"(?:{_KIND} )?{_PART}(?:,? {_KIND}(?= ))?(?:,? (?:{_LINK} ){{0,2}}{_PART})*"
_TOWN = rf"{_CAPITAL}(?: (?:{_LINK} ){{0,2}}{_CAPITAL})*"
_ADDRESS = re.compile(rf"(?<![\w@-])(?:{_FLOOR}, )?{_STREET}(?:,? {_FLOOR})*(?:,? (?:{_FLOOR}|{_TOWN}))*(?![\w@])")
_HOUSE = re.compile(
    rf"(?<![\w.,:]){_NUMBER}(?![\w:.,]?[0-9])(?! ?(?:%|kgs?|kilos?|quilos?|h|hs|hrs?|am|pm|[€$£])(?!\w))"
)
_ARTICLES = r"(?:(?:l[ao]s?|el|the|our|my|mi|o|a|meu|minha) )?"
_LEAD = {language: re.compile(rf"(?i)(?<!\w){_ARTICLES}(?:{leads})[:,]? *$") for language, leads in _LEADS.items()}
# Words that are no name's, besides those of everyday.
_SMALL: Final[Mapping[Language, frozenset[str]]] = {
    "es": frozenset(
        [
            "pesa",
            "son",
            "kilos",
            "kg",
            "paquete",
            "caja",
            "retirar",
            "buscar",
            "recoger",
            "enviar",
            "piso",
            "puerta",
            "depto",
            "y",
            "e",
            "de",
            "del",
        ]
    ),
    "pt": frozenset(
        [
            "pesa",
            "sao",
            "quilos",
            "kilos",
            "kg",
            "pacote",
            "caixa",
            "retirar",
            "buscar",
            "recolher",
            "enviar",
            "andar",
            "apto",
            "e",
            "de",
            "da",
            "do",
        ]
    ),
    "en": frozenset(
        [
            "its",
            "it",
            "is",
            "thats",
            "kilos",
            "kilo",
            "kg",
            "parcel",
            "package",
            "box",
            "pick",
            "picked",
            "picking",
            "collect",
            "collected",
            "up",
            "please",
            "pls",
            "ta",
            "thanks",
            "cheers",
            "and",
            "weighs",
            "weighing",
            "got",
            "needs",
            "need",
            "from",
            "at",
            "to",
            "unit",
            "flat",
            "floor",
        ]
    ),
}
# Words that stand in no address, which say when or that something is not.
_NOT_PLACES: Final = frozenset(
    ("no", "nao", "not", "nunca", "never", "antes", "depois", "despues", "after", "before", "until", "hasta", "ate")
)
_LONGEST = 2000  # characters that are looked at
_LEAD_REACH = 60


def is_address(slot: StringSlot, language: Language) -> bool:
    """Whether a slot holds an address, by its label."""
    labels = {word for spoken in LANGUAGES for word in _LABELS[spoken]}
    said = (slot.label.get(language, ""), *slot.label.values())
    return slot.type == "text" and any(token.text in labels for label in said for token in fold(label).tokens)


@lru_cache(maxsize=16)
def addresses(text: str, language: Language, now: datetime) -> tuple[Span, ...]:
    """Where addresses stand in a text, in its order."""
    calendar = [(one.start, one.end) for one in dates(text, language, now=now)]
    calendar += [(one.start, one.end) for one in times(text, language)]
    found = []
    written = _with_capitals(text, language) if text == text.lower() else text
    for match in _ADDRESS.finditer(written[:_LONGEST]):
        start, end = match.start(), match.start() + len(match[0].rstrip(" .,-"))
        if written is not text and "," not in match[0]:
            continue  # in small letters only a town behind a comma tells
        if written is not text and not _NOT_PLACES.isdisjoint(token.text for token in fold(text[start:end]).tokens):
            continue
        end = _before_day(text, start, end, calendar)
        if _has_house(written, start, end, calendar) and _is_led(text, start, end, language):
            found.append((start, end))
    return tuple(found)


def _with_capitals(text: str, language: Language) -> str:
    """A text in small letters with a capital for each word that may be a name's; as long as it was."""

    def capital(match: re.Match[str]) -> str:
        word = match[0]
        plain = fold(word).text
        known = plain in NAMINGS[language].common or plain in _SMALL[language]
        return word if known else word[:1].upper() + word[1:]

    written = re.sub(r"(?<![\w@.'’])[^\W\d_][\w'’]*(?!@)", capital, text)
    return written if len(written) == len(text) else text


def _before_day(text: str, start: int, end: int, calendar: Sequence[Span]) -> int:
    """Where an address ends before the name of a day behind a comma: "14 Mill Lane, Leeds, Friday"."""
    for first, stop in calendar:
        words = text[first:stop]
        if start < first < end and text[start:first].rstrip(" ").endswith(",") and not any(map(str.isdigit, words)):
            return start + len(text[start:first].rstrip(" ,.-"))
    return end


def _has_house(text: str, start: int, end: int, calendar: Sequence[Span]) -> bool:
    """Whether a stretch has a number that belongs to no day, hour, sum or measure, and a name."""
    numbers = [match.span() for match in _HOUSE.finditer(text, start) if match.end() <= end]
    if any(first == start and numbers and not text[stop : numbers[0][0]].strip(" ,") for first, stop in calendar):
        numbers = numbers[1:]  # "Tuesday 16"
    free = any(all(last <= first or begin >= stop for first, stop in calendar) for begin, last in numbers)
    return free and re.search(_CAPITAL, text[start:end]) is not None


def _is_led(text: str, start: int, end: int, language: Language) -> bool:
    """Whether words before say that an address follows, or it has a town and begins a line or a part of a sentence."""
    before = text[:start].rstrip(" ")
    if lead_before(text, start, language) < start:
        return True
    return "," in text[start:end] and (not before or before[-1] in ".,;:!?\n-–—(")


def lead_before(text: str, start: int, language: Language) -> int:
    """Where the words begin that lead to an address at `start`; `start`, if there are none."""
    match = _LEAD[language].search(text, max(0, start - _LEAD_REACH), start)
    return start if match is None else match.start()
