"""`mew backup`: a running gateway's state is copied, and a gateway resumes from the copy."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import apsw
import pytest

from mew_gateway.cli.commands.gateway.backup import backup
from mew_gateway.cli.framework.failure import Failure

from ..kit.gateway import SPACES


async def test_a_gateway_resumes_from_a_backup_of_a_running_one(start_gateway: Any, tmp_path: Path) -> None:
    copy = tmp_path / "backups" / "monday"
    async with start_gateway() as site:
        human, agent = await site.join("human"), await site.join("agent")
        folder = tmp_path / "state/agents/demo/agent"
        folder.mkdir(parents=True)
        apsw.Connection(str(folder / "timeline.db")).execute("create table entry (said text)")
        (folder / "output.log").write_text("a line")
        await agent.send("reasoning/start", {"message": "thinking"}, id="run")
        await human.until("reasoning/start")
        token = site.token("human")
        await asyncio.to_thread(backup, copy, config=tmp_path / "spaces.yaml")
        await human.send("chat", {"text": "after"}, id="after")
        await human.until("chat")
    assert copy.stat().st_mode & 0o077 == (copy / "journal.db").stat().st_mode & 0o077 == 0
    kept = sorted(str(file.relative_to(copy)) for file in copy.rglob("*.*") if file.is_file())
    assert kept[:2] == ["agents/demo/agent/timeline.db", "journal.db"]
    assert all(name.endswith(".token") for name in kept[2:]) and len(kept) == 2 + 6
    async with start_gateway(SPACES.replace("state_dir: state", f"state_dir: {copy}").replace(
        "sqlite:state/", f"sqlite:{copy}/"
    )) as site:  # fmt: skip
        assert site.token("human") == token
        _, told = await site.get("/spaces/demo/sequences", participant="human")
        assert [(one["id"], one["owner"]) for one in told["sequences"]] == [("run", "agent")]
        _, told = await site.get("/spaces/demo/history?after=0", participant="human")
        assert "after" not in [one["envelope"]["id"] for one in told["envelopes"]]


def test_it_overwrites_nothing_and_says_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "spaces.yaml"
    file.write_text("spaces: {demo: {participants: {human: {}}}}")
    with pytest.raises(Failure, match="There is nothing to copy"):
        backup(tmp_path / "copy", config=file)
    (tmp_path / ".mew").mkdir()
    with pytest.raises(Failure, match="is there already"):
        backup(tmp_path, config=file)
