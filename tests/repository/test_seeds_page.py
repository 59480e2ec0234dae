"""docs/seeds.md: every cited clause of the sources is listed with its code, and each rule with tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CLAUSES, RULES = (ROOT / "docs/seeds.md").read_text(encoding="utf-8").split("## From each rule to its tests")
CITED = re.compile(r"\bseeds? (00\d(?: §\d(?:\.\d)?)?)")


def rows(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if re.match(r"\| 00\d", line)
    ]


ROWS = rows(RULES)
LISTED = {row[0]: row[2] for row in rows(CLAUSES)}


def test_every_cited_clause_is_listed() -> None:
    sources = [*(ROOT / "mew_gateway").rglob("*.py"), *(ROOT / "agents").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    cited = {clause for path in sources for clause in CITED.findall(path.read_text(encoding="utf-8"))}
    assert len(cited) > 10
    assert cited - LISTED.keys() == set()


@pytest.mark.parametrize("clause", LISTED)
def test_a_clause_leads_to_code_that_exists(clause: str) -> None:
    links = re.findall(r"\]\(\.\./([^)]+)\)", LISTED[clause])
    assert links
    assert all((ROOT / link).is_file() for link in links)


def test_every_source_is_there() -> None:
    assert {row[0][:3] for row in ROWS} == {"000", "002", "003", "004"}
    assert {row[0] for row in ROWS} >= {f"000 §{number}" for number in range(1, 10)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]}"[:60])
def test_a_rule_has_tests_that_exist(row: list[str]) -> None:
    _, rule, tests = row
    named = re.findall(r"`(tests/[^`]+)`", tests)
    assert rule and named
    for one in named:
        file, _, function = one.partition("::")
        assert (ROOT / file).is_file(), one
        if function:
            tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
            defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
            assert function in defined, one
