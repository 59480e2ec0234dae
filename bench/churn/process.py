"""The gateway under churn: its configuration, its process, and what it holds at a time."""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.churn.gateway import ANSWER
from bench.failure import BenchFailure
from bench.gateway import is_ready
from bench.machine import resident_kib
from bench.server import Server, free_port, running

CAST = 10  # participants that stay
VISITORS = 20  # that come and go; further ones are invited
_PATIENCE = 10.0  # seconds until it has counted

# What is remembered is bounded, and these bounds are so low that they are reached in the warm-up: what grows behind it
# is a leak. History is pruned, so the journal's file does not grow either.
_LIMITS: dict[str, object] = {
    "closed_sequences": 100,
    "settled_interrupts": 100,
    "remembered_ids": 50,
    "remembered_for": "10s",
    "open_requests": 20,
    "open_proposals": 20,
    "connections_per_participant": 100,
    "join_timeout": "5s",
}
_SPACE: dict[str, object] = {
    "owner_grace": "3s",
    "proposal_expiry": "20s",
    "interrupts": {"ack_deadline": "3s", "per_sequence": "1000/1s"},
}


class Held(NamedTuple):
    """What a process holds: resident KiB, those that C's allocator has given out, descriptors, tasks, timers and
    objects, and the most frequent kinds of these."""

    kib: int
    allocated_kib: int
    descriptors: int
    tasks: int
    timers: int
    objects: int
    kinds: dict[str, int]


class Gateway:
    """A running one. `token` of a participant of the space `bench`."""

    def __init__(self, server: Server, answer: Path) -> None:
        self.port = server.port
        self._server = server
        self._answer = answer

    def token(self, participant: str) -> str:
        """What it joins with."""
        return self._server.token % participant

    def held(self) -> Held:
        """What it holds now. Raises `BenchFailure` when it does not say."""
        pid = self._server.pid
        self._answer.unlink(missing_ok=True)
        os.kill(pid, signal.SIGUSR1)
        until = time.monotonic() + _PATIENCE
        while not self._answer.exists():
            if time.monotonic() > until:
                raise BenchFailure("The gateway did not say what it holds.")
            time.sleep(0.005)
        found = json.loads(self._answer.read_text())
        return Held(kib=resident_kib(pid), descriptors=len(os.listdir(f"/proc/{pid}/fd")), **found)


@contextmanager
def gateway() -> Iterator[Gateway]:
    """One that is ready. Raises `BenchFailure`."""
    port, secret = free_port(), secrets.token_hex(16)
    cast = [f"p{nth}" for nth in range(CAST)]
    visitors = [f"v{nth}" for nth in range(VISITORS)]
    tokens = {f"MEW_TOKEN_BENCH_{name.upper()}": f"{secret}-{name}" for name in [*cast, *visitors]}
    everything = {"capabilities": [{"kind": "**"}]}
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        configuration = {
            "gateway": {
                "listen": f"127.0.0.1:{port}",
                "state_dir": "state",
                "journal": {"url": "sqlite:journal.db", "keep": "2m"},
                "limits": _LIMITS,
            },
            "spaces": {"bench": {**_SPACE, "participants": dict.fromkeys([*cast, *visitors], everything)}},
        }
        path, answer = Path(folder, "spaces.yaml"), Path(folder, "answer.json")
        path.write_text(json.dumps(configuration, indent=1))
        command = [sys.executable, "-m", "bench.churn.gateway", "serve", "--config", str(path), "--log-level", "error"]
        environment = os.environ | tokens | {ANSWER: str(answer)}
        with running(command, port=port, token=f"{secret}-%s", ready=is_ready, environment=environment) as server:
            yield Gateway(server, answer)
