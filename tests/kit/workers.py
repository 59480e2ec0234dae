"""Processes that a test starts in no time, tells what to do, and kills.

A worker program (`tests.fluxi.worker`, `tests.flows.worker`) imports everything once, then forks a process for every
connection to its socket (`serve`). A test starts the program by `serving` and a process by `Workers.start`. It sends
commands, lines of JSON: `{"do": NAME, **arguments}` calls the method NAME of the process's `Commands` object, and the
answer is `{"value": …}`, `{"refused": code}` or `{"error": text}`. When a process ends, its parent says how:
`{"ended": 9}` is SIGKILL.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import uuid_utils

from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.refused import Refused

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds a test waits for what must come
CommandsT = TypeVar("CommandsT")

# The test's side


class Killed(Exception):
    """The process got SIGKILL before it answered."""


class Worker:
    """One process, as a test sees it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def do(self, command: str, **options: Any) -> Any:
        """Return the value of a command. Raises Killed.

        A refusal is `{"refused": code}`; any other error fails the test.
        """
        self._writer.write(written({"do": command, **options}).encode() + b"\n")
        async with asyncio.timeout(PATIENCE):
            answer = read((await self._reader.readline()).decode())
        if answer.get("ended") == signal.SIGKILL:
            raise Killed
        assert "error" not in answer and "ended" not in answer, (command, options, answer)
        return answer.get("value", answer)

    async def end(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


class Workers:
    """Starts processes of one worker program."""

    def __init__(self, address: str) -> None:
        self.address = address

    @asynccontextmanager
    async def start(self, **options: Any) -> AsyncIterator[Worker]:
        """A process; with `options`, the command `open` has been done with them."""
        worker = Worker(*await asyncio.open_unix_connection(self.address, limit=2**20))
        try:
            if options:
                await worker.do("open", **options)
            yield worker
        finally:
            await worker.end()


@contextmanager
def serving(module: str) -> Iterator[Workers]:
    """A worker program that runs for the block. Its folder is not pytest's, because a socket's path is short."""
    with tempfile.TemporaryDirectory(prefix="mew-worker-") as folder:
        address = str(Path(folder) / "s")
        command = [sys.executable, "-m", module, address]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            try:
                assert program.stdout is not None
                assert program.stdout.readline() == "ready\n"
                yield Workers(address)
            finally:
                program.kill()


# The program's side


def serve(
    address: str, commands: Callable[[], CommandsT], *, warm_up: Callable[[CommandsT], Coroutine[Any, Any, object]]
) -> None:
    """Serve until standard input ends, each connection in a process of its own, with new `commands`.

    `warm_up` is done once before, so that every process begins with what a process learns once.
    """
    asyncio.run(warm_up(commands()))
    for connection in connections(address):
        forked(lambda: attend(connection, lambda: asyncio.run(_obey(connection, commands()))))  # noqa: B023


def connections(address: str) -> Iterator[socket.socket]:
    """Yield the connections to a socket until standard input ends; each is closed when the next one is asked for."""
    gc.freeze()  # what is never collected is never copied either
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        print("ready", flush=True)
        while listening in select.select([listening, sys.stdin], [], [])[0]:
            connection, _ = listening.accept()
            with connection:
                yield connection


def forked(do: Callable[[], int | None]) -> int:
    """Return the id of a new process that does this, and ends with its exit status (None: 0)."""
    child = os.fork()
    if not child:
        random.seed()
        uuid_utils.reseed_rng()  # or two processes draw the same ids
        status = do() or 0
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return child


def attend(connection: socket.socket, do: Callable[[], int | None]) -> None:
    """Fork the process of a connection, and tell how it ended: `{"ended": signal or 0, "status": exit status}`."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = forked(do)
    _, waited = os.waitpid(child, 0)
    ended = os.WTERMSIG(waited) if os.WIFSIGNALED(waited) else 0
    status = os.WEXITSTATUS(waited) if os.WIFEXITED(waited) else 0
    try:
        connection.sendall(written({"ended": ended, "status": status}).encode() + b"\n")
    except OSError:
        pass  # the test has closed it


async def _obey(connection: socket.socket, commands: object) -> None:
    """Do the commands of a connection until it ends."""
    reader, writer = await asyncio.open_connection(sock=connection)
    while line := await reader.readline():
        command = read(line.decode())
        try:
            answer = {"value": await getattr(commands, command.pop("do"))(**command)}
        except Refused as refused:
            answer = {"refused": refused.code}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        writer.write(written(answer).encode() + b"\n")
        await writer.drain()
