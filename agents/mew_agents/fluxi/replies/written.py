"""Values as people of a language write them: days in full, money with its currency, lists with an "or"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import assert_never
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_time
from babel.lists import format_list
from babel.numbers import format_currency, format_decimal
from babel.units import format_unit

from mew_agents.language.found import Language

_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_JOINED = {"es": "{} a las {}", "pt": "{} às {}", "en": "{} at {}"}
_JOINED_AT_ONE = {**_JOINED, "es": "{} a la {}", "pt": "{} à {}"}


def day(value: date, language: Language) -> str:
    """`viernes, 27 de noviembre de 2026`"""
    return _plain(format_date(value, "full", locale=_locale(language)))


def hour(value: time, language: Language) -> str:
    """`17:00`, in English `5:00 PM`"""
    return _plain(format_time(value.replace(tzinfo=None), "short", locale=_locale(language)))


def moment(value: datetime, language: Language, zone: ZoneInfo) -> str:
    """`viernes, 27 de noviembre de 2026 a las 17:00`. `value` is aware; the hour is that of the zone."""
    local = value.astimezone(zone)
    joined = _JOINED_AT_ONE if local.hour == 1 else _JOINED
    return joined[language].format(day(local.date(), language), hour(local.timetz(), language))


def money(amount: Decimal, currency: str, language: Language) -> str:
    """`25,00 US$`, `US$ 25,00`, `$25.00`"""
    return _plain(format_currency(amount, currency, locale=_locale(language)))


def number(value: Decimal | int, language: Language) -> str:
    """`1.500,5`, in English `1,500.5`; every digit that it has."""
    return _plain(format_decimal(value, locale=_locale(language), decimal_quantization=False))


def length(value: timedelta, language: Language) -> str:
    """`1 hora y 30 minutos`; parts of a second are dropped."""
    left = abs(int(value.total_seconds()))
    parts = []
    for unit, seconds in _UNITS:
        count, left = divmod(left, seconds)
        if count:
            parts.append(_unit(count, unit, language))
    return listed(parts or [_unit(0, "minute", language)], language, "and")


def listed(items: Sequence[str], language: Language, joint: str = "or") -> str:
    """`a, b o c`; with the joint `and`: `a, b y c`."""
    match joint:
        case "or" | "and":
            return format_list(list(items), "or" if joint == "or" else "standard", locale=_locale(language))
        case _:
            raise ValueError(f"no joint {joint!r}")


def weekday(index: int, language: Language) -> str:
    """The name of a day; 0 is Monday."""
    return str(_locale(language).days["format"]["wide"][index])


def _unit(count: int, unit: str, language: Language) -> str:
    return _plain(format_unit(count, unit, "long", locale=_locale(language)))


@lru_cache
def _locale(language: Language) -> Locale:
    match language:
        case "es" | "pt" | "en":
            return Locale(language)
        case _:
            assert_never(language)


def _plain(text: str) -> str:
    """Without the spaces that only typesetters know: people copy these words into their answers."""
    return text.replace("\u202f", " ").replace("\xa0", " ")
