"""What is told of the past: "fue el sábado", "I bought it on Monday". A day in it is not the next one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from mew_agents.language.dates import dates
from mew_agents.language.folding import fold, word_set
from mew_agents.language.found import Language

# Verbs of something that has happened, folded; only forms that are no other tense or mood as well.
_PAST: Final[Mapping[Language, frozenset[str]]] = {
    "es": word_set("""fue fueron fui fuimos era eran estuvo estuve estuvimos vino vinieron vine ocurrio sucedio hubo
        hice hizo hicimos hicieron tuve tuvo tuvimos recibi recibimos compramos llegaron rompio rompi murio nacio
        sucedieron empezo comenzo aparecio ayer perdi perdimos cai caimos dieron di pusieron pusimos puso puse
    vacunaron"""),
    "pt": word_set("""foi foram fui fomos era eram esteve estive estivemos veio vieram vim ocorreu
        aconteceu houve fiz fez fizemos fizeram tive teve tivemos recebi recebeu recebemos comprei comprou compramos
        chegou chegaram quebrou quebrei morreu nasceu comecou apareceu paguei pagou perdi tomei tomou deram deu puseram
    vacinaram"""),
    "en": word_set("""was were happened occurred came arrived bought paid received got broke broken died
        started began appeared had did went lost fell stopped ordered delivered took gave vaccinated sent"""),
}
# With these before it, such a verb tells what somebody wishes for: "I thought it was", "if it were".
_UNREAL: Final = word_set("if wish thought would could si ojala se quisera quisiera gostaria pensei")
# What somebody has written here is no event: "the Thursday that I put".
_WRITTEN: Final = word_set("puse pusimos pus")
_WHICH: Final = word_set("que q")
_SINCE: Final[Mapping[Language, str]] = {"es": "desde", "pt": "desde", "en": "since"}
_TO_A_DAY: Final = 2  # tokens from "since" to the day
# How long ago something was.
_AGO: Final = re.compile(r"\bago$|\batras$|^(?:hace|ha|faz|fa)\b")
# How such verbs end that no other form does, folded or not.
_PRETERITE: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(r"(?!)"),
    "pt": re.compile(r"\w+(?:aram|eram|iram)"),
    "en": re.compile(r"\w{3,}ed"),
}
_ENDS: Final = frozenset(".!?;:")
_REACH: Final = 7  # tokens from the verb to the day
_NEAR: Final = 400  # characters before a day that are looked at


def is_past(text: str, start: int, language: Language) -> bool:
    """Whether a verb of the past stands shortly before what starts there, in the same sentence."""
    before: list[str] = []
    for token in reversed(fold(text[max(0, start - _NEAR) : start]).tokens[-_REACH:]):
        if token.text in _ENDS:
            break
        before.append(token.text)
    written = {at for at in range(len(before) - 1) if before[at] in _WRITTEN and before[at + 1] in _WHICH}
    return any(word in _PAST[language] for at, word in enumerate(before) if at not in written) and not any(
        word in _UNREAL for word in before
    )


def is_since(text: str, start: int, language: Language) -> bool:
    """Whether "since" stands right before the day that starts there: "my back hurts since Monday"."""
    words = [token.text for token in fold(text[max(0, start - _NEAR) : start]).tokens[-_TO_A_DAY:]]
    return _SINCE[language] in words


def told_days(text: str, language: Language, *, now: datetime) -> list[tuple[int, int]]:
    """Where days stand since which something is so, or at which it happened: "it hurts since Monday", "se rompió ayer".

    "Desde" says that only of a day that is over, and a verb of the past only of one that can be no other.
    """
    found: list[tuple[int, int]] = []
    for day in dates(text, language, now=now):
        over = day.value < now.date() and all(one < now.date() for one in day.alternatives)
        led = is_since(text, day.start, language) or _opens_with_since(day.evidence(text), language)
        since = led and (over or language == "en")
        happened = over and (is_past(text, day.start, language) or _is_past_behind(text, day.end, language))
        ago = over and _AGO.search(fold(text[day.start : day.end]).text) is not None
        if since or happened or ago:
            found.append((day.start, day.end))
    return found


def _opens_with_since(words: str, language: Language) -> bool:
    tokens = fold(words).tokens
    return bool(tokens) and tokens[0].text == _SINCE[language]


def _is_past_behind(text: str, end: int, language: Language) -> bool:
    """Whether a verb of the past stands shortly behind what ends there, in the same sentence: "ayer se me rompió"."""
    for token in fold(text[end : end + _NEAR]).tokens[:_REACH]:
        if token.text in _ENDS:
            return False
        if token.text in _PAST[language] or _PRETERITE[language].fullmatch(token.text) is not None:
            return True
    return False


def without_ago(text: str, language: Language, *, now: datetime) -> str:
    """A text with blanks for the days that it counts back to: "it started 2 weeks ago"."""
    for day in dates(text, language, now=now):
        if day.value < now.date() and _AGO.search(fold(text[day.start : day.end]).text) is not None:
            text = text[: day.start] + " " * (day.end - day.start) + text[day.end :]
    return text
