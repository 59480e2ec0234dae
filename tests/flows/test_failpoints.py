"""Every commit and every await of flows has its failpoints, by the rule of tests/fluxi/test_failpoints.py."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mew_agents.flows
from mew_agents.durable import around
from mew_agents.flows import points
from mew_agents.fluxi.points import POINTS

from ..fluxi import test_failpoints as fluxi
from ..fluxi.test_failpoints import Source, coroutines, names, pointless, unguarded

ROOT = Path(mew_agents.flows.__file__).parent
SHELLS = {"agent.py", "office.py", "participant"}  # they commit nothing of their own
ELSEWHERE = SHELLS | {"definitions", "replies", "understanding"}  # nothing of a dialogue happens there


def sources() -> list[Source]:
    files = sorted(path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in ELSEWHERE)
    return [
        Source("/".join(path.relative_to(ROOT).parts), ast.parse(path.read_text(encoding="utf-8"))) for path in files
    ]


ENGINE = sources()
# `asked` is where somebody else is asked: its call is guarded, and what it awaits is that.
OURS = coroutines(ENGINE) - {"asked"} | fluxi.OURS | {"understand", "extract"}
# A witness is told of what is committed; a line is where the messages of a conversation wait for one another.
OURS |= {"noted", "place", "_place", "_go_on", "go_on"}


@pytest.mark.parametrize("module", ENGINE, ids=lambda module: module.name)
def test_nothing_outside_is_awaited_without_a_failpoint_on_either_side(module: Source) -> None:
    assert unguarded(module, OURS) == []


@pytest.mark.parametrize("module", ENGINE, ids=lambda module: module.name)
def test_every_transaction_names_its_point(module: Source) -> None:
    assert pointless(module) == []


def test_the_shells_make_no_transaction() -> None:
    paths = [path for shell in SHELLS for path in sorted((ROOT / shell).rglob("*.py")) or [ROOT / shell]]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert [call for call in calls if fluxi.point_of(call)] == []


def test_the_registry_is_what_the_sources_pass() -> None:
    passed = names(ENGINE)
    assert set(points.OWN) == passed - set(POINTS)
    assert set(points.POINTS) == passed | set(POINTS)
    assert len(set(points.POINTS)) == len(points.POINTS)


def test_only_the_question_to_somebody_else_awaits_an_understander() -> None:
    """What is taken for guarded above is in one function, whose one call is."""
    found = [
        (module.name, function.name)
        for module in ENGINE
        for function in ast.walk(module.tree)
        if isinstance(function, ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Await) and fluxi.called(node.value) in ("understand", "extract")
    ]
    assert set(found) == {("deciding.py", "asked")}
    assert set(around("interpret")) <= names(ENGINE)
