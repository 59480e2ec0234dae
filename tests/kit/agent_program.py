"""A program that forks a process for every agent that a test starts: `python -m tests.kit.agent_program SOCKET`.

An agent of Fluxi imports for three seconds. Here that is done once, and every process begins with it. A connection
brings one line of JSON, `{"agent": "module:Class", "imports": [module], "environ": {…}, "log": path}`; the answers are
`{"pid": number}` and, when the process has ended, what `workers.attend` tells. The agent's own module is imported by
its process, because it may read the environment.
"""

from __future__ import annotations

import importlib
import os
import socket
import sys

from mew_agents.fluxi.canonical import read, written
from mew_gateway.sdk import host

from .workers import attend, connections, forked


def main(address: str) -> None:
    """Serve until standard input ends."""
    for connection in connections(address):
        with connection.makefile("rb") as lines:
            told = read(lines.readline().decode())
        for module in told.pop("imports"):
            importlib.import_module(module)
        forked(lambda: attend(connection, lambda: _run(connection, **told)))  # noqa: B023


def _run(connection: socket.socket, *, agent: str, environ: dict[str, str], log: str) -> int:
    """Do what `python -m mew_gateway.sdk.host AGENT` does, with these variables and this output."""
    connection.sendall(written({"pid": os.getpid()}).encode() + b"\n")
    connection.close()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(old, new)
    os.environ.clear()
    os.environ.update(environ)
    return host.main([agent])


if __name__ == "__main__":
    main(sys.argv[1])
