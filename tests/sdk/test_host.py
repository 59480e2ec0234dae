"""The process of one agent: real processes, ended the ways that processes are ended."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from asyncio.subprocess import PIPE, Process
from typing import Any

import pytest

from mew_agents.echo import Echo
from mew_gateway.sdk import Misconfigured
from mew_gateway.sdk.host import Indented, load

from ..kit.processes import environment_without_mew

TIMEOUT = 20.0
MODULE = "mew_gateway.sdk.host"


async def start(name: str, site: Any = None, **variables: str) -> Process:
    where = {} if site is None else {"MEW_URL": site.url, "MEW_SPACE": "demo", "MEW_TOKEN": site.token("agent")}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        MODULE,
        name,
        env={**environment_without_mew(), **where, **variables},
        stdin=PIPE,
        stderr=PIPE,
    )


async def end(process: Process) -> tuple[int, list[str]]:
    """The exit status, and what was written to standard error, line by line."""
    async with asyncio.timeout(TIMEOUT):
        assert process.stderr is not None
        lines = (await process.stderr.read()).decode().splitlines()
        return await process.wait(), lines


async def open_a_run(site: Any, human: Any) -> None:
    while "agent" not in site.gateway.broker.engine["demo"].machine.members.present():
        await human.until("system/presence", event="join")
    await human.send("chat", {"text": "go"}, to=["agent"])
    await human.until("reasoning/thought")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_concludes_what_is_open(site, number):
    human = await site.join("human")
    process = await start("mew_agents.solver:Solver", site, MEW_OPTIONS='{"cities": 20}')
    await open_a_run(site, human)
    process.send_signal(number)
    await human.until("reasoning/conclusion", outcome="cancelled")
    await human.until("system/presence", event="leave")
    status, lines = await end(process)
    assert status == 0
    assert site.token("agent") not in "\n".join(lines)
    assert any("has joined demo" in line for line in lines)


async def test_a_supervised_child_ends_with_its_supervisor(site):
    human = await site.join("human")
    process = await start("mew_agents.solver:Solver", site, MEW_PARENT="stdin")
    await open_a_run(site, human)
    assert process.stdin is not None
    process.stdin.close()
    await human.until("reasoning/conclusion", outcome="cancelled")
    assert (await end(process))[0] == 0


@pytest.mark.parametrize(
    ("name", "variables", "status", "said"),
    [
        ("mew_agents.solver:Solver", {"MEW_OPTIONS": '{"citys": 20}'}, 2, "Did you mean 'cities'?"),
        ("mew_agents.nothing:Here", {}, 2, "mew_agents.nothing cannot be imported"),
        ("mew_agents.echo:Echo", {"MEW_SPACE": ""}, 2, "Set MEW_SPACE"),
        ("mew_agents.echo:Echo", {"MEW_TOKEN": "a-secret-that-is-wrong"}, 1, "MEW_TOKEN"),
    ],
)
async def test_what_is_wrong_is_one_line_and_a_status(site, name, variables, status, said):
    ended, lines = await end(await start(name, site, **variables))
    assert ended == status
    assert len(lines) == 1
    assert said in lines[0]
    assert "a-secret-that-is-wrong" not in lines[0]


def test_an_agent_is_found_by_its_name():
    assert load("mew_agents.echo:Echo") is Echo


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Echo", "module:Class"),
        ("mew_agents.echo:", "module:Class"),
        ("mew_agents.echo:Nobody", "There is no Nobody in mew_agents.echo."),
        ("mew_agents.echo:Ecco", "Did you mean Echo?"),
        ("mew_agents.echo:PHRASES", "is not an Agent"),
        ("json:JSONDecoder", "is not an Agent"),
        ("no.such.module:Agent", "cannot be imported"),
    ],
)
def test_what_is_no_agent_is_refused(name, said):
    with pytest.raises(Misconfigured, match=said):
        load(name)


@pytest.mark.parametrize(("missing", "extra"), [("sqlalchemy.orm", "agents"), ("openai", "llm"), ("nowhere", None)])
def test_a_missing_module_names_the_extra_that_has_it(missing, extra, tmp_path, monkeypatch):
    (tmp_path / "needy.py").write_text(f"raise ModuleNotFoundError('none', name={missing!r})\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "needy", raising=False)
    with pytest.raises(Misconfigured) as caught:
        load("needy:Agent")
    assert str(caught.value).endswith(f"pip install 'mew-gateway[{extra}]'" if extra else "ModuleNotFoundError: none")


def test_a_traceback_follows_its_line_indented():
    try:
        raise ValueError("first\nsecond")
    except ValueError:
        record = logging.LogRecord("n", logging.ERROR, "", 0, "it failed", None, sys.exc_info())
    lines = Indented("%(message)s").format(record).splitlines()
    assert lines[:2] == ["it failed", "    Traceback (most recent call last):"]
    assert lines[-1] == "    second"


async def test_a_shutdown_by_the_space_is_an_end_as_asked(start_gateway):
    async with start_gateway(CONTROLLED) as site:
        human = await site.join("human")
        process = await start("mew_agents.solver:Solver", site, MEW_OPTIONS='{"cities": 20}')
        await open_a_run(site, human)
        await human.send("participant/shutdown", {}, id="s1", to=["agent"])
        assert (await human.until("chat/acknowledge"))["correlation_id"] == ["s1"]
        await human.until("reasoning/conclusion", outcome="interrupted")
        await human.until("system/presence", event="leave")
        status, _ = await end(process)
        assert status == 0


CONTROLLED = """
gateway:
  listen: 127.0.0.1:0
  journal: {url: "memory:"}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}, {kind: "participant/*"}]}
      agent: {capabilities: [{kind: "chat/*"}, {kind: "reasoning/*"}]}
"""
