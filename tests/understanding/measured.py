"""The figures of the open half as they were measured last: what the test does not let get worse."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from .cases import HERE
from .player import VERDICTS
from .report import Figures, Result, by_language

_FILE: Final = HERE / "measured.json"


def read() -> dict[str, dict[str, int]]:
    """By language: how many cases were played, and how many came out how."""
    found: dict[str, dict[str, int]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def write(results: Sequence[Result]) -> None:
    """Keeps the figures of today."""
    told: dict[str, Any] = {language: plain(figures) for language, figures in by_language(results).items()}
    _FILE.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def plain(figures: Figures) -> dict[str, int]:
    """Figures as they are kept."""
    return {"cases": figures.cases, **{verdict: figures.counts[verdict] for verdict in VERDICTS}}


def worse(known: dict[str, int], now: dict[str, int]) -> Iterator[str]:
    """In what figures are worse than the known ones, or cannot be compared with them."""
    if known["cases"] != now["cases"]:
        yield f"{now['cases']} cases are written, and the figures are of {known['cases']}: record them anew"
        return
    if now["understood"] < known["understood"]:
        yield f"{now['understood']} are understood, and {known['understood']} were"
    for verdict in ("not_understood", "wrong_and_confirmed"):
        if now[verdict] > known[verdict]:
            yield f"{now[verdict]} are {verdict}, and {known[verdict]} were"
