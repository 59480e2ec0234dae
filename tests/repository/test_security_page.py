"""docs/security.md: every threat is answered in a file that exists, and proved by a test that does."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
THREATS = [
    [cell.strip() for cell in row.strip("|").split(" | ")]
    for row in PAGE.partition("## Threats")[2].partition("## What is not")[0].splitlines()
    if row.startswith("| ") and not row.startswith("| threat |")
]
PLACES = sorted(set(re.findall(r"`((?:mew_gateway|agents|tests)/[\w./-]+)", PAGE)))
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


@cache
def names(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_threat_has_an_answer_a_place_and_a_proof() -> None:
    assert len(THREATS) > 40
    for threat in THREATS:
        assert len(threat) == 4, threat
        _, answer, place, proof = threat
        assert answer and re.fullmatch(r"`(mew_gateway|agents)/[\w/.]+`", place), threat
        assert re.fullmatch(r"`tests/[\w/.]+(::test_\w+)?`(, `tests/[\w/.]+(::test_\w+)?`)*", proof), threat


@pytest.mark.parametrize("place", PLACES)
def test_every_place_exists(place: str) -> None:
    assert (ROOT / place).exists()


@pytest.mark.parametrize(("file", "test"), TESTS)
def test_every_test_exists(file: str, test: str) -> None:
    assert test in names(file)


def test_a_transcript_is_played_by_a_test() -> None:
    for place in PLACES:
        if place.startswith("tests/") and not place.endswith(".py"):
            assert place.startswith("tests/transcripts/") or place == "tests/config/refusals.txt", place


def test_the_page_says_what_is_not_defended_and_is_linked() -> None:
    for heading in ("## What is not defended", "## What an operator must do"):
        assert heading in PAGE
    for page in ("README.md", "SECURITY.md"):
        assert "docs/security.md" in (ROOT / page).read_text(encoding="utf-8")
