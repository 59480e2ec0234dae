"""The gateway under churn: its configuration, its process, and what it holds at a time."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.gateway import serving
from bench.machine import resident_kib
from bench.probe import ANSWER, ask
from bench.server import Server
from bench.spaces import SQLITE, everybody

CAST = 10  # participants that stay
VISITORS = 20  # that come and go; further ones are invited

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


class Gateway(NamedTuple):
    """A running one, in whose space `bench` p0 to p9 stay, and the others come and go."""

    server: Server
    answer: Path

    def held(self) -> Held:
        """What it holds now. Raises `BenchFailure` when it does not say."""
        pid = self.server.pid
        found = ask(pid, self.answer)
        return Held(kib=resident_kib(pid), descriptors=len(os.listdir(f"/proc/{pid}/fd")), **found)


@contextmanager
def gateway() -> Iterator[Gateway]:
    """One that is ready. Raises `BenchFailure`."""
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        answer = Path(folder, "answer.json")
        with serving(
            {"bench": {**_SPACE, "participants": everybody(CAST + VISITORS, ["**"])}},
            participants=CAST + VISITORS,
            limits=_LIMITS,
            journal={**SQLITE, "keep": "2m"},
            command=_serve,
            environment={ANSWER: str(answer)},
        ) as server:
            yield Gateway(server, answer)


def _serve(file: Path) -> list[str]:
    return [sys.executable, "-m", "bench.churn.gateway", "serve", "--config", str(file), "--log-level", "error"]
