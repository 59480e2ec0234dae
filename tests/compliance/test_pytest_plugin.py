"""The pytest plugin in an author's own test run."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

TIMEOUT = 60.0
PLUGIN = "mew_gateway.compliance.pytest_plugin"
CONFIGURED = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\nfilterwarnings = error\n"

TESTS = """
import sys

SCRIPTED = f"{sys.executable} -m tests.compliance.faulty"

def test_a_fault(comply):
    comply(command=f"{SCRIPTED} Acts", exercises=["override"])

async def test_a_correct_agent(comply):
    report = comply(command=f"{SCRIPTED} HardStop", exercises=[], say="go")
    assert report.policies == ("hard-stop",)

def test_one_that_says_nothing(comply):
    comply("mew_agents.echo:Echo", patience=0.5)

def test_an_exercise_that_is_none(comply):
    comply("mew_agents.echo:Echo", exercises=["yoga"])

def test_one_that_is_found_beside_the_tests(comply):
    comply("silent:Silent", patience=0.5)
"""

SILENT = """
from mew_gateway.sdk import Agent

class Silent(Agent):
    print("I have been found")
"""


async def pytest_in(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run pytest without the installed plugins. Return its exit status and output."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "-p", "pytest_asyncio.plugin", "-p", "no:cacheprovider", "-rA", *arguments),
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=PIPE,
        stderr=STDOUT,
    )
    async with asyncio.timeout(TIMEOUT):
        output, _ = await process.communicate()
    return process.returncode or 0, output.decode()


@pytest.fixture
def author(tmp_path: Path, scripted: str) -> Path:
    (tmp_path / "pytest.ini").write_text(CONFIGURED, encoding="utf-8")
    return tmp_path


async def test_an_authors_tests_pass_and_fail_with_a_report(author: Path) -> None:
    tests = author / "tests"
    tests.mkdir()
    (tests / "test_agents.py").write_text(TESTS, encoding="utf-8")
    (tests / "silent.py").write_text(SILENT, encoding="utf-8")
    status, output = await pytest_in(author, "-p", PLUGIN)
    assert status == 1, output
    assert "1 passed" in output
    assert "4 failed" in output
    assert "tests.compliance.faulty Acts does not keep the contract of interruption:" in output
    assert re.search(r"✗ fence: .*\(docs/protocol.md §5\)", output)
    assert re.search(r"agent  mcp/request  \w+  in \w+  refused: fenced", output)
    assert output.count("Not exercised: no reasoning/start came within 0.5 s of the chat.") >= 2
    assert "I have been found" in output
    assert "There is no exercise 'yoga'; there are: cancel, override" in output
    assert "Traceback" not in output


async def test_the_plugin_imports_nothing_until_the_fixture_is_used(author: Path) -> None:
    checked = "import sys\ndef test_it():\n    assert not {'anyio', 'msgspec', 'mew_gateway.sdk'} & set(sys.modules)\n"
    (author / "test_modules.py").write_text(checked, encoding="utf-8")
    status, output = await pytest_in(author, "-p", PLUGIN)
    assert status == 0, output


async def test_without_the_plugin_there_is_no_fixture(author: Path) -> None:
    (author / "test_agents.py").write_text("def test_it(comply):\n    pass\n", encoding="utf-8")
    status, output = await pytest_in(author)
    assert status == 1
    assert "fixture 'comply' not found" in output
