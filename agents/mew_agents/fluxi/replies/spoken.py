"""A value in words: a number, a moment, a list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TypeAlias

from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.replies import written
from mew_agents.fluxi.replies.sentences import TONGUES

Sayable: TypeAlias = "str | int | Decimal | datetime | date | time | timedelta | Sequence[str] | None"


def every(names: Sequence[str], policy: PolicyContext) -> str:
    """All of them in a row: `la reserva y el aviso`; of none, nothing."""
    return written.listed(names, policy.language, "and") if names else ""


def spoken(value: Sayable, policy: PolicyContext) -> str:
    """A value in words."""
    language = policy.language
    match value:
        case str():
            return value
        case bool():
            return TONGUES[language].yes if value else TONGUES[language].no
        case int() | Decimal():
            return written.number(value, language)
        case datetime():
            return written.moment(value, language, policy.zone)
        case date():
            return written.day(value, language)
        case time():
            return written.hour(value, language)
        case timedelta():
            return written.length(value, language)
        case None:
            return ""
        case _:
            return written.listed([spoken(item, policy) for item in value], language)
