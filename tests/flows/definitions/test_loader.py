"""Bytes, files and folders to flows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mew_agents.flows.definitions import FlowError, check, check_files, load, parse, shipped
from mew_gateway.documents.composer import compose

SHOP = (Path(__file__).parent / "shop.yaml").read_text(encoding="utf-8")
SMALL = "flows:\n  hello:\n    title: {en: hello}\n    steps:\n      - {id: greet, say: {en: Hello}}\n"


def test_files_may_refer_to_each_other(tmp_path: Path) -> None:
    address = SHOP.index("  address:")
    (tmp_path / "a.yaml").write_text(SHOP[:address], encoding="utf-8")
    (tmp_path / "b.yml").write_text("flows:\n" + SHOP[address:], encoding="utf-8")
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    assert [flow.name for flow in load(tmp_path)] == ["order", "address", "survey"]
    assert load(tmp_path / "a.yaml", tmp_path / "b.yml") == load(tmp_path)
    alone = check_files([tmp_path / "a.yaml"])
    assert [problem.message for problem in alone.errors] == [
        "There is no flow `address`.",
        "There is no flow `survey`.",
    ]


def test_two_files_with_one_flow(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(SMALL, encoding="utf-8")
    (error,) = check_files([tmp_path]).errors
    assert str(error) == (
        f"{tmp_path / 'b.yaml'}:2:3: flows.hello: Another flow has this name, in {tmp_path / 'a.yaml'}:2 "
        "(give it another)"
    )


def test_json_is_taken_as_well() -> None:
    assert parse(json.dumps(compose(SHOP).root, indent="\t").encode()) == parse(SHOP.encode())


def test_a_file_is_named_in_what_is_said_about_it(tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    with pytest.raises(FlowError) as caught:
        load(file)
    assert str(caught.value) == f"{file}: There is no such file."
    file.write_text(SHOP.replace("ttl: 1h", "ttl: hour"), encoding="utf-8")
    with pytest.raises(FlowError) as caught:
        load(file)
    assert str(caught.value).startswith(f"{file}:38:103: flows.order.steps[6].ttl: ")


def test_no_files_are_no_flows(tmp_path: Path) -> None:
    assert load(tmp_path) == ()
    assert check_files([]).flows == ()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "1:1: The file is empty (docs/flow-files.md shows one)"),
        (b"5", "1:1: Expected a mapping (`key: value`), not `5`."),
        (b"flows: {}", "1:8: flows: At least one is needed."),
        (b"\xff", "1:1: The file is not UTF-8 (save it as UTF-8)"),
        (SMALL.encode() + SMALL[7:].encode(), "6:3: flows.hello: Duplicate key, first on line 2 (delete one)"),
        (b"flows: &a {}\nb: *a", "1:8: flows: `&` starts an anchor in YAML"),
        (b"[" * 3_000, "Nested deeper than 64 levels"),
        (b"x" * 1_100_000, "flows.yaml: The file is bigger than 1048576 bytes."),
    ],
)
def test_what_is_no_flow_file(data: bytes, expected: str) -> None:
    found = check(data)
    assert found.flows is None
    assert expected in "\n".join(map(str, found.errors))


def test_values_of_yaml_are_expressions() -> None:
    slots = "    slots: {n: {type: number}, b: {type: bool}, s: {type: string}, e: {type: int}}\n"
    step = "      - {id: fill, set: {n: 1.50, b: true, s: \"'x'\", e: null}}\n"
    (flow,) = parse((SMALL.replace("    steps:\n", slots + "    steps:\n") + step).encode())
    told = {name: expression.text for name, expression in flow.program.steps["fill"].set.items()}  # type: ignore[union-attr]
    assert told == {"n": "1.5", "b": "true", "s": "'x'", "e": "null"}


def test_the_shipped_ones_are_complete() -> None:
    flows = shipped()
    assert [flow.name for flow in flows] == ["balance", "transfer", "block_card", "onboarding"]
    for flow in flows:
        assert flow.languages == ("es", "pt", "en")
        assert flow.triggers
        for slot in flow.slots.values():
            if slot.slot.required:
                assert set(slot.slot.label) == set(slot.slot.prompt) == set(slot.explain) == set(flow.languages)
