"""Child process of the agent under test: start, kill, restart. A hang or a crash stays in its process group.

The gateway's host restarts by a policy and leaves the end to its child; here an exercise does both, and the whole group
gets the SIGTERM, as the command may be a shell that starts the agent.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import anyio
from anyio.abc import Process

from mew_gateway.child_process import end, inherited_environment, signal_group

from .agent_under_test import Unexaminable

_GRACE = 1.0  # seconds between SIGTERM and SIGKILL
_OUTPUT_LINES = 20  # shown of its output


class AgentProcess:
    """One agent as a child process, in its own process group. Its output is appended to the file `output`."""

    def __init__(self, command: tuple[str, ...], *, environment: Mapping[str, str], output: Path) -> None:
        self._command = command
        self._environment = {
            **inherited_environment(),
            **environment,
            "MEW_PARENT": "stdin",
            "PYTHONUNBUFFERED": "1",
        }
        self._output = output
        self._process: Process | None = None

    async def start(self) -> None:
        """Start the process. Raises `Unexaminable` if the command cannot be executed."""
        with self._output.open("ab") as output:
            try:
                self._process = await anyio.open_process(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=self._environment,
                    start_new_session=True,
                )
            except OSError as error:
                raise Unexaminable(f"{self._command[0]} cannot be started: {error.strerror}.") from None

    @property
    def exit_status(self) -> int | None:
        """Exit status of a process that ended by itself; None while it runs."""
        return None if self._process is None else self._process.returncode

    @property
    def last_output(self) -> str:
        """The last lines of its output."""
        with contextlib.suppress(OSError):
            return "\n".join(self._output.read_text(encoding="utf-8", errors="replace").splitlines()[-_OUTPUT_LINES:])
        return ""

    async def kill(self) -> None:
        """Kill the process group with SIGKILL."""
        if (process := self._taken()) is not None:
            signal_group(process, signal.SIGKILL)
            await process.aclose()

    async def aclose(self) -> None:
        """Terminate the process group with SIGTERM, then with SIGKILL."""
        if (process := self._taken()) is not None:
            with anyio.CancelScope(shield=True):
                await end(process, grace=_GRACE, whole_group=True)
                await process.aclose()

    def _taken(self) -> Process | None:
        process, self._process = self._process, None
        return process
