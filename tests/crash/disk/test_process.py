"""`mew serve` as a process, on a disk that is really full: by a limit on its files; under torture, a small tmpfs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO, Any

import pytest
from websockets.asyncio.client import ClientConnection

from bench.failure import PATIENCE
from bench.mortal import Mortal
from bench.spaces import serve
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.space.events import Received

TORTURE = int(os.environ.get("MEW_TORTURE", "0"))

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:disk/journal.db"}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}]}
      agent: {capabilities: [{kind: chat}]}
"""


class Limited(Mortal):
    """No file of it can grow while the disk is full: what the system says then is not what a full disk says."""

    reason = "The journal cannot be"

    def fill(self) -> None:
        self._limit(0)

    def free(self) -> None:
        self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        assert self._process is not None
        _, most = resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (size, most))


class Mounted(Mortal):
    """Its journal is on a small tmpfs, in a mount namespace of its own, which takes no privilege."""

    reason = "The journal cannot grow: free some disk space."

    async def _spawn(self, output: IO[bytes]) -> asyncio.subprocess.Process:
        self.disk = self.file.parent / "disk"
        self.disk.mkdir(exist_ok=True)
        mount = 'mount -t tmpfs -o size=12m,mode=700 none "$0" && exec "$@"'
        return await asyncio.create_subprocess_exec(
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, str(self.disk), *serve(self.file)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )

    @property
    def inside(self) -> Path:
        """The disk, as the process sees it."""
        assert self._process is not None
        return Path(f"/proc/{self._process.pid}/root{self.disk}")

    def fill(self) -> None:
        with contextlib.suppress(OSError), (self.inside / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(b"x" * 4096)

    def free(self) -> None:
        (self.inside / "filler").unlink()


class Talker:
    """Says numbered things, each again until it is taken; and what the other heard of it."""

    def __init__(self, speaker: ClientConnection, listener: ClientConnection) -> None:
        self._speaker = speaker
        self._listener = listener
        self._count = 0
        self.heard: list[str] = []

    async def say(self) -> str | None:
        """One thing more; None, or the code of what it was refused for."""
        id = f"n{self._count}"
        chat = {"kind": "chat", "id": id, "payload": {"text": "x" * 4_000}}
        await self._speaker.send(json.dumps(chat))
        async with asyncio.timeout(PATIENCE):
            while True:
                answer: dict[str, Any] = json.loads(await self._speaker.recv())
                if answer.get("id") == id:
                    break
                if answer["kind"] == "system/error" and answer["correlation_id"] == [id]:
                    return str(answer["payload"]["error"])
            self._count += 1
            while not self.heard or self.heard[-1] != id:
                told = json.loads(await self._listener.recv())
                if told["kind"] == "chat":
                    self.heard.append(told["id"])
        return None


@pytest.mark.parametrize("kind", [Limited, *([Mounted] if TORTURE else [])])
async def test_it_fills_up_and_is_freed_again(tmp_path: Path, kind: type[Limited | Mounted]) -> None:
    gateway = kind(tmp_path, SPACES)
    try:
        await gateway.start()
        async with gateway.join("demo", "human") as human, gateway.join("demo", "agent") as agent:
            talker = Talker(human, agent)
            for _ in range(1 + 4 * TORTURE):
                for _ in range(20):
                    assert await talker.say() is None
                gateway.fill()
                while (refused := await talker.say()) is None:
                    pass
                assert refused == "journal_unavailable"
                status, told = await asyncio.to_thread(ask, f"{gateway.url}/ready")
                assert (status, told["ready"]) == (503, False)
                assert told["reason"].startswith(kind.reason)
                await asyncio.wait_for(await agent.ping(), PATIENCE)
                gateway.free()
                async with asyncio.timeout(PATIENCE):
                    while (await asyncio.to_thread(ask, f"{gateway.url}/ready"))[0] != 200:
                        await asyncio.sleep(0.02)
            for _ in range(5):
                assert await talker.say() is None
        assert talker.heard == [f"n{number}" for number in range(len(talker.heard))]
        kept = copied(gateway, tmp_path / "copy") if kind is Mounted else tmp_path / "disk" / "journal.db"
        gateway.signal(signal.SIGTERM)
        assert await gateway.ended() == 0
    finally:
        await gateway.kill()
    assert said(kept) == talker.heard
    assert "Traceback" not in gateway.last_words


def copied(gateway: Any, folder: Path) -> Path:
    """The journal as it is now: the tmpfs goes with the process."""
    folder.mkdir()
    for name in ("journal.db", "journal.db-wal"):
        (folder / name).write_bytes((gateway.inside / name).read_bytes())
    return folder / "journal.db"


def said(path: Path) -> list[str]:
    journal = SqliteJournal(str(path), synchronous="normal")
    try:
        return [entry.event.envelope.id for entry in journal.read(0) if isinstance(entry.event, Received)]
    finally:
        journal.close()


def ask(url: str) -> tuple[int, dict[str, Any]]:
    """GET; the status and the body."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_start_on_a_full_disk_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "spaces.yaml").write_text(SPACES)
    found = subprocess.run(
        [sys.executable, "-m", "mew_gateway.cli.main", "serve"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000)),
    )
    assert found.returncode == 1
    assert "Traceback" not in found.stderr
    assert "journal.db cannot be" in " ".join(found.stderr.split())
