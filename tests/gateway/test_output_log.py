"""Participants without a socket: their files, a line an envelope (docs/protocol.md §1)."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mew_gateway.gateway.broker.spaces.fanout import header
from mew_gateway.gateway.hosting.output_log import OutputLog

from ..kit.gateway import TIMEOUT

SPACE = """
gateway: {listen: "127.0.0.1:0", state_dir: state}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}, {kind: "space/*"}, {kind: "stream/*"}]}
      script: {capabilities: [{kind: chat}], output_log: logs/script.jsonl}
"""


def framed(data: bytes, *, is_text: bool = True) -> bytes:
    return header(len(data), is_text=is_text) + data


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []


async def until(file: Path, found: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    async with asyncio.timeout(TIMEOUT):
        while not (matching := [line for line in lines(file) if found(line)]):
            await asyncio.sleep(0.01)
    return matching[-1]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "script.jsonl"


def log_of(file: Path, *, most: int = 1_000) -> OutputLog:
    return OutputLog(file, most=most, closed=lambda _: None)


async def test_an_output_log_is_present_and_receives_envelopes(start_gateway: Any, file: Path) -> None:
    async with start_gateway(SPACE) as site:
        human = await site.join("human")
        assert [one["id"] for one in human.seen[0]["payload"]["participants"]] == ["script"]
        await human.send("chat", {"text": "hello"})
        await until(file, lambda line: line.get("payload", {}).get("text") == "hello")
        told = lines(file)
        assert [line["kind"] for line in told] == ["system/welcome", "system/presence", "chat"]
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert len(site.gateway.broker.links) == 2
    async with start_gateway(SPACE) as site:  # appended to; it left with the gateway, and is there again
        human = await site.join("human")
        assert [one["id"] for one in human.seen[0]["payload"]["participants"]] == ["script"]
        await until(file, lambda line: line["kind"] == "system/presence" and line["payload"]["event"] == "join")
        assert [line["kind"] for line in lines(file)].count("system/welcome") == 2


async def test_a_kick_ends_it_and_an_invitation_brings_it_back(start_gateway: Any, file: Path) -> None:
    async with start_gateway(SPACE) as site:
        human = await site.join("human")
        await human.send("space/kick", {"participant_id": "script"})
        await human.until("system/presence", event="leave")
        await human.send("chat", {"text": "unheard"})
        await human.until("chat", text="unheard")
        assert lines(file)[-1]["kind"] == "space/kick"
    async with start_gateway(SPACE) as site:
        human = await site.join("human")
        assert human.seen[0]["payload"]["participants"] == []
        await human.send("space/invite", {"participant_id": "script"})
        await human.until("system/presence", event="join")
        await human.send("chat", {"text": "heard"})
        await until(file, lambda line: line.get("payload", {}).get("text") == "heard")


def test_a_line_for_each_envelope_and_each_frame(file: Path) -> None:
    log = log_of(file, most=1_000_000)
    spread = b'{\n  "kind":\r\n "chat", "payload": {"text": "a\\nb"}\n}'
    long, longest = ({"text": "x" * size} for size in (300, 70_000))
    log.write(framed(spread) + framed(json.dumps(long).encode()) + framed(json.dumps(longest).encode()))
    log.write(framed("#s-1#é\n".encode()) + framed(b"#s-1#\x00\xff\n", is_text=False) + framed(b"#s-2#"))
    assert lines(file) == [
        {"kind": "chat", "payload": {"text": "a\nb"}},
        long,
        longest,
        {"stream_id": "s-1", "text": "é\n"},
        {"stream_id": "s-1", "base64": "AP8K"},
        {"stream_id": "s-2", "text": ""},
    ]


def test_an_envelope_on_one_line_keeps_its_bytes(file: Path) -> None:
    data = b'{ "kind":"chat",  "payload":{"n":1.50} }'
    log_of(file).write(framed(data))
    assert file.read_bytes() == data + b"\n"


def test_the_operator_may_move_or_empty_the_file(file: Path) -> None:
    log = log_of(file)
    log.write(framed(b"1"))
    file.rename(file.with_suffix(".old"))
    log.write(framed(b"2"))
    assert file.read_bytes() == b"2\n"
    os.truncate(file, 0)
    log.write(framed(b"3"))
    assert file.read_bytes() == b"3\n"


def test_unwritable_lines_wait_and_are_logged_once(file: Path, caplog: Any) -> None:
    log = log_of(file)
    file.mkdir(parents=True)  # in its way
    log.write(framed(b"1"))
    log.write(framed(b"2"))
    log.retry()
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    file.rmdir()
    log.retry()
    assert file.read_bytes() == b"1\n2\n"
    assert "0 lines of it are lost" in caplog.records[-1].getMessage()


def test_waiting_lines_are_bounded_and_losses_logged(file: Path, caplog: Any) -> None:
    log = log_of(file, most=4)
    file.mkdir(parents=True)
    for number in b"12345":
        log.write(framed(bytes([number])))
    file.rmdir()
    log.write(framed(b"6"))  # no room for it yet, but what waited goes
    log.write(framed(b"7"))
    assert file.read_bytes() == b"1\n2\n7\n"
    assert "4 lines of it are lost" in caplog.records[-1].getMessage()


def test_a_delivery_beyond_the_bound_is_written_if_nothing_waits(file: Path) -> None:
    log_of(file, most=4).write(b"".join(framed(bytes([number])) for number in b"12345"))
    assert file.read_bytes() == b"1\n2\n3\n4\n5\n"


def test_a_full_disk_takes_a_part_and_later_the_rest(file: Path, monkeypatch: Any) -> None:
    room = [3]
    write = os.write

    def until_full(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        written = write(descriptor, data[: room[0]])
        room[0] -= written
        return written

    log = log_of(file)
    monkeypatch.setattr("mew_gateway.gateway.hosting.output_log.os.write", until_full)
    log.write(framed(b"1234"))
    log.write(framed(b"5678"))
    assert file.read_bytes() == b"123"
    room[0] = 1_000
    log.retry()
    assert file.read_bytes() == b"1234\n5678\n"


def test_an_unread_pipe_does_not_block_the_loop(file: Path) -> None:
    file.parent.mkdir()
    os.mkfifo(file)
    log = log_of(file)
    log.write(framed(b"1"))
    reader = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    try:
        log.retry()
        assert os.read(reader, 10) == b"1\n"
    finally:
        os.close(reader)
