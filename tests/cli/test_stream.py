"""`mew stream`: the bytes read are the bytes sent."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
from asyncio.subprocess import PIPE
from typing import Any


async def test_a_stream_is_read_as_it_was_sent(team: Any, mew: Any) -> None:
    data = bytes(range(256)) * 600
    (mew.folder / "data.bin").write_bytes(data)
    async with (
        mew.started("stream", "tail", "--as", "guardian") as raw,
        mew.started("stream", "tail", "--json") as lines,
    ):
        await raw.line("waiting for a stream to open", err=True)
        await lines.line("waiting for a stream to open", err=True)
        sent = await mew("stream", "send", "data.bin", "--description", "the lot", "--as", "admin")
        assert (sent.status, sent.out) == (0, "stream-1\n") and "3 frames, 153,600 bytes" in sent.err
        async with asyncio.timeout(20):
            out, err = await raw.process.communicate()
        assert out == data
        assert b"stream-1 of admin: the lot" in err and b"closed (complete): 3 frames" in err
        told = [json.loads(line) for line in (await lines.end()).out.splitlines()]
    assert b"".join(base64.b64decode(one["base64"]) for one in told) == data


async def test_stream_lists_prints_text_and_reports_refusals(team: Any, mew: Any) -> None:
    (mew.folder / "text").write_text("héllo\n" * 20_000, encoding="utf-8")
    (mew.folder / "no-text").write_bytes(b"\xff")
    admin = await team.join("admin")
    await team.join("human")  # whoever has no connection left loses what it may write
    await admin.send("stream/request", {"direction": "upload", "content_type": "text/plain"}, id="ask")
    id = (await admin.until("stream/open"))["payload"]["stream_id"]
    listed, refused, unknown = await asyncio.gather(
        mew("stream", "tail"),
        mew("stream", "send", "text", "--text", "--stream-id", id),
        mew("stream", "send", "text", "--stream-id", "stream-9", "--json"),
    )
    assert listed.out == f"{id} of admin: text/plain\n"
    assert refused.status == 6 and "unauthorized_stream_write" in refused.err
    assert (unknown.status, unknown.json()["failure"]["error"]) == (6, "stream_not_found")
    await admin.send("stream/grant-write", {"stream_id": id, "participant_id": "human"})
    await admin.until("stream/write-granted")
    sent, broken = await asyncio.gather(
        mew("stream", "send", "text", "--text", "--stream-id", id, "--json"), mew("stream", "send", "no-text", "--text")
    )
    assert sent.json() == {"stream": id, "frames": 3, "bytes": 140_000}
    assert broken.status == 2 and "leave --text out" in broken.err


async def test_ctrl_c_ends_it_though_more_may_come(team: Any, mew: Any) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"some of it")
    process = await asyncio.create_subprocess_exec(
        *mew.command("stream", "send", "--as", "admin", "--space", "demo"),
        cwd=mew.folder,
        stdin=reader,
        stdout=PIPE,
        stderr=PIPE,
    )
    guardian = await team.join("guardian")
    os.close(reader)
    assert process.stdout is not None
    assert (await process.stdout.readline()).startswith(b"stream-")
    while True:
        frame = await guardian.socket.recv()
        if isinstance(frame, bytes) and frame.startswith(b"#"):
            break
    assert frame.partition(b"#")[2].partition(b"#")[2] == b"some of it"
    process.send_signal(signal.SIGINT)
    async with asyncio.timeout(20):
        _, err = await process.communicate()
    os.close(writer)
    assert process.returncode == 130 and b"Ended before it was through." in err
    assert (await guardian.until("stream/close"))["payload"]["reason"] == "cancelled"
