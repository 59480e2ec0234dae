"""The types of single values in a definition: each parses, refuses with a sentence, writes itself canonically."""

from __future__ import annotations

import re
from datetime import time
from decimal import Decimal
from typing import Annotated, Any, TypeVar

import re2
from babel.numbers import list_currencies
from phonenumbers import SUPPORTED_REGIONS
from pydantic import AfterValidator, Field, PlainSerializer, PlainValidator, Strict, WithJsonSchema

from mew_agents.language.found import Language
from mew_gateway.documents import durations
from mew_gateway.documents.problems import did_you_mean, echo
from mew_gateway.documents.refusal import refuse

from . import template

_ID = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
_PATH = rf"^{template.NAME}$"
_TOOL = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}/[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
_ISO = r"^P(?!$)([0-9]{1,6}W)?([0-9]{1,6}D)?(T(?=[0-9])([0-9]{1,6}H)?([0-9]{1,6}M)?([0-9]{1,9}S)?)?$"
_NUMBER = r"^-?[0-9]{1,30}(\.[0-9]{1,12})?$"
_TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
_ISO_UNITS = (604_800_000, 86_400_000, 3_600_000, 60_000, 1_000)
_REGEX = re2.Options()
_REGEX.log_errors = False
_REGEX.max_mem = 1 << 20

_T = TypeVar("_T")


def _text(value: Any, suggestion: str) -> str:
    if not isinstance(value, str):
        raise refuse(f"{echo(value)} is not allowed here.", suggestion)
    return value


def _duration(value: Any) -> int:
    """ISO 8601 without years and months, whose length is not fixed, or a number and its unit."""
    examples = "such as 30s, 30m, 2h, 7d or PT30M"
    if isinstance(value, int) and not isinstance(value, bool):
        raise refuse(f"The duration {echo(value)} needs a unit.", f"`{value}s`, `{value}m`, …")
    text = _text(value, examples)
    try:
        found = _iso_duration(text) if text.startswith("P") else durations.milliseconds(text)
    except ValueError as error:
        raise refuse(f"{str(error).rstrip('.')}, not {echo(value)}.", examples) from None
    if found == 0:
        raise refuse("The duration must be longer than zero.")
    return found


def _iso_duration(text: str) -> int:
    match = re.fullmatch(_ISO, text)
    if match is None:
        raise ValueError("A duration in ISO 8601 is P with weeks, days, T, hours, minutes and seconds")
    counts = (match[1], match[2], match[4], match[5], match[6])
    found = sum(int(count[:-1]) * unit for count, unit in zip(counts, _ISO_UNITS, strict=True) if count)
    if found > durations.LONGEST:
        raise ValueError("A duration is at most 3650d")
    return found


def _number(value: Any) -> Decimal:
    """Text keeps every digit; a float counts as it is written."""
    written = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    if not isinstance(written, str) or re.fullmatch(_NUMBER, written) is None:
        raise refuse(f"{echo(value)} is no number.", "digits, with a `.` before decimals")
    return Decimal(written)


def _time(value: Any) -> time:
    if not isinstance(value, str) or re.fullmatch(_TIME, value) is None:
        raise refuse(f"{echo(value)} is no time of day.", 'such as "08:30", in quotes')
    return time.fromisoformat(value)


def _id(value: str) -> str:
    return _matched(value, _ID, "is no id", "1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit")


def _path(value: str) -> str:
    return _matched(value, _PATH, "is no path", "letters, digits and _, parted by dots, beginning with a small letter")


def _tool(value: str) -> str:
    return _matched(value, _TOOL, "is no tool", "`participant/name`, such as calendar/book_appointment")


def _matched(value: str, pattern: str, fault: str, suggestion: str) -> str:
    if re.fullmatch(pattern, value) is None:
        raise refuse(f"{echo(value)} {fault}.", suggestion)
    return value


def _sentence(value: str) -> str:
    if not value.strip():
        raise refuse("The text must not be empty.")
    return value


def _template(value: str) -> str:
    try:
        template.parse(_sentence(value))
    except ValueError as error:
        raise refuse(f"{error}.", "`{path}` is a slot's value; `{{` and `[[` are the signs themselves") from None
    return value


def _regex(value: str) -> str:
    try:
        re2.compile(value, _REGEX)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        told = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise refuse(f"This is no regular expression: {told or 'it is too big'}.", "RE2's syntax") from None
    return value


def _currency(value: str) -> str:
    if value not in _CURRENCIES:
        raise refuse(f"{echo(value)} is no currency.", "three capitals of ISO 4217, such as ARS, BRL or USD")
    return value


def _region(value: str) -> str:
    if value not in SUPPORTED_REGIONS:
        raise refuse(f"{echo(value)} is no region.", "two capitals of ISO 3166, such as AR, BR or US")
    return value


def _days(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise refuse("Expected a list of days.", f"of {', '.join(WEEKDAYS)}")
    for at, day in enumerate(value):
        if day not in WEEKDAYS:
            raise refuse(f"{echo(day)} is no day.", did_you_mean(str(day), WEEKDAYS), below=f"[{at}]")
    return tuple(sorted({WEEKDAYS.index(day) for day in value}))


def _schema(**schema: Any) -> WithJsonSchema:
    return WithJsonSchema(schema)


WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CURRENCIES = frozenset(code for code in list_currencies("en") if len(code) == 3)

# In milliseconds; written `30m` or `PT30M`.
Duration = Annotated[
    int,
    PlainValidator(_duration),
    PlainSerializer(lambda value: f"{value}ms"),
    _schema(
        anyOf=[{"type": "string", "pattern": durations.DURATION}, {"type": "string", "pattern": _ISO}],
        examples=["30s", "30m", "2h", "7d", "PT30M"],
    ),
]
Number = Annotated[
    Decimal,
    PlainValidator(_number),
    PlainSerializer(lambda value: format(value.normalize(), "f")),
    _schema(anyOf=[{"type": "number"}, {"type": "string", "pattern": _NUMBER}]),
]
TimeOfDay = Annotated[
    time,
    PlainValidator(_time),
    PlainSerializer(lambda value: value.isoformat("minutes")),
    _schema(type="string", pattern=_TIME, examples=["08:30"]),
]
# Numbers from 0, Monday, as `date.weekday()` counts; written as names.
Weekdays = Annotated[
    tuple[int, ...],
    PlainValidator(_days),
    PlainSerializer(lambda value: [WEEKDAYS[day] for day in value]),
    _schema(type="array", minItems=1, items={"enum": list(WEEKDAYS)}),
]
Id = Annotated[str, AfterValidator(_id), _schema(type="string", pattern=_ID)]
Path = Annotated[str, AfterValidator(_path), _schema(type="string", pattern=_PATH)]
Tool = Annotated[str, AfterValidator(_tool), _schema(type="string", pattern=_TOOL)]
Sentence = Annotated[str, AfterValidator(_sentence), _schema(type="string", minLength=1)]
TemplateText = Annotated[str, AfterValidator(_template), _schema(type="string", minLength=1)]
Regex = Annotated[str, AfterValidator(_regex), _schema(type="string", description="RE2; the whole value must match.")]
Currency = Annotated[str, AfterValidator(_currency), _schema(type="string", pattern="^[A-Z]{3}$")]
Region = Annotated[str, AfterValidator(_region), _schema(type="string", pattern="^[A-Z]{2}$")]

_Item = TypeVar("_Item")
# A list in the file, a tuple here.
Sequence = Annotated[tuple[_Item, ...], Strict(False)]
Some = Annotated[tuple[_Item, ...], Strict(False), Field(min_length=1)]
Words = dict[Language, Some[Sentence]]
Text = dict[Language, Sentence]

Templates = dict[Language, TemplateText]
