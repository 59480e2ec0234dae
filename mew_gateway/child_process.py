"""What is the same of every child process that is started here: its environment, and its end with all of its group.

The gateway's host supervises participants, an examination runs a gateway and an agent, and `mew check` imports agents.
They differ in what they do with output, restarts and exit statuses. A child is started in a session of its own: a
Ctrl-C in the terminal does not reach it, and its process group has its own id.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Coroutine
from typing import Any, Protocol


class Child(Protocol):
    """A process of asyncio or anyio."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def wait(self) -> Coroutine[Any, Any, int]: ...


def inherited_environment() -> dict[str, str]:
    """Return the environment of this process without its `MEW_` variables: they may hold a token, or name another
    gateway."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MEW_")}


def signal_group(process: Child, number: signal.Signals) -> None:
    """Send a signal to a child and to what it has started. It is no error if nothing is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


async def end(process: Child, *, grace: float, whole_group: bool = False) -> bool:
    """End a child with SIGTERM, and after `grace` seconds, or its end, its process group with SIGKILL.

    Only the child gets the SIGTERM, which ends its own children as it likes; with `whole_group` all of them get it.
    Return whether it ended within the grace.
    """
    if whole_group:
        signal_group(process, signal.SIGTERM)
    elif process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
    try:
        async with asyncio.timeout(grace):
            await process.wait()
        return True
    except TimeoutError:
        return False
    finally:
        signal_group(process, signal.SIGKILL)  # what it started, too
        await process.wait()
