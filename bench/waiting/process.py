"""The agent's process, from outside."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.machine import resident_kib
from bench.probe import ANSWER, ask
from bench.process import Process, started
from bench.waiting.desk import DESK


class Agent(NamedTuple):
    """One life of the agent."""

    process: Process
    answer: Path

    @property
    def kib(self) -> int:
        """Resident memory."""
        return resident_kib(self.process.pid)

    @property
    def threads(self) -> int:
        """The threads it has."""
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    @property
    def tasks(self) -> int:
        """The tasks of its loop. Raises `BenchFailure`."""
        found: int = ask(self.process.pid, self.answer)
        return found


@contextmanager
def agent(url: str, token: str, folder: Path) -> Iterator[Agent]:
    """One that starts, until the end of the block at the latest, its database in `folder`."""
    answer = folder / "answer.json"
    environment = {
        **os.environ,
        "MEW_URL": url,
        "MEW_SPACE": "bench",
        "MEW_TOKEN": token,
        "MEW_STATE": str(folder),
        "MEW_OPTIONS": json.dumps({"speaks_for": [DESK]}),
        ANSWER: str(answer),
    }
    command = [sys.executable, "-m", "mew_gateway.sdk.host", "bench.waiting.agent:Counted"]
    with started(command, environment=environment) as process:
        yield Agent(process, answer)
