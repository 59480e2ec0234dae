"""The hand-labelled phrases about dates and times, and what an extractor makes of one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from ruamel.yaml import YAML

from mew_agents.language.dates import dates
from mew_agents.language.durations import durations
from mew_agents.language.found import LANGUAGES, Found, Language
from mew_agents.language.moments import moments
from mew_agents.language.times import times

FOLDER = Path(__file__).parent / "corpus"
NOW = datetime(2026, 3, 10, 10, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))  # a Tuesday
Kind = Literal["date", "time", "moment", "duration"]

EXTRACTORS: dict[Kind, Callable[[str, Language, datetime], Sequence[Found[Any]]]] = {
    "date": lambda text, language, now: dates(text, language, now=now),
    "time": lambda text, language, _now: times(text, language),
    "moment": lambda text, language, now: moments(text, language, now=now),
    "duration": lambda text, language, _now: durations(text, language),
}


@dataclass(frozen=True)
class Row:
    """One labelled phrase: what `kind`'s extractor is to find in it."""

    language: Language
    text: str
    kind: Kind
    now: datetime
    alone: bool
    expected: dict[str, Any] | list[str] | None

    def found(self) -> dict[str, Any] | list[str] | None:
        """What is found, written as labels are."""
        found = EXTRACTORS[self.kind](self.text, self.language, self.now)
        if len(found) > 1:
            return [_written(one.value) for one in found]
        return _label(found[0], self.text) if found else None

    def __str__(self) -> str:
        return f"{self.language}-{self.now:%m%d}-{self.text}"


def rows(*kinds: Kind) -> list[Row]:
    """Every row of these kinds, the fresh set included."""
    return [
        row
        for stem in ("moments", "moments_fresh")
        for language in LANGUAGES
        for row in _rows(language, FOLDER / f"{stem}_{language}.yaml")
        if row.kind in kinds
    ]


def every(*kinds: Kind) -> pytest.MarkDecorator:
    """Runs a test with each row of these kinds."""
    return pytest.mark.parametrize("row", rows(*kinds), ids=str)


@cache
def _rows(language: Language, path: Path) -> tuple[Row, ...]:
    document = YAML(typ="safe").load(path)
    return tuple(_row(language, {"now": document["now"], "zone": document["zone"], **raw}) for raw in document["rows"])


def _row(language: Language, raw: dict[str, Any]) -> Row:
    now = datetime.fromisoformat(raw["now"]).replace(tzinfo=ZoneInfo(raw["zone"]))
    return Row(language, raw["text"], raw["kind"], now, raw.get("alone", False), _expected(raw))


def _expected(raw: dict[str, Any]) -> dict[str, Any] | list[str] | None:
    value = raw["value"]
    if value == "none":
        return None
    if isinstance(value, list):
        return value
    return {
        "value": value,
        "others": raw.get("others", []),
        "evidence": raw["evidence"],
        "doubts": raw.get("doubts", []),
    }


def _label(found: Found[Any], text: str) -> dict[str, Any]:
    return {
        "value": _written(found.value),
        "others": [_written(other) for other in found.alternatives],
        "evidence": found.evidence(text),
        "doubts": list(found.doubts),
    }


def _written(value: Any) -> Any:
    if isinstance(value, timedelta):
        return int(value.total_seconds()) // 60
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value:%H:%M}" if isinstance(value, time) else value.isoformat()
