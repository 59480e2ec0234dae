"""docs/fluxi-invariants.md: each of the eight invariants names its tests, and every test that is named exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
ROWS = re.findall(r"^\| (\d) \|.*\|(.*)\|$", (ROOT / "docs/fluxi-invariants.md").read_text(encoding="utf-8"), re.M)
TESTS = {number: re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", named) for number, named in ROWS}


def test_all_eight_are_held_by_tests() -> None:
    assert [number for number, _ in ROWS] == list("12345678")
    assert [number for number, named in TESTS.items() if not named] == []


@pytest.mark.parametrize(("file", "test"), sorted({one for named in TESTS.values() for one in named}))
def test_what_is_named_exists(file: str, test: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
