"""Every commit and every await of the engine has its failpoints, read from the sources with `ast`.

The rule: a transaction is `….write(work, point="name")`, and an await of anything outside the engine is a statement of
its own between `….reach("name.before")` and `….reach("name.after")`. The registry holds these names and no others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import mew_agents.fluxi
from mew_agents.durable import around
from mew_agents.fluxi.points import POINTS

ROOT = Path(mew_agents.fluxi.__file__).parent
SEAMS = {"ports.py", "local_port.py", "office.py", "interpreter"}  # what is outside: tools, carriers, interpreters
SHELLS = {"agent.py", "drill.py", "participant"}  # they commit nothing of their own: see below
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


class Source(NamedTuple):
    name: str
    tree: ast.Module


def sources(*, seams: bool) -> list[Source]:
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).parts
        if parts[0] not in SHELLS and (parts[0] in SEAMS) is seams:
            found.append(Source("/".join(parts), ast.parse(path.read_text(encoding="utf-8"))))
    return found


def coroutines(modules: Iterable[Source]) -> set[str]:
    """The names of what these modules define with `async def`."""
    return {node.name for module in modules for node in ast.walk(module.tree) if isinstance(node, ast.AsyncFunctionDef)}


def called(node: ast.AST) -> str:
    """The last name of what is called: `write` of `self._database.write(…)`; "" if `node` is no call."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def word(expression: ast.expr | None) -> str:
    """The string that is written there; "" for anything else."""
    return expression.value if isinstance(expression, ast.Constant) and isinstance(expression.value, str) else ""


def reached(statement: ast.stmt | None) -> str:
    """The name in `….reach("name")`, where that is the whole statement."""
    if isinstance(statement, ast.Expr) and called(statement.value) == "reach":
        argument = statement.value.args[0]  # type: ignore[attr-defined]
        return word(argument)
    return ""


def point_of(call: ast.Call) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == "point"), None)


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield block


def waits(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    """What a statement itself waits for, without the blocks in it: the name of the call, and the line."""
    if isinstance(statement, ast.AsyncFor):
        yield "", statement.lineno
    if isinstance(statement, ast.AsyncWith):
        for item in statement.items:
            yield called(item.context_expr) or getattr(item.context_expr, "attr", ""), statement.lineno
    inner = [
        child
        for child in ast.iter_child_nodes(statement)
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
    ]
    for child in [] if isinstance(statement, FUNCTION | ast.ClassDef) else inner:
        for node in ast.walk(child):
            if isinstance(node, ast.Await):
                yield called(node.value), node.lineno
            if isinstance(node, ast.comprehension) and node.is_async:
                yield "", statement.lineno


def unguarded(module: Source, ours: set[str]) -> list[str]:
    """Where a module waits for something outside without a failpoint before and after."""
    found = []
    for block in blocks(module.tree):
        for before, statement, after in zip([None, *block], block, [*block[1:], None], strict=False):
            pair = (reached(before), reached(after))
            names = pair[0].removesuffix(".before")
            guarded = bool(names) and pair == around(names)
            found += [f"{module.name}:{line}" for name, line in waits(statement) if name not in ours and not guarded]
    return found


def points_in(function: ast.AST) -> list[str] | None:
    """The words that a function's variable `point` is given, `[]` for a parameter; None: there is no such variable."""
    if isinstance(function, FUNCTION) and any(argument.arg == "point" for argument in function.args.kwonlyargs):
        return []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and [getattr(one, "id", "") for one in node.targets] == ["point"]:
            return [word(one) for one in _results(node.value) if word(one)]
    return None


def _results(value: ast.expr) -> list[ast.expr]:
    """What an expression may be: the two sides of `a if x else b`, or itself."""
    return [*_results(value.body), *_results(value.orelse)] if isinstance(value, ast.IfExp) else [value]


def pointless(module: Source) -> list[str]:
    """Where a module awaits a transaction without `point=`, or with one that cannot be read from the source."""
    found = []
    for function in [node for node in ast.walk(module.tree) if isinstance(node, FUNCTION)]:
        for node in ast.walk(function):
            if isinstance(node, ast.Await) and isinstance(node.value, ast.Call) and called(node.value) == "write":
                point = point_of(node.value)
                named = isinstance(point, ast.Name) and point.id == "point" and points_in(function) is not None
                if not (word(point) or named):
                    found.append(f"{module.name}:{node.lineno}")
    return found


def names(modules: Iterable[Source]) -> set[str]:
    """Every failpoint that these modules can pass."""
    found: set[str] = set()
    for node in [node for module in modules for node in ast.walk(module.tree)]:
        if isinstance(node, FUNCTION):
            found.update(around(*(points_in(node) or ())))
        if isinstance(node, ast.Call) and (point := word(point_of(node))):
            found.update(around(point))
        if isinstance(node, ast.Expr):
            found.add(reached(node))
    return found - {""}


ENGINE = sources(seams=False)
OURS = coroutines(ENGINE) | {"write", "read"}
# Waits in which nothing outside takes part.
OURS |= {
    "_one",  # the relay's lock: one at a time in a process
    "_again",  # the engine's own `handle`, which the schedule is given
    # A witness is told of what is committed and takes no part in it: whatever ends the process while it looks ends it
    # between two points that stand around what it sees.
    "saw",
    "attempt",
    "around",
    # What an attempt of the witness is entered with.
    "AsyncExitStack",
    "enter_async_context",
}


@pytest.mark.parametrize("module", ENGINE, ids=lambda module: module.name)
def test_nothing_outside_is_awaited_without_a_failpoint_on_either_side(module: Source) -> None:
    assert unguarded(module, OURS) == []


def test_the_shells_make_no_transaction() -> None:
    paths = [path for shell in SHELLS for path in sorted((ROOT / shell).rglob("*.py")) or [ROOT / shell]]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    assert [call for tree in trees for call in ast.walk(tree) if isinstance(call, ast.Call) and point_of(call)] == []


@pytest.mark.parametrize("module", ENGINE, ids=lambda module: module.name)
def test_every_transaction_names_its_point(module: Source) -> None:
    assert pointless(module) == []


def test_the_registry_is_what_the_sources_pass() -> None:
    assert set(POINTS) == names(ENGINE)
    assert len(set(POINTS)) == len(POINTS)


def test_no_name_stands_for_something_of_the_engine_and_something_outside() -> None:
    outside = [source for source in sources(seams=True) if source.name != "office.py"]  # which waits for nobody
    assert coroutines(ENGINE) & coroutines(outside) == set()


GOOD = """
async def turn(self, *, point):
    self._failpoints.reach("send.before")
    answer = await self._tools.send(1)
    self._failpoints.reach("send.after")
    await self.database.write(work, point="turn")
    await self.database.write(work, point=point)
    return await self.turn(point="other")

async def other(self):
    point = "one" if self else "two"
    await self.turn(point=point)
"""


def test_the_rule_is_kept_by_an_engine_that_keeps_it() -> None:
    good = Source("good", ast.parse(GOOD))
    assert unguarded(good, {"write", "read", "turn"}) == []
    assert pointless(good) == []
    assert names([good]) == set(around("send", "turn", "other", "one", "two"))


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ('    self._failpoints.reach("send.before")\n', ""),
        ('    self._failpoints.reach("send.after")\n', ""),
        ('"send.after"', '"sent.after"'),
        ("    answer = await", "    pass\n    answer = await"),
        ("await self._tools.send(1)", "[x async for x in self._tools.send(1)]"),
        ("    return await", "    async with self._lock:\n        pass\n    return await"),
        ("    return await", "    async for x in self._lines:\n        pass\n    return await"),
        ("    return await", "    await task\n    return await"),
        ("    return await", "    if await self._tools.ask():\n        pass\n    return await"),
    ],
)
def test_the_rule_sees_an_await_that_breaks_it(was: str, becomes: str) -> None:
    assert was in GOOD
    changed = GOOD.replace(was, becomes)
    if "async for x in self._tools" in changed:
        changed = changed.replace('    self._failpoints.reach("send.before")\n', "")
    assert unguarded(Source("bad", ast.parse(changed)), {"write", "read", "turn"})


@pytest.mark.parametrize("becomes", ["", ", point=name", ', point=f"turn.{self}"'])
def test_the_rule_sees_a_transaction_without_a_point(becomes: str) -> None:
    changed = GOOD.replace(', point="turn"', becomes)
    assert pointless(Source("bad", ast.parse(changed)))
