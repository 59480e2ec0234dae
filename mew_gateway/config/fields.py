"""Types of single values in spaces.yaml: each has a parser, error sentences and a JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_args, get_type_hints
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema

from mew_gateway.documents import durations
from mew_gateway.documents.problems import did_you_mean, echo
from mew_gateway.documents.refusal import refuse
from mew_gateway.protocol import ids
from mew_gateway.space.settings import Rate, Step

from . import quantities, tokens
from .address import address

_LONGEST_ACCOUNT = 100  # characters, as in the agents' option
_ESCALATION_STEPS: tuple[str, ...] = get_args(get_type_hints(Step)["name"])
_AGENT = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*$"
_T = TypeVar("_T")


def _duration(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        raise refuse(f"The duration {echo(value)} needs a unit.", f"`{value}s`, `{value}ms`, …")
    return _parsed(durations.milliseconds, value, "such as 500ms, 30s, 5m, 2h or 7d")


def _positive_duration(value: Any) -> int:
    milliseconds = _duration(value)
    if milliseconds == 0:
        raise refuse("The duration must be longer than zero.")
    return milliseconds


def _rate(value: Any) -> Rate:
    return _parsed(quantities.rate, value, "such as 5/10s: five in any ten seconds")


def _parsed(parse: Callable[[str], _T], value: Any, suggestion: str) -> _T:
    if not isinstance(value, str):
        raise refuse(f"{echo(value)} is not allowed here.", suggestion)
    try:
        return parse(value)
    except ValueError as error:
        raise refuse(f"{str(error).rstrip('.')}, not {echo(value)}.", suggestion) from None


def _id(value: str) -> str:
    if ids.is_reserved(value):
        raise refuse("This id is the gateway's own.", "take a name that does not start with `gw-`")
    if not ids.is_valid(value):
        raise refuse("An id is 1 to 64 of A-Z a-z 0-9 . _ - and starts with a letter or digit.")
    return value


def _listen(value: str) -> str:
    if value.startswith("unix:"):
        raise refuse("Listening on a Unix socket is not supported yet by this version.", "such as 127.0.0.1:8080")
    _parsed(address, value, "such as 127.0.0.1:8080")
    return value


def _account(value: str) -> str:
    if not (1 <= len(value) <= _LONGEST_ACCOUNT and value.isprintable()):
        raise refuse(f"An account is 1 to {_LONGEST_ACCOUNT} printable characters.")
    return value


def _journal_url(value: str) -> str:
    if value != "memory:" and (not value.startswith("sqlite:") or value == "sqlite:"):
        raise refuse(f"{echo(value)} is not a journal URL.", "`sqlite:PATH` or `memory:`")
    return value


def _origin(value: str) -> str:
    form = "scheme, host and port only, such as https://example.org or http://localhost:3000"
    try:
        parts = urlsplit(value)
        plain = f"{parts.scheme}://{parts.netloc}" == value and parts.hostname and parts.port != 0
    except ValueError:
        plain = False
    if not plain or parts.scheme not in ("http", "https") or re.search(r"[@*\s]", value):
        raise refuse(f"{echo(value)} is not an origin.", form)
    return value


def _agent(value: str) -> str:
    if re.fullmatch(_AGENT, value) is None:
        raise refuse(f"{echo(value)} is not an agent.", "an agent is `module:Class`")
    return value


def _token(value: str) -> str:
    fault = tokens.fault_of(value)
    if fault is not None:
        raise refuse(f"The token {fault}.", "leave it out to have one generated")
    return value


def _word(value: Any) -> str:
    if isinstance(value, bool | int | float):  # as it would be written in JSON
        return json.dumps(value)
    if not isinstance(value, str):
        raise refuse("Expected text.")
    return value


def _variable(value: str) -> str:
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) is None:
        raise refuse("A variable is A-Z a-z 0-9 _ and does not start with a digit.")
    return value


def _found_token(value: str) -> str:
    fault = "is empty" if not value else tokens.fault_of(value, shortest=1)
    if fault is not None:
        raise refuse(f"The token {fault}.", "leave it out to have one generated")
    return value


def _step(value: Any) -> Step:
    name, after = value, 0
    if isinstance(value, dict) and len(value) == 1:
        name, details = next(iter(value.items()))
        if not (isinstance(details, dict) and list(details) == ["after"]):
            raise refuse("A step written as a mapping needs the key `after`.", f"`{{{name}: {{after: 10s}}}}`")
        after = _duration(details["after"])
    if not isinstance(name, str):
        raise refuse("A step is a name.", "`notify`, or `{pause: {after: 10s}}`")
    if name not in _ESCALATION_STEPS:
        raise refuse(f"{echo(name)} is not an escalation step.", did_you_mean(name, _ESCALATION_STEPS))
    return Step(name, after)  # type: ignore[arg-type]


_DURATION_SCHEMA: dict[str, Any] = {
    "type": "string",
    "pattern": durations.DURATION,
    "examples": ["500ms", "30s", "5m", "2h", "7d"],
}
_STEP_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"enum": list(_ESCALATION_STEPS)},
        {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "propertyNames": {"enum": list(_ESCALATION_STEPS)},
            "additionalProperties": {
                "type": "object",
                "required": ["after"],
                "additionalProperties": False,
                "properties": {"after": {**_DURATION_SCHEMA, "description": "Counted from the step before."}},
            },
        },
    ]
}
PATTERN: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
    ]
}


def _schema(**schema: Any) -> WithJsonSchema:
    return WithJsonSchema(schema)


Duration = Annotated[int, PlainValidator(_positive_duration), WithJsonSchema(_DURATION_SCHEMA)]
Delay = Annotated[int, PlainValidator(_duration), WithJsonSchema(_DURATION_SCHEMA)]
Frequency = Annotated[
    Rate,
    PlainValidator(_rate),
    _schema(type="string", pattern=quantities.RATE, examples=["5/10s", "3/60s"]),
]
EscalationStep = Annotated[Step, PlainValidator(_step), WithJsonSchema(_STEP_SCHEMA)]
Id = Annotated[str, AfterValidator(_id), _schema(type="string", pattern=f"^{ids.ID.pattern}$")]
Account = Annotated[str, AfterValidator(_account), _schema(type="string", minLength=1, maxLength=_LONGEST_ACCOUNT)]
Listen = Annotated[
    str, AfterValidator(_listen), _schema(type="string", examples=["127.0.0.1:8080", "localhost:8080", "[::1]:8080"])
]
JournalUrl = Annotated[str, AfterValidator(_journal_url), _schema(type="string", pattern="^(memory:$|sqlite:.)")]
Origin = Annotated[str, AfterValidator(_origin), _schema(type="string", pattern="^https?://[^/@*]+$")]
Agent = Annotated[str, AfterValidator(_agent), _schema(type="string", pattern=_AGENT)]
Token = Annotated[str, AfterValidator(_token), _schema(type="string", pattern=tokens.TOKEN)]
Word = Annotated[str, PlainValidator(_word)]
Variable = Annotated[str, AfterValidator(_variable)]
FoundToken = Annotated[str, AfterValidator(_found_token)]
Text = Annotated[str, Field(min_length=1)]
