"""`mew comply`, run as a process."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mew_gateway.cli.commands.gateway.comply import _show
from mew_gateway.compliance.verdicts import Report, Verdict

from ..kit.commands import Mew, Running

TIMEOUT = 60.0


def started(*arguments: str) -> AbstractAsyncContextManager[Running]:
    """Start `mew comply` for the block."""
    return Mew(Path.cwd()).started("comply", *arguments, COLUMNS="200")


async def comply(*arguments: str) -> tuple[int, str, str]:
    """Run `mew comply`. Return the exit status, stdout and stderr."""
    async with started(*arguments) as running:
        return await running.end()


async def test_a_violation_is_shown_with_its_proof(scripted: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    agent = f"{scripted} Acts"
    status, out, err = await comply("--command", agent, "--exercise", "cancel", "--keep", str(kept))
    assert status == 1
    assert "✗   fence" in out
    assert "–   restart" in out
    assert "not judged: its exercise was not done" in out
    assert "refused: fenced" in out
    assert f"{agent} (hard-stop):" in out
    assert "cancel        a run is cancelled" in err
    assert "has joined" not in err
    assert (kept / "agents" / "agent-cancel.log").exists()
    assert (await comply("--command", agent, "--keep", str(kept)))[0] == 2


async def test_json_output_is_one_object(scripted: str) -> None:
    command = f"{scripted} SoftStop"
    status, out, err = await comply("--command", command, "--exercise", "plain", "--json")
    assert (status, err) == (0, "")
    report: dict[str, Any] = msgspec.json.decode(out)
    assert report["agent"] == command
    assert report["policies"] == ["soft-stop"]
    verdicts = {one["case"]: one for one in report["verdicts"]}
    assert verdicts["v0.4 cancel"]["status"] == "passed"
    assert verdicts["halt"]["status"] == "not judged"
    assert verdicts["ack"]["figures"]


async def test_an_agent_that_begins_no_run_gives_no_verdict() -> None:
    status, out, err = await comply("--agent", "mew_agents.echo:Echo", "--patience", "0.5")
    assert (status, out) == (2, "")
    assert "Not exercised: no reasoning/start came within 0.5 s of the chat." in err
    assert "has joined agent-cancel" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Name one agent"),
        (("--agent", "a:B", "--exercise", "yoga"), "There is no exercise 'yoga'"),
        (("--agent", "a:B", "--options", "[]"), "--options is not a JSON object"),
        (("--command", "/no/such/program"), "cannot be started: No such file or directory."),
    ],
)
async def test_a_mistake_is_reported_as_a_sentence(arguments: tuple[str, ...], said: str) -> None:
    status, out, err = await comply(*arguments)
    assert (status, out) == (2, "")
    assert said in err


async def test_sigterm_leaves_no_process(scripted: str, tmp_path: Path) -> None:
    log = tmp_path / "kept" / "agents" / "agent-cancel.log"
    async with started("--command", f"{scripted} Hung", "--keep", str(tmp_path / "kept")) as running:
        async with asyncio.timeout(TIMEOUT):
            while not log.exists():
                await asyncio.sleep(0.05)
        running.signal(signal.SIGTERM)
        status, _, err = await running.end()
    assert status == 130, err
    assert not _running(str(tmp_path))


def _running(word: str) -> list[str]:
    """Processes with the word in their command line or environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if word.encode() in text and int(entry.name) != os.getpid():
            found.append(text.decode(errors="replace"))
    return found


@pytest.mark.parametrize("columns", [80, 100, 140])
def test_a_rule_is_printed_whole_at_any_width(columns: int, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    verdict = Verdict(case="ack", rule="It answers an interrupt.", clause="§3", status="passed", figures=(3, 5))
    _show(Report(agent="a", policies=(), verdicts=(verdict,), crashes=(), milliseconds=1))
    told = capsys.readouterr().out
    assert "It answers an interrupt." in told and "3–5 ms" in told
