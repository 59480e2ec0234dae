"""Command that inspects an agent's class without starting it: `python -m mew_gateway.sdk._inspection module:Class`.

It imports the class and reads `MEW_OPTIONS` as the class would, and joins nothing. The only line of standard output is
JSON: `{"key": "agent" | "options", "message": sentence}` for what prevents a start, else `{"offers": tools or null,
"calls": tools, "started": true or false}`: the names of its own tools (null: only the running agent knows), the tools
of others that it will call, as `participant/name`, and whether the import left a process running. Such processes are
ended. What is imported, and what that starts, writes to standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from mew_gateway.errors import Misconfigured

from .agent import Agent
from .host import load
from .options import options_from
from .tools import tools_of


def inspect(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return what prevents the agent `module:Class` from starting with these options, or else its tools."""
    try:
        kind = load(name)
    except Misconfigured as error:
        return {"key": "agent", "message": str(error)}
    try:
        calls = kind.tools_called(options_from(options, kind.Options))
    except Misconfigured as error:
        return {"key": "options", "message": str(error)}
    answers_itself = kind.on_request is not Agent.on_request
    return {"offers": None if answers_itself else tools_of(kind), "calls": list(calls)}


def main() -> None:
    """Run the command. It exits at once, because an import may have left threads that do not end."""
    result = os.dup(1)  # no program that the import starts gets this: such may hold and fill the standard output
    os.dup2(2, 1)
    options = msgspec.json.decode(os.environ.get("MEW_OPTIONS") or "{}", type=dict[str, Any])
    found = inspect(sys.argv[1], options)
    os.write(result, json.dumps({**found, "started": _end_children()}).encode() + b"\n")
    os._exit(0)


def _end_children() -> bool:
    """End the processes that the import has started, also those in a session of their own. Return whether there were
    any. Without `/proc` none is known here: who started this process ends those of its process group."""
    found = False
    for pid in _children():
        with contextlib.suppress(OSError):
            if (
                os.waitpid(pid, os.WNOHANG)[0] == pid
                or b"resource_tracker" in Path(f"/proc/{pid}/cmdline").read_bytes()
            ):
                continue  # it has ended, or will with this process: Python's own
            found = True
            if os.getpgid(pid) == pid:
                os.killpg(pid, signal.SIGKILL)
            else:
                os.kill(pid, signal.SIGKILL)
    return found


def _children() -> Iterator[int]:
    """The processes whose parent this one is."""
    for file in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            yield from map(int, file.read_text().split())


if __name__ == "__main__":
    main()
