"""What is published of flow files: docs/flow-files.md is right and complete, and the schema current."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from mew_agents.flows.definitions import check
from mew_agents.flows.definitions.arguments import FromExpression
from mew_agents.flows.definitions.model import FlowBody
from mew_agents.flows.definitions.operators import FUNCTIONS
from mew_agents.flows.definitions.phrases import Phrase
from mew_agents.flows.definitions.schema import FILE, render
from mew_agents.flows.definitions.section import FlowSection
from mew_agents.flows.definitions.slot_types import AnyType
from mew_agents.flows.definitions.steps import Else, FlowRetry, Step, Undo, When

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "flow-files.md").read_text(encoding="utf-8")
EXAMPLE, *_PARTS = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)  # the others are parts of one
VALIDATORS = tuple(kind.model_fields["validators"].annotation for kind in get_args(AnyType))
SECTIONS: tuple[type[FlowSection], ...] = (
    *(FlowBody, Phrase, When, Else, FlowRetry, Undo, FromExpression),
    *get_args(AnyType),
    *VALIDATORS,
    *get_args(Step),
)


def test_the_example_is_right() -> None:
    found = check(EXAMPLE.encode())
    assert (found.errors, [str(warning) for warning in found.warnings]) == ((), [])


def test_the_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bank.yaml").write_text(EXAMPLE, encoding="utf-8")
    Path("flows").mkdir()
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(block, "flow-files.md", "exec"), {})
    assert capsys.readouterr().out.startswith("rename@")


def test_every_key_and_type_is_named() -> None:
    for section in SECTIONS:
        for name, field in section.model_fields.items():
            assert re.search(rf"[`.{{ ]{field.alias or name}[`:.}},]", PAGE), f"{section.__name__}.{name}"
    for kind in get_args(AnyType):
        for name in get_args(kind.model_fields["type"].annotation):
            assert f"`{name}`" in PAGE


def test_every_function_is_named() -> None:
    assert f"`{' '.join(sorted(FUNCTIONS))}`" in PAGE


def test_the_schema_is_current() -> None:
    assert (ROOT / "schemas" / FILE).read_text(encoding="utf-8") == render(), "run `make schemas`"
