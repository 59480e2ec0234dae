"""`mew check`: success, or every problem with its place."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
import trustme

from mew_gateway.cli.agents import inspection
from mew_gateway.cli.commands.gateway.check import check
from mew_gateway.config import ConfigError, load

GOOD = """\
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}]}
      echo: {capabilities: [{kind: chat}], agent: "mew_agents.echo:Echo"}
"""
BAD = """\
spaces:
  demo:
    routng: visible
    participants:
      human: {capabilities: [{kind: 7}]}
"""


async def test_check_accepts_a_valid_file(typed: Any, tmp_path: Path) -> None:
    (tmp_path / "spaces.yaml").write_text(GOOD)
    told, data = await asyncio.gather(typed("check"), typed("check", "--json"))
    assert (told.status, told.out) == (0, "ok: 1 space, 2 participants, 1 hosted agent\n")
    spaces = {"demo": {"participants": ["human", "echo"], "hosted": ["echo"]}}
    assert (data.status, data.json()) == (0, {"ok": True, "spaces": spaces, "warnings": []})


async def test_check_prints_a_warning_with_its_place_and_succeeds(typed: Any, tmp_path: Path) -> None:
    (tmp_path / "space.yaml").write_text("space: {id: one, ui_theme: dark}\nparticipants: {human: {}}\n")
    told, data = await asyncio.gather(typed("check", "space.yaml"), typed("check", "--config", "space.yaml", "--json"))
    assert (told.status, told.out) == (0, "ok: 1 space, 1 participant, 0 hosted agents\n")
    assert told.err == "warning: space.yaml:1:18: space.ui_theme: This has no effect here.\n"
    (warning,) = data.json()["warnings"]
    assert (warning["line"], warning["column"], warning["key_path"]) == (1, 18, "space.ui_theme")


async def test_every_problem_is_a_line_with_its_place(typed: Any, tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text(BAD)
    told, data = await asyncio.gather(
        typed("check", "--config", "team.yaml"), typed("check", "--config", "team.yaml", "--json")
    )
    assert (told.status, told.out) == (2, "")
    first, second = told.err.splitlines()
    assert first.startswith("team.yaml:3:5: spaces.demo.routng: ") and "(did you mean `routing`?)" in first
    assert second.startswith("team.yaml:5:37: spaces.demo.participants.human.capabilities[0].kind: ")
    assert data.status == 2 and data.json()["ok"] is False
    problem = data.json()["problems"][0]
    assert (problem["file"], problem["line"], problem["column"]) == ("team.yaml", 3, 5)
    assert problem["key_path"] == "spaces.demo.routng" and problem["suggestion"] == "did you mean `routing`?"


async def test_a_file_that_is_not_there(typed: Any) -> None:
    done = await typed("check")
    assert (done.status, done.err) == (2, "spaces.yaml: There is no such file (`mew init` writes one)\n")


AGENTS = """\
from mew_gateway.sdk import Agent, Options


class Counting(Options, frozen=True):
    steps: int = 3


class Counter(Agent):
    Options = Counting
"""
MISDECLARED = """\
from mew_gateway.sdk import Agent, capability


class Rash(Agent):
    @capability(policy="soft-stop", side_effect="irreversible")
    async def pay(self, run, text): ...
"""
HOSTED = """\
spaces:
  demo:
    participants:
      human: {{capabilities: [{{kind: chat}}]}}
      counter: {{agent: "{agent}", options: {{{options}}}}}
"""


@pytest.mark.parametrize(
    ("agent", "options", "where", "said"),
    [
        ("here:Countr", "", "5:24: spaces.demo.participants.counter.agent", "There is no Countr in here. Did you mean"),
        ("nowhere:Counter", "", "5:24: spaces.demo.participants.counter.agent", "No module named 'nowhere'"),
        ("here:Counting", "", "5:24: spaces.demo.participants.counter.agent", "here:Counting is not an Agent."),
        ("here:Counter", "step: 3", "5:49: spaces.demo.participants.counter.options", "Did you mean 'steps'?"),
        ("here:Counter", "steps: many", "5:49: spaces.demo.participants.counter.options", "Expected `int`"),
        ("broken:Agent", "", "5:24: spaces.demo.participants.counter.agent", "RuntimeError: not today"),
        ("misdeclared:Rash", "", "5:24: spaces.demo.participants.counter.agent", "its policy is non-interruptible."),
        ("leaving:Agent", "", "5:24: spaces.demo.participants.counter.agent", "ends the process (status 7): goodbye"),
    ],
)
async def test_check_reports_an_agent_that_cannot_be_started(
    typed: Any, tmp_path: Path, agent: str, options: str, where: str, said: str
) -> None:
    (tmp_path / "here.py").write_text(AGENTS)
    (tmp_path / "misdeclared.py").write_text(MISDECLARED)
    (tmp_path / "broken.py").write_text("raise RuntimeError('not today')")
    (tmp_path / "leaving.py").write_text("import os; os.write(2, b'goodbye\\n'); os._exit(7)")
    (tmp_path / "spaces.yaml").write_text(HOSTED.format(agent=agent, options=options))
    done = await typed("check")
    assert (done.status, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert line.startswith(f"spaces.yaml:{where}: ") and said in line


async def test_output_and_processes_of_an_import_are_no_problem(typed: Any, tmp_path: Path) -> None:
    noise = 'import sys, threading, time\nprint(\'{"key": "agent", "message": "noise"}\')\n'
    noise += "threading.Thread(target=time.sleep, args=(600,)).start()\n"
    (tmp_path / "here.py").write_text(noise + AGENTS)
    (tmp_path / "spaces.yaml").write_text(HOSTED.format(agent="here:Counter", options="steps: 5"))
    done = await typed("check", "--json")
    assert (done.status, done.json()["spaces"]["demo"]["hosted"]) == (0, ["counter"])


STARTING = {
    "of its own": "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n",
    "in a session of its own": "import subprocess\n"
    "child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n",
    "by a fork": "import multiprocessing, time\nfork = multiprocessing.get_context('fork')\n"
    "child = fork.Process(target=time.sleep, args=(600,))\nchild.start()\n",
}


@pytest.mark.parametrize("starting", STARTING.values(), ids=STARTING)
async def test_what_an_import_starts_is_ended_and_told(mew: Any, tmp_path: Path, starting: str) -> None:
    (tmp_path / "here.py").write_text(f"{starting}open('pid', 'w').write(str(child.pid))\n{AGENTS}")
    (tmp_path / "spaces.yaml").write_text(HOSTED.format(agent="here:Counter", options="steps: 5"))
    async with asyncio.timeout(inspection._IMPORT_TIMEOUT - 5):
        done = await mew("check")
    assert done.status == 0, done.err
    assert "spaces.yaml:5:24: spaces.demo.participants.counter.agent: Importing it starts a process" in done.err
    stat = Path(f"/proc/{(tmp_path / 'pid').read_text()}/stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z", "it is not running"


async def test_agents_need_not_be_imported(typed: Any, tmp_path: Path) -> None:
    (tmp_path / "spaces.yaml").write_text(HOSTED.format(agent="nowhere:Counter", options=""))
    done, told = await asyncio.gather(typed("check", "--no-import"), typed("check", "--json"))
    assert (done.status, told.status) == (0, 2)
    (problem,) = told.json()["problems"]
    assert (problem["line"], problem["column"], problem["key_path"]) == (
        5,
        24,
        "spaces.demo.participants.counter.agent",
    )


ENDLESS = "import os, time\nopen('pid', 'w').write(str(os.getpid()) + '.')\nwhile True: time.sleep(1)\n"


async def test_an_import_that_takes_too_long_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(inspection, "_IMPORT_TIMEOUT", 0.1)
    (tmp_path / "endless.py").write_text(ENDLESS)
    (tmp_path / "spaces.yaml").write_text(HOSTED.format(agent="endless:Agent", options=""))
    (found,) = await inspection.inspect_agents(load(tmp_path / "spaces.yaml"))
    assert found.fault is not None and found.fault.message == "endless:Agent cannot be imported in 0.1 s."


async def test_a_cancelled_inspection_kills_the_import(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    (tmp_path / "spaces.yaml").write_text(HOSTED.format(agent="endless:Agent", options=""))
    inspecting = asyncio.create_task(inspection.inspect_agents(load(tmp_path / "spaces.yaml")))
    pid = tmp_path / "pid"
    async with asyncio.timeout(30):
        while not (pid.exists() and pid.read_text().endswith(".")):
            await asyncio.sleep(0.01)
    inspecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await inspecting
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text().strip(".")), 0)


def test_a_certificate_that_cannot_be_verified_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trustme.CA().issue_cert("mew.example.com").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "one.pem"))
    tls = "gateway: {tls: {certificate: one.pem, key: one.pem}}\n"
    (tmp_path / "spaces.yaml").write_text(tls + GOOD)
    monkeypatch.chdir(tmp_path)
    check(imports=False)
    (tmp_path / "spaces.yaml").write_text(tls.replace("key: one.pem", "key: one.pem, name: elsewhere.org") + GOOD)
    with pytest.raises(ConfigError, match=r"spaces.yaml:1:30: gateway.tls.certificate: .*Hostname mismatch"):
        check(imports=False)


def test_check_reports_an_unusable_token_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spaces.yaml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEW_TOKEN_DEMO_HUMAN", "abcd")
    with pytest.raises(ConfigError, match=r"spaces.yaml:4:7: .*human: \$MEW_TOKEN_DEMO_HUMAN: .*shorter than 16"):
        check(imports=False)
