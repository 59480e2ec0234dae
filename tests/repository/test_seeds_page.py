"""docs/seeds.md leads from each rule of the sources to its tests: each that it names exists, and no rule has none."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs/seeds.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| 00\d", line)
]


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
