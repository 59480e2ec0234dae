"""A long journal, written by a gateway's own broker without sockets, in a process that kills itself in the middle.

`python -m bench.start.journal SPACES_YAML ENTRIES BEHIND` ends with SIGKILL once the journal has so many entries, and
so many of them behind the newest snapshot.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import apsw

from bench.spaces import configuration, everybody
from mew_gateway.config import load
from mew_gateway.gateway.auth.tokens import TokenStore
from mew_gateway.gateway.server import Gateway, serving

SPACES, PARTICIPANTS = 5, 10  # of each space
_AT_ONCE = 64  # envelopes of a tick, and so of a commit
_LOOK_EVERY = 100  # ticks
_THOUGHTS = 8  # of a sequence, and as many chats beside it
_TEXT = "x" * 250


def spaces_file() -> str:
    """The `spaces.yaml` for it."""
    participants = everybody(PARTICIPANTS, ["chat", "reasoning/*"])
    return configuration({f"space{s}": {"participants": participants} for s in range(SPACES)})


class Nobody:
    """The far end of a connection that is not there."""

    def write(self, _: bytes, /) -> None:
        return None

    def close(self, code: int, reason: str) -> None:
        raise RuntimeError(f"closed with {code}: {reason}")

    def pause_reading(self) -> None:
        return None

    def resume_reading(self) -> None:
        return None


async def write(gateway: Gateway, journal: Path, *, entries: int, behind: int) -> None:
    """Have everybody talk until there are so many entries, so many of them behind the newest snapshot."""
    broker = gateway.broker
    talks = [
        (broker.connect(f"space{s}", f"p{p}", Nobody()), _talk(f"space{s}", f"p{p}"))
        for s in range(SPACES)
        for p in range(PARTICIPANTS)
    ]
    reader = apsw.Connection(str(journal), flags=apsw.SQLITE_OPEN_READONLY)
    ticks = 0
    while True:
        for connection, envelopes in talks:
            broker.receive(connection, [(next(envelopes), True) for _ in range(_AT_ONCE)])
            await asyncio.sleep(0)
            ticks += 1
            if ticks % _LOOK_EVERY == 0 or broker.engine.position >= entries:
                saved = int(reader.execute("select position from snapshot").get)
                if broker.engine.position >= entries and broker.engine.position - saved >= behind:
                    return


def _talk(space: str, name: str) -> Iterator[bytes]:
    runs = 0
    while True:
        runs += 1
        run = f"{space}-{name}-{runs}"
        yield _envelope(name, run, "reasoning/start", {})
        for nth in range(_THOUGHTS):
            yield _envelope(name, f"{run}-t{nth}", "reasoning/thought", {"context": run})
            yield _envelope(name, f"{run}-c{nth}", "chat", {})
        yield _envelope(name, f"{run}-end", "reasoning/conclusion", {"context": run})


def _envelope(sender: str, id: str, kind: str, fields: Mapping[str, str]) -> bytes:
    head = {"protocol": "mew/v0.4", "id": id, "ts": "2026-01-01T00:00:00.000Z", "from": sender, "kind": kind}
    field = "text" if kind == "chat" else "message"
    return json.dumps({**head, **fields, "payload": {field: _TEXT}}).encode()


async def _write_and_die(file: Path, entries: int, behind: int) -> None:
    configuration = load(file)
    async with serving(configuration, tokens=TokenStore.of(configuration, os.environ)) as gateway:
        journal = configuration.gateway.state_dir / "journal.db"
        await write(gateway, journal, entries=entries, behind=behind)
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(_write_and_die(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
