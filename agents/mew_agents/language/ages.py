"""Ages in a text: "mi hijo de 4 años", "my 4 year old", "tem 8 meses". Their numbers count nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.value_words import VOCABULARIES

# The forms of an age around its number, over folded text.
_FORMS: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": (
        r"\b(?:de|tiene|tienen|tengo|con|cumple|cumplio) (?:casi |ya |solo )?{number} ?(?:anos?|anitos|meses)\b",
        r"\b{number} ?(?:anos?|anitos|meses) de edad\b",
        r"\bedad(?: de|:)? {number}\b",
    ),
    "pt": (
        r"\b(?:de|tem|tenho|com|fez|faz|completa) (?:quase |ja |so )?{number} ?(?:anos?|aninhos|meses)\b",
        r"\b{number} ?(?:anos?|aninhos|meses) de idade\b",
        r"\bidade(?: de|:)? {number}\b",
    ),
    "en": (
        r"\b{number}(?:[- ]?and a half)?[- ]?(?:years?|yrs?|months?|weeks?)[- ]?olds?\b",
        r"\b{number}[- ]?(?:yo|y/o)\b",
        r"\b(?:aged?|turns|turned|turning)(?: of)? {number}\b",
    ),
}
# A slot is about an age if its label or a cue has one of these words.
AGES: Final = frozenset(("edad", "idade", "age", "ages", "anos", "years", "old", "nacimiento", "nascimento", "birth"))


def ages(text: str) -> list[tuple[int, int]]:
    """Where the ages stand in a text of any of the languages, each with the words that say that it is one."""
    folded = fold(text)
    found = (match.span() for language in LANGUAGES for match in _expression(language).finditer(folded.text))
    return [folded.origin(*span) for span in sorted(set(found))]


def without_ages(text: str) -> str:
    """A text with blanks for its ages, so that places in it stay."""
    for start, end in ages(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


@cache
def _expression(language: Language) -> re.Pattern[str]:
    words = {fold(word).text for word in VOCABULARIES[language].numbers.ones}
    number = rf"(?:\d{{1,3}}|{'|'.join(sorted(words, key=lambda word: (-len(word), word)))})"
    return re.compile("|".join(form.replace("{number}", number) for form in _FORMS[language]))
