"""The mutations are sound: each changes one place of one file, and every package has some."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from .mutation import ROOT, WIRE, Mutation, mutations, verdicts

ALL = [one for several in mutations().values() for one in several]
LEAST, TOTAL = 3, 60
PACKAGES = (
    *("protocol", "space", "journal", "gateway", "sdk"),
    *("cli", "config", "documents", "compliance", "schemas"),
)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_a_mutation_changes_one_place_and_still_compiles(one: Mutation) -> None:
    source = (ROOT / one.file).read_text(encoding="utf-8")
    changed = one.mutated(source)
    assert one.replace != one.search
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_a_mutation_says_what_breaks_and_which_tests_look(one: Mutation) -> None:
    assert one.breaks.endswith(".")
    assert "\n" not in one.breaks
    for path in (*one.tests, *WIRE):
        assert (ROOT / path.partition("::")[0]).exists(), path


def test_every_id_is_unique() -> None:
    assert [id for id, count in Counter(one.id for one in ALL).items() if count > 1] == []


def test_every_package_has_its_mutations() -> None:
    found = mutations()
    assert set(found) == set(PACKAGES)
    assert len(ALL) == TOTAL
    for package, several in found.items():
        assert len(several) >= LEAST, package
        for one in several:
            assert one.id.startswith(f"{package}-")
            assert Path(one.file).is_relative_to(f"mew_gateway/{package}"), one.file


def test_every_verdict_is_of_a_mutation() -> None:
    assert set(verdicts()) <= {one.id for one in ALL}


def test_a_search_text_that_is_gone_is_told() -> None:
    with pytest.raises(ValueError, match="occurs 0 times"):
        ALL[0].mutated("")
