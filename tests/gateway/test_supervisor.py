"""Hosted participants: real child processes, started, restarted, and ended with the gateway."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from mew_gateway.config import Hosted, Restart
from mew_gateway.gateway.hosting.supervisor import Host, Hosting

WAIT = 20.0


def host(tmp_path: Path, script: str, *, restart: Restart | None = None, **described: Any) -> Host:
    file = tmp_path / "program.py"
    file.write_text(script)
    hosted = Hosted(command=(sys.executable, str(file)), restart=restart or Restart(backoff=10), **described)
    return Host(
        hosted,
        space="demo",
        participant="bot",
        url="ws://127.0.0.1:1",
        token=lambda: "mew_secret_of_bot",
        state=tmp_path / "agents/demo/bot",
        directory=tmp_path,
    )


async def lines(path: Path, count: int) -> list[str]:
    """Wait until a file has that many lines."""
    async with asyncio.timeout(WAIT):
        while not path.exists() or len(path.read_text().splitlines()) < count:
            await asyncio.sleep(0.01)
    return path.read_text().splitlines()


async def gone(pid: int) -> None:
    """Wait until a process is."""
    async with asyncio.timeout(WAIT):
        while True:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            await asyncio.sleep(0.01)


async def test_the_child_gets_its_variables_and_no_other_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEW_TOKEN_HUMAN", "somebody elses")
    monkeypatch.setenv("MEW_ACCOUNT", "the gateways")
    script = "import json, os; print(json.dumps({k: v for k, v in os.environ.items() if k.startswith('MEW')}))"
    bot = host(tmp_path, script, options={"cities": 7}, account="clinic")
    await bot.run()
    output = tmp_path / "agents/demo/bot/output.log"
    (line,) = output.read_text().splitlines()
    environment = json.loads(line)
    assert environment["MEW_URL"] == "ws://127.0.0.1:1"
    assert environment["MEW_TOKEN"] == "mew_secret_of_bot"
    assert environment["MEW_SPACE"] == "demo"
    assert json.loads(environment["MEW_OPTIONS"]) == {"cities": 7}
    assert environment["MEW_ACCOUNT"] == "clinic"
    assert "MEW_TOKEN_HUMAN" not in environment
    assert environment["MEW_STATE"] == str(tmp_path / "agents/demo/bot")
    assert output.stat().st_mode & 0o077 == 0
    assert output.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["..", ".", "a/b", "../admin", "", "a\\b", "gw-1", "a\n", "a" * 65])
def test_a_hosted_name_cannot_leave_the_state_folder(tmp_path: Path, name: str) -> None:
    for space, participant in (("demo", name), (name, "bot")):
        with pytest.raises(AssertionError):
            Host(
                Hosted(command=("true",)),
                space=space,
                participant=participant,
                url="",
                token=lambda: "t" * 16,
                state=tmp_path / space / participant,
                directory=tmp_path,
            )


async def test_only_a_failed_process_is_restarted(tmp_path: Path) -> None:
    script = """
import pathlib, sys
log = pathlib.Path("starts")
log.write_text((log.read_text() if log.exists() else "") + "start\\n")
sys.exit(0 if len(log.read_text().splitlines()) == 3 else 1)
"""
    bot = host(tmp_path, script)
    async with asyncio.timeout(WAIT):
        await bot.run()
    assert bot.starts == 3


async def test_never_means_never(tmp_path: Path) -> None:
    bot = host(tmp_path, "raise SystemExit(3)", restart=Restart(policy="never"))
    async with asyncio.timeout(WAIT):
        await bot.run()
    assert bot.starts == 1


async def test_a_missing_program_is_reported_in_the_output(tmp_path: Path) -> None:
    hosted = Hosted(command=("no-such-program-anywhere",), restart=Restart(policy="never"))
    output = tmp_path / "state/output.log"
    bot = Host(
        hosted, space="demo", participant="bot", url="", token=lambda: "t" * 16, state=output.parent, directory=tmp_path
    )
    await bot.run()
    assert "cannot start no-such-program-anywhere" in output.read_text()


async def test_stopping_kills_the_whole_process_group(tmp_path: Path) -> None:
    script = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print(os.getpid(), flush=True)
while True: time.sleep(1)
"""
    bot = host(tmp_path, script)
    hosting = Hosting([bot])
    hosting.start()
    (pid,) = await lines(tmp_path / "agents/demo/bot/output.log", 1)
    await hosting.stop()
    await gone(int(pid))


async def test_stopping_ends_one_that_ignores_it_and_what_it_started(tmp_path: Path) -> None:
    script = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
ignore = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
code = ignore + "print(os.getpid(), flush=True); time.sleep(600)"
subprocess.Popen([sys.executable, "-c", code])
print(os.getpid(), flush=True)
time.sleep(600)
"""
    bot = host(tmp_path, script)
    hosting = Hosting([bot])
    hosting.start()
    pids = await lines(tmp_path / "agents/demo/bot/output.log", 2)
    await hosting.stop()
    for pid in pids:
        await gone(int(pid))


async def test_the_output_of_one_that_never_ends_is_bounded(tmp_path: Path) -> None:
    bot = host(tmp_path, "")
    output = tmp_path / "agents/demo/bot/output.log"
    output.parent.mkdir(parents=True)
    output.write_bytes(b"x" * (9 << 20))
    bot.trim()
    assert output.stat().st_size == 0
    assert output.with_suffix(".old").stat().st_size == 9 << 20


async def test_its_output_is_bounded_on_a_full_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Path, to: Path) -> None:
        to.write_bytes(b"half of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    bot = host(tmp_path, "")
    output = tmp_path / "agents/demo/bot/output.log"
    output.parent.mkdir(parents=True)
    output.write_bytes(b"x" * (9 << 20))
    bot.trim()
    assert [file.stat().st_size for file in output.parent.iterdir()] == [0]


async def test_when_the_gateway_dies_its_children_do(tmp_path: Path) -> None:
    script = "import os, time; print(os.getpid(), flush=True)\nwhile True: time.sleep(1)"
    (tmp_path / "program.py").write_text(script)
    leash = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import subprocess, sys, time;"
        "subprocess.Popen([sys.executable, '-m', 'mew_gateway.gateway.hosting.child_guard', "
        "sys.executable, sys.argv[1]],"
        "stdin=subprocess.PIPE, stdout=open(sys.argv[2], 'w')); time.sleep(600)",
        str(tmp_path / "program.py"),
        str(tmp_path / "out"),
    )
    (pid,) = await lines(tmp_path / "out", 1)
    leash.send_signal(signal.SIGKILL)
    await leash.wait()
    await gone(int(pid))


async def test_a_misconfigured_agents_reason_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    hosted = Hosted(agent="no_such_module:Bot", restart=Restart(backoff=10, max_backoff=100))
    place: dict[str, Any] = {"space": "demo", "participant": "bot", "url": "ws://127.0.0.1:1"}
    bot = Host(hosted, **place, token=lambda: "t" * 16, state=tmp_path / "bot", directory=tmp_path)
    running = asyncio.create_task(bot.run())
    try:
        async with asyncio.timeout(WAIT):
            while "no_such_module cannot be imported" not in caplog.text:
                await asyncio.sleep(0.01)
    finally:
        running.cancel()
        await asyncio.wait([running])  # it ends its child, which would be left to nobody
    assert "demo/bot ended with status 2" in caplog.text


async def test_terminate_waits_for_what_the_program_still_does(tmp_path: Path) -> None:
    script = """
import signal, sys, time
def finish(*_):
    print("asked", flush=True)
    sys.stdin.close()
    while not done.exists(): time.sleep(0.01)
    print("finished", flush=True)
    sys.exit(0)
import pathlib
done = pathlib.Path("done")
signal.signal(signal.SIGTERM, finish)
print("up", flush=True)
while True: time.sleep(1)
"""
    bot = host(tmp_path, script, restart=Restart(policy="never"))
    output = tmp_path / "agents/demo/bot/output.log"
    hosting = Hosting([bot])
    hosting.start()
    await lines(output, 1)
    hosting.terminate("demo", "bot", 60)
    await lines(output, 2)
    (tmp_path / "done").touch()
    async with asyncio.timeout(WAIT):
        await hosting._tasks["demo", "bot"]
    assert output.read_text().splitlines() == ["up", "asked", "finished"]


async def test_terminate_kills_what_does_not_end_within_its_limit(tmp_path: Path) -> None:
    script = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(os.getpid(), flush=True)
while True: time.sleep(1)
"""
    bot = host(tmp_path, script, restart=Restart(policy="never"))
    hosting = Hosting([bot])
    hosting.start()
    (pid,) = await lines(tmp_path / "agents/demo/bot/output.log", 1)
    hosting.terminate("demo", "bot", 0.1)
    await gone(int(pid))
    async with asyncio.timeout(WAIT):
        await hosting._tasks["demo", "bot"]


async def test_a_process_that_does_not_join_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    bot = host(tmp_path, "import time; print('no certificate', flush=True); time.sleep(60)")
    running = asyncio.create_task(bot.run())
    try:
        await lines(tmp_path / "agents/demo/bot/output.log", 1)
        bot.check_joined(0.0, is_joined=False)
        bot.check_joined(14.9, is_joined=False)
        assert "is not in its space" not in caplog.text
        for now in (15.0, 16.0):
            bot.check_joined(now, is_joined=False)
        assert caplog.text.count("demo/bot runs and is not in its space: no certificate") == 1
        bot.check_joined(17.0, is_joined=True)
        bot.check_joined(18.0, is_joined=False)
        bot.check_joined(33.0, is_joined=False)
        assert caplog.text.count("is not in its space") == 2
    finally:
        running.cancel()
        await asyncio.wait([running])
