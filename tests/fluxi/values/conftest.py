"""A definition with a slot of every type, and what an interpreter is told on a Tuesday in Buenos Aires."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mew_agents.fluxi.definitions import Definition, check
from mew_agents.fluxi.interpreter.base import Understanding

NOW = datetime(2026, 11, 24, 10, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
EVERYTHING = check((Path(__file__).parent / "everything.yaml").read_bytes()).require()
ROOMS = {"rooms/list": {"r1": ("Sala Azul", "la azul"), "r2": ("Sala Verde",)}}


@pytest.fixture
def everything() -> Definition:
    return EVERYTHING


@pytest.fixture
def told() -> Callable[..., Understanding]:
    """An understanding; what is given replaces what it is by default: Spanish, within the Work, nothing asked."""

    def understanding(**changes: Any) -> Understanding:
        return replace(
            Understanding(language="es", now=NOW, within="everything", asked="", lists=ROOMS),
            **changes,
        )

    return understanding
