"""README's promises: its agent works as printed, its commands exist."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mew_gateway.cli.main import app
from mew_gateway.config import load

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def spaces(tmp_path: Path) -> str:
    (tmp_path / "countdown.py").write_text(block("python"), encoding="utf-8")
    return f'gateway:\n  listen: 127.0.0.1:0\n  journal: {{url: "memory:"}}\n{block("yaml")}'


async def test_the_agent_of_the_readme_counts_and_can_be_stopped(start_gateway: Any, spaces: str) -> None:
    async with start_gateway(spaces) as site:
        human = await site.join("human")
        if not any(one["id"] == "countdown" for one in human.seen[0]["payload"]["participants"]):
            await human.until("system/presence", event="join")
        await human.send("chat", {"text": "3"}, to=["countdown"])
        said = [(await human.until("reasoning/thought"))["payload"]["message"] for _ in range(3)]
        assert said == ["3…", "2…", "1…"]
        conclusion = await human.until("reasoning/conclusion")
        assert conclusion["payload"]["message"] == "Lift-off!"
        await human.until("chat", text="Lift-off!")
        await human.send("chat", {"text": "9"}, to=["countdown"])
        await human.until("reasoning/thought", message="9…")
        await human.send("chat", {"text": "no, from 5"}, to=["countdown"])
        assert (await human.until("reasoning/conclusion"))["payload"]["outcome"] == "interrupted"
        assert (await human.until("reasoning/thought"))["payload"]["message"] == "5…"
        await human.send("chat", {"text": "stop!"}, to=["countdown"])
        assert (await human.until("reasoning/conclusion"))["payload"]["outcome"] == "interrupted"
        await human.send("chat", {"text": "1000000"}, to=["countdown"])
        start = await human.until("reasoning/start")
        await human.until("reasoning/thought")
        request = {"reason": "user_request", "message": "hold it"}
        await human.send("reasoning/interrupt", request, id="hold", to=["countdown"], correlation_id=[start["id"]])
        ack = await human.until("reasoning/interrupt-ack")
        assert ack["correlation_id"] == ["hold"]
        assert ack["payload"]["status"] in ("stopping", "completing_thought")
        conclusion = await human.until("reasoning/conclusion")
        assert conclusion["payload"]["interrupt_id"] == "hold"
        assert conclusion["context"] == start["id"]


def test_the_space_of_the_readme_has_nothing_to_warn_of(spaces: str, tmp_path: Path) -> None:
    (tmp_path / "spaces.yaml").write_text(spaces, encoding="utf-8")
    assert load(tmp_path / "spaces.yaml").warnings == ()


def test_the_agent_of_the_readme_is_as_short_as_it_says() -> None:
    lines = [line for line in block("python").splitlines() if line.strip() and not line.startswith("#")]
    assert len(lines) <= 15


def test_every_make_target_of_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = set(re.findall(r"make ([a-z]+)", README)) - {"nothing"}
    assert named
    assert named <= targets


@pytest.mark.parametrize("command", sorted(set(re.findall(r"^\$ \.venv/bin/mew (\w+)", README, flags=re.MULTILINE))))
def test_every_command_of_the_readme_exists(command: str) -> None:
    assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0


async def test_the_commands_of_the_table_need_to_be_told_no_more_than_it_says(
    start_gateway: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that only look, in the spaces that come with it; nobody is hosted, for nobody needs to answer."""
    before, _, table = README.partition("| to | type |")
    told = dict(re.findall(r"`export (MEW_\w+)=(\w+)`", before))
    plain = re.findall(r"`mew (participants|status|interrupts|timeline|tools|grants|proposals|ack)`", table)
    assert {"tools", "status", "grants", "participants"} <= set(plain)
    spaces = (ROOT / "spaces.yaml").read_text(encoding="utf-8").replace("127.0.0.1:8080", "127.0.0.1:0")
    unhosted = re.sub(r"^ +(agent|options): .*\n", "", spaces, flags=re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("MEW_")]:
        monkeypatch.delenv(name)
    async with start_gateway(unhosted):
        for command in plain:
            done = await asyncio.to_thread(CliRunner().invoke, app, [command], env=told)
            assert done.exit_code == 0, f"mew {command}: {done.exception or done.output}"


@pytest.mark.parametrize("command", re.findall(r"`mew ((?:grant|revoke|invite|kick) [^`]+)`", README))
def test_who_may_do_it_in_the_demo_is_named(command: str) -> None:
    assert command.endswith("--as admin")


def test_every_link_of_the_documents_leads_somewhere() -> None:
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name} links to {target}"


@pytest.mark.parametrize(("target", "needs_all"), [("run", False), ("demo", False), ("lint", True)])
def test_running_installs_no_more_than_running_needs(target: str, needs_all: bool, tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(["make", "-n", "-C", str(tmp_path), target], capture_output=True, text=True, check=True)
    assert "--editable" in done.stdout
    assert ("[dev]" in done.stdout) is needs_all
