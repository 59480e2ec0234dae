"""The table of codes is complete, and nothing in it is idle (docs/protocol.md §7)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import mew_gateway
from mew_gateway.protocol.codes import CLOSES, ERRORS, may_reconnect

PACKAGE = Path(mew_gateway.__file__).parent
SAYS = ("Rejected", "notify", "broadcast_error")  # and where the code stands among their arguments
WHERE = {"Rejected": 0, "notify": 1, "broadcast_error": 0}


def _calls(folder: str) -> Iterator[tuple[str, ast.Call, str]]:
    """Every call of these names under a folder: file and line, the call, the name."""
    for file in sorted((PACKAGE / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in SAYS or name == "Fatal":
                    yield f"{file.relative_to(PACKAGE)}:{node.lineno}", node, name


def _constants(node: ast.expr, place: str = "") -> Iterator[object]:
    """What an argument may be: a constant, one of a choice, or what a function of the same file returns."""
    if isinstance(node, ast.IfExp):
        yield from _constants(node.body, place)
        yield from _constants(node.orelse, place)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        for returned in _returned(place.partition(":")[0], node.func.id):
            yield from _constants(returned, place)
    else:
        yield node.value if isinstance(node, ast.Constant) else ast.unparse(node)


def _returned(file: str, function: str) -> list[ast.expr]:
    """What a function of the file returns, as it is written there."""
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    (definition,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)
    return [node.value for node in ast.walk(definition) if isinstance(node, ast.Return) and node.value is not None]


SAID = [
    (place, code)
    for folder in ("protocol", "space", "gateway")
    for place, call, name in _calls(folder)
    if name in SAYS
    for code in _constants(call.args[WHERE[name]], place)
]


def test_scan_finds_codes_in_the_source() -> None:
    assert len(SAID) > 40
    assert {"capability_violation", "interrupt_overrun", "cannot_ack", "duplicate_key"} <= {code for _, code in SAID}


@pytest.mark.parametrize(("place", "code"), SAID, ids=[f"{place} {code}" for place, code in SAID])
def test_every_code_is_in_the_table(place: str, code: object) -> None:
    assert code in ERRORS, place


@pytest.mark.parametrize("code", ERRORS)
def test_every_code_in_the_table_is_used(code: str) -> None:
    assert code in {said for _, said in SAID}


def test_every_close_code_is_in_the_table() -> None:
    closing = [
        (place, code) for place, call, name in _calls("gateway") if name == "Fatal" for code in _constants(call.args[0])
    ]
    assert closing
    assert [place for place, code in closing if code not in CLOSES] == []


@pytest.mark.parametrize("row", [*ERRORS.values(), *CLOSES.values()], ids=[*ERRORS, *map(str, CLOSES)])
def test_every_code_has_a_meaning_and_a_remedy(row: tuple[str, str]) -> None:
    assert all(text.endswith(".") and (text[0].isupper() or text[0] == "`") for text in row)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        *((code, True) for code in (1000, 1012, 4008, 4009, 4010, 4029, 4499)),
        (4500, False),
        (4501, False),
        (4999, False),
    ],
)
def test_close_codes_from_4500_mean_stop(code: int, expected: bool) -> None:
    assert may_reconnect(code) is expected
