"""Parts of the day that a text names without an hour: "on Monday in the afternoon"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import time
from typing import Final, NamedTuple

from mew_agents.language.calendar_words.vocabulary import AFTERNOON, AM, MIDDAY, MORNING, NIGHT, PM, SMALL_HOURS
from mew_agents.language.folding import fold
from mew_agents.language.found import Found, Language
from mew_agents.language.hours import own_part
from mew_agents.language.phrases import phrases
from mew_agents.language.times import hours


class DayPart(NamedTuple):
    """From the first hour that people call so to the last one."""

    earliest: time
    latest: time

    def holds(self, clock: time) -> bool:
        """Whether an hour is in it."""
        return self.earliest <= clock <= self.latest


_PARTS: Final[Mapping[int, DayPart]] = {
    MORNING: DayPart(time(4), time(12, 59)),
    AFTERNOON: DayPart(time(12), time(20)),
    NIGHT: DayPart(time(18), time(23, 59)),
    SMALL_HOURS: DayPart(time(0), time(6)),
    MIDDAY: DayPart(time(11), time(15)),
    AM: DayPart(time(0), time(11, 59)),
    PM: DayPart(time(12), time(23, 59)),
}


# "In the morning" as the south of America says it: "tiene que ser de tarde, porque de mañana doy clase".
_AS_A_DAY: Final = re.compile(r"\bde (?:manana|maniana)\b")
_BESIDE_IT: Final = re.compile(r"\bde (?:tarde|noche|tardecita|nochecita|madrugada)\b")
_HABITS: Final = re.compile(
    r" (?:no |siempre |nunca )?(?:doy|trabajo|estudio|curso|tengo|estoy|puedo|salgo|duermo|voy)\b"
)


def day_parts(text: str, language: Language) -> list[Found[DayPart]]:
    """The parts of the day in a text that belong to no hour of it, in its order."""
    found = phrases(text, language)
    told = [(hour.first, hour.last) for hour in hours(found)]
    parts = []
    for phrase in found.found:
        part = own_part(phrase) if phrase.kind in ("part", "date") else None
        if part is not None and not any(phrase.first < last and first < phrase.last for first, last in told):
            parts.append(Found(_PARTS[part], *found.span(phrase.first, phrase.last)))
    return parts


def parts_named_as_days(text: str, language: Language) -> list[tuple[int, int]]:
    """Where Spanish "de mañana" is the morning and no tomorrow: beside another part of the day, or before a habit."""
    if language != "es":
        return []
    folded = fold(text)
    beside = _BESIDE_IT.search(folded.text) is not None
    found = _AS_A_DAY.finditer(folded.text)
    return [folded.origin(*one.span()) for one in found if beside or _HABITS.match(folded.text, one.end())]
