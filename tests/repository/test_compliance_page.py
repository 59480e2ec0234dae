"""docs/compliance.md: its tests pass, and it tells of every case and exercise; the plugin in it is one."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import PIPE, STDOUT
from importlib import import_module
from pathlib import Path

from mew_gateway.compliance.cases import CASES
from mew_gateway.compliance.exercises import EXERCISES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "compliance.md").read_text(encoding="utf-8")
TIMEOUT = 60.0


async def test_the_tests_on_it_pass(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "test_page.py").write_text(block, encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "-p", "mew_gateway.compliance.pytest_plugin", "-p", "no:cacheprovider"),
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=PIPE,
        stderr=STDOUT,
    )
    async with asyncio.timeout(TIMEOUT):
        output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    assert "2 passed" in output.decode()


def test_it_tells_of_every_case_and_of_every_exercise() -> None:
    first_cells = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
    assert first_cells == [*(case.name for case in CASES), *EXERCISES]


def test_every_need_of_a_case_is_judged_before_it() -> None:
    names = [case.name for case in CASES]
    for index, case in enumerate(CASES):
        assert set(case.needs) <= set(names[:index]), case.name
        assert {*case.only, *case.besides} <= set(EXERCISES), case.name


def test_pytest_finds_the_plugin() -> None:
    declared = re.search(
        r"^\[project\.entry-points\.pytest11\]\nmew = \"(.+)\"$", (ROOT / "pyproject.toml").read_text(), re.M
    )
    assert declared is not None
    assert hasattr(import_module(declared[1]), "comply")
