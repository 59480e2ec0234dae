"""`mew serve`: start, errors at the start, and a clean end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

SPACES = """\
gateway: {listen: "127.0.0.1:0"}
spaces:
  team:
    participants:
      ana: {capabilities: [{kind: chat}]}
      bot: {capabilities: [{kind: chat}, {kind: "reasoning/*"}], command: [PYTHON, -c, "input()"]}
""".replace("PYTHON", sys.executable)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spaces.yaml").write_text(SPACES)
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_serve_prints_hints_and_a_signal_ends_it_cleanly(mew: Any, folder: Path, number: signal.Signals) -> None:
    async with mew.started("serve", "--log-level", "debug") as serve:
        ready = await serve.line("MEW gateway ready")
        address = json.loads((folder / ".mew" / "gateway.json").read_text())
        assert address == {"url": ready.split()[-1], "pid": serve.process.pid}
        assert "ana, bot (hosted)" in await serve.line("space team")
        for words in ("watch --as ana", 'send "go" --to bot --as ana', "interrupt bot --as ana"):
            await serve.line(words)
        token = (folder / ".mew" / "tokens" / "team" / "ana.token").read_text().strip()
        _join(address["url"], token).close()
        serve.signal(number)
        done = await serve.end()
    assert done.status == 0
    assert "mew.serve: stopping" in done.err and token not in done.err
    assert not (folder / ".mew" / "gateway.json").exists()


async def test_serve_logs_the_warnings_of_the_configuration(mew: Any, tmp_path: Path) -> None:
    single = "space: {id: one, ui_theme: dark}\nparticipants: {ana: {}}\ngateway: {listen: 127.0.0.1:0}\n"
    (tmp_path / "space.yaml").write_text(single)
    async with mew.started("serve", "--config", "space.yaml") as serve:
        assert "space.yaml:1:18: space.ui_theme: " in await serve.line("ui_theme", err=True)
        assert "ana" in await serve.line("space one")
        assert (tmp_path / ".mew" / "tokens" / "ana.token").exists()
        serve.signal(signal.SIGTERM)
        assert (await serve.end()).status == 0


async def test_a_second_signal_ends_it_at_once(mew: Any, folder: Path) -> None:
    async with mew.started("serve") as serve:
        url = (await serve.line("MEW gateway ready")).split()[-1]
        await serve.line("interrupt")
        token = (folder / ".mew" / "tokens" / "team" / "ana.token").read_text().strip()
        with _join(url, token):  # a peer that answers no close frame delays the good order
            serve.signal(signal.SIGINT)
            await serve.line("stopping", err=True)
            serve.signal(signal.SIGINT)
            assert (await serve.end()).status == 130


async def test_it_is_stopped_by_a_command(mew: Any, folder: Path) -> None:
    async with mew.started("serve") as serve:
        await serve.line("interrupt")
        stopping, ended = await asyncio.gather(mew("stop"), serve.end())
        assert (stopping.status, ended.status) == (0, 0)
        assert "has ended" in stopping.out
    assert (await mew("stop")).err == "No gateway is running here.\n"


async def test_a_hangup_is_ignored_and_the_log_is_json(mew: Any, folder: Path) -> None:
    async with mew.started("serve", "--log-format", "json", "--listen", "localhost:0") as serve:
        assert "localhost" in await serve.line("MEW gateway ready")
        await serve.line("interrupt")
        serve.signal(signal.SIGHUP)
        await serve.line("SIGHUP is ignored", err=True)
        serve.signal(signal.SIGTERM)
        done = await serve.end()
    assert done.status == 0
    told = [json.loads(line) for line in done.err.splitlines()]
    assert [line["message"] for line in told][-2:] == ["stopping (once more to stop at once)", "stopped"]


async def test_invalid_requests_do_not_fill_the_log(mew: Any, folder: Path) -> None:
    async with mew.started("serve") as serve:
        url = urlsplit((await serve.line("MEW gateway ready")).split()[-1])
        upgrade = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"
        for nonsense in (b"nonsense\r\n\r\n", upgrade):
            with socket.create_connection((url.hostname, url.port), timeout=30) as stranger:
                stranger.sendall(nonsense)
                assert stranger.recv(100).startswith(b"HTTP/1.1 ")
        serve.signal(signal.SIGTERM)
        done = await serve.end()
    assert "HTTP" not in done.err and "upgrade" not in done.err


async def test_a_wrong_configuration_starts_nothing(mew: Any, folder: Path) -> None:
    (folder / "spaces.yaml").write_text(SPACES.replace("capabilities", "capabilites"))
    done = await mew("serve")
    assert (done.status, done.out) == (2, "")
    assert [line.split(": ")[0] for line in done.err.splitlines()] == ["spaces.yaml:5:13", "spaces.yaml:6:13"]
    assert os.listdir(folder) == ["spaces.yaml"]


async def test_a_port_that_is_taken_is_one_line(mew: Any, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (folder / "spaces.yaml").write_text(SPACES.replace("127.0.0.1:0", f"127.0.0.1:{port}"))
        done = await mew("serve", "--log-level", "error")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"Cannot listen on 127.0.0.1:{port}: ") and done.err.count("\n") == 1


async def test_a_journal_that_is_in_use_is_one_line(mew: Any, folder: Path) -> None:
    async with mew.started("serve") as serve:
        await serve.line("interrupt")
        done = await mew("serve", "--log-level", "error")
        assert (done.status, done.out) == (1, "")
        assert "journal.db" in done.err and done.err.count("\n") == 1
        assert (folder / ".mew" / "gateway.json").exists()  # the first one's


def _join(url: str, token: str) -> socket.socket:
    """A connection that has joined and will never answer."""
    host, port = url.removeprefix("http://").split(":")
    peer = socket.create_connection((host, int(port)))
    lines = [
        "GET /ws?space=team HTTP/1.1",
        f"Host: {host}:{port}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        f"Authorization: Bearer {token}",
    ]
    peer.sendall("\r\n".join([*lines, "", ""]).encode())
    assert b"101 Switching Protocols" in peer.recv(4096)
    return peer
