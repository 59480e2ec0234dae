"""The agent's process, from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bench.failure import BenchFailure
from bench.machine import resident_kib
from bench.waiting.agent import TASKS
from bench.waiting.desk import AGENT, DESK

_PATIENCE = 10.0  # seconds
_LOOK = 0.05


class Agent:
    """One life of the agent in a process of its own, its database in `folder`."""

    def __init__(self, url: str, token: str, folder: Path) -> None:
        self._folder = folder
        environment = {
            **os.environ,
            "MEW_URL": url,
            "MEW_SPACE": "bench",
            "MEW_TOKEN": token,
            "MEW_STATE": str(folder),
            "MEW_OPTIONS": json.dumps({"speaks_for": [DESK]}),
        }
        command = [sys.executable, "-m", "mew_gateway.sdk.host", "bench.waiting.agent:Counted"]
        with (folder / f"{AGENT}.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    @property
    def kib(self) -> int:
        """Resident memory."""
        return resident_kib(self._process.pid)

    @property
    def threads(self) -> int:
        """The threads it has."""
        return len(list(Path(f"/proc/{self._process.pid}/task").iterdir()))

    @property
    def tasks(self) -> int:
        """The tasks of its loop. Raises `BenchFailure`."""
        file = self._folder / TASKS
        file.unlink(missing_ok=True)
        os.kill(self._process.pid, signal.SIGUSR1)
        until = time.monotonic() + _PATIENCE
        while not file.exists():
            if time.monotonic() > until:
                raise BenchFailure("The agent does not say how many tasks it has.")
            time.sleep(_LOOK)
        return int(file.read_text())

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """SIGTERM, if it still runs."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
