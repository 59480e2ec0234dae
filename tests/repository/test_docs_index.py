"""docs/README.md lists every page, and docs/walkthrough.md names places that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
WALKTHROUGH = (DOCS / "walkthrough.md").read_text(encoding="utf-8")
PLACES = re.findall(r"`((?:\w+/)*\w+\.py)`(?:, `([\w.]+)`)?", WALKTHROUGH)


def test_every_page_is_in_the_index() -> None:
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "README.md").read_text(encoding="utf-8")))
    assert linked == {page.name for page in DOCS.glob("*.md")} - {"README.md"}


def test_the_walkthrough_names_many_places() -> None:
    assert len(PLACES) > 25


@pytest.mark.parametrize(("path", "name"), sorted(set(PLACES)))
def test_a_place_of_the_walkthrough_exists(path: str, name: str) -> None:
    files = [file for file in (ROOT / "mew_gateway").rglob(path.rpartition("/")[2]) if str(file).endswith(f"/{path}")]
    assert files, path
    if name:
        defined = {
            node.name
            for file in files
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert set(name.split(".")) <= defined, f"{path} has no {name}"
