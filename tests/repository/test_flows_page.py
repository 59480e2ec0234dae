"""docs/flows.md: every element of the seed has its module and its test, and its Python transfers once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mew_agents.flows import commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "flows.md"
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
# Everything that the two diagrams of seed 003 name.
SEED = (
    "RuntimeLoop", "orchestrator_node", "understand_node", "SoniDU", "SlotExtractor", "FlowDelta", "FlowManager",
    "DialogueState", "checkpointer", "interrupt", "resume", "Active Subgraph", "Final Response", "history",
)  # fmt: skip


def rows() -> list[list[str]]:
    page = PAGE.read_text(encoding="utf-8")
    table = page.partition("## 1. From the seed")[2].partition("\n\nWhere")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith("| seed 003")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("element", SEED)
def test_every_element_of_the_seed_has_its_row(element: str) -> None:
    assert any(element in row[0] for row in rows())


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:30])
def test_a_row_names_what_exists(row: list[str]) -> None:
    modules, tests = _CODE.findall(row[1]), _CODE.findall(row[2])
    assert modules
    assert tests
    for module in modules:
        if module.endswith(".py"):
            assert (ROOT / "agents" / "mew_agents" / "flows" / module).is_file(), module
    for name in tests:
        path, _, function = name.partition("::")
        assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name


def test_every_command_is_told() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for kind in commands.AnyCommand.__args__:
        assert f"`{kind.__struct_config__.tag}`" in page


def test_its_python_transfers_once(tmp_path: Path) -> None:
    (program,) = _PYTHON.findall(PAGE.read_text(encoding="utf-8"))
    (tmp_path / "transfer.py").write_text(program, encoding="utf-8")

    def run() -> list[str]:
        done = subprocess.run(
            [sys.executable, "transfer.py"], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60
        )
        return done.stdout.splitlines()

    first = run()
    assert [line.partition(" ")[0] for line in first] == ["request_confirmation", "request_confirmation", "completed"]
    assert "80" in first[2]
    assert run() == first  # the same messages again: the same results, and no second transfer
