"""docs/findings.md: every finding of the examinations has a row, and every test that a row names exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/findings.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])]
    for row in PAGE.splitlines()
    if row.startswith("| ") and not row.startswith("| id |")
]
SEEDS = [
    "A-7",
    "A-8",
    "A-10",
    "A-11",
    "A-12",
    "A-21",
    "A-23",
    "A-24",
    "A-25",
    "A-31",
    "A-32",
    "A-34",
    "A-38",
    "A-46",
    "A-48",
    "A-53",
    "A-54",
    "A-58",
    "A-62",
    "A-66",
    "A-67",
    "A-74",
    "A-75",
    "A-92",
    "F-7",
    "F-11",
    "F-28",
    "F-29",
    "F-41",
    "F-55",
    "S-31",
    "M-20",
    "M-21",
    "M-45",
    "M-52",
    "M-53",
    "M-54",
    "D-13",
]
FINDINGS = [
    *(f"{letter}{number}" for letter, last in {"F": 15, "S": 4, "A": 21, "B": 10, "C": 10, "D": 16}.items()
      for number in range(1, last + 1)),
    *SEEDS,
]  # fmt: skip
LISTED = {id for row in ROWS for id in re.findall(r"\b[A-Z]-?\d+\b", row[0])}
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)", PAGE)))
PLACES = sorted(set(re.findall(r"`((?:tests|docs|bench)/[\w./-]+)`", PAGE)))


@cache
def names(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


@pytest.mark.parametrize("finding", FINDINGS)
def test_every_finding_has_a_row(finding: str) -> None:
    assert finding in LISTED


def test_every_row_says_what_and_how_it_is_known() -> None:
    assert [row for row in ROWS if len(row) != 3 or not all(row)] == []


@pytest.mark.parametrize("place", PLACES)
def test_every_place_exists(place: str) -> None:
    assert (ROOT / place).exists()


@pytest.mark.parametrize(("file", "test"), TESTS)
def test_every_test_exists(file: str, test: str) -> None:
    assert test in names(file)
