"""docs/wire.md: everything on it is sent to a gateway with its `spaces.yaml`, in its order, and taken."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "wire.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


async def test_what_it_shows_is_taken(start_gateway: Any) -> None:
    (spaces,) = blocks("yaml")
    settings = '{listen: "127.0.0.1:0", journal: {url: "memory:"}}'
    async with start_gateway(spaces.replace('{listen: "127.0.0.1:8080"}', settings)) as site:
        peers = {name: await site.join(name) for name in ("ana", "helper", "adder", "novice")}
        for line in "".join(blocks("json")).splitlines():
            envelope = json.loads(line)
            peer = peers[envelope.pop("as", "ana")]
            await peer.raw(json.dumps(envelope))
            while (taken := await peer.receive())["from"] != peer.participant:
                assert taken["kind"] != "system/error", (line, taken["payload"])
            assert {name: taken[name] for name in envelope} == envelope
        for command in (line for block in blocks("sh") for line in block.splitlines()):
            status, answer = await curl(site, command)
            assert status in (200, 202), (command, answer)


async def curl(site: Any, command: str) -> tuple[int, Any]:
    """What the command does, without curl: to this gateway, with ana's token."""
    name, *words = shlex.split(command.replace("$TOKEN", site.token("ana")))
    assert name == "curl" and f"Authorization: Bearer {site.token('ana')}" in words
    path = words[-1].removeprefix("http://127.0.0.1:8080")
    if "-d" in words:
        assert path == "/participants/ana/messages?space=demo"
        return await site.post("ana", json.loads(words[words.index("-d") + 1]))  # type: ignore[no-any-return]
    return await site.get(path, participant="ana")  # type: ignore[no-any-return]
