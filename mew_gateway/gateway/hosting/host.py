"""Supervisor of hosted participants: child processes that are started, watched and restarted.

`Host` supervises one participant, `Hosting` all of a gateway. A crash of an agent does not affect the gateway. Programs
run under `child_guard`, which ends them with the gateway; an agent of the SDK does that itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import random
import re
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path
from typing import IO, Literal
from urllib.parse import urlsplit

from mew_gateway.backoff import Backoff
from mew_gateway.child_process import end, inherited_environment
from mew_gateway.config import Hosted
from mew_gateway.errors import MewError
from mew_gateway.protocol.ids import is_valid

from .process_status import ProcessStatus, now, write_status

logger = logging.getLogger("mew.hosting")

_STEADY = 30.0  # seconds that a child has to run for its backoff to start over
_LEAST_WAIT = 0.5  # of the backoff: a process that fails at once must not be started at once, however it is drawn
_GRACE = 5.0  # seconds between SIGTERM and SIGKILL
_MISCONFIGURED = 2  # exit status of an agent of the SDK with a wrong configuration (mew_gateway.sdk.host)
_SLOW_FACTOR = 8  # growth of the wait after that, as a person has to correct it; else the wait doubles
_ABSENT = 15.0  # seconds that a process may run without joining its space, before it is logged
_LONGEST_LINE = 500  # characters of its output in our log
_KEPT_OUTPUT = 8 << 20  # bytes of an output file, and of the one before it
_TEMPLATE_NAME = re.compile(r"\$\{([^}]*)\}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return the text with each `${NAME}` that has a value replaced by it, once; the others stay.

    Upstream's space files write arguments and variables so.
    """
    return _TEMPLATE_NAME.sub(lambda found: values.get(found[1], found[0]), text)


class Host:
    """Supervises one hosted participant: output to a file, restart by policy with growing, jittered waits.

    `state` is the participant's folder, for its output and its files; made at the start, readable by its owner only.
    `token` is called at every start, as the token may have been rotated. `environment` is added to its variables.
    `draw` returns a number in [0, 1) for the jitter.
    """

    def __init__(
        self,
        hosted: Hosted,
        *,
        space: str,
        participant: str,
        url: str,
        token: Callable[[], str],
        state: Path,
        directory: Path,
        environment: Mapping[str, str] | None = None,
        draw: Callable[[], float] = random.random,
    ) -> None:
        assert is_valid(space) and is_valid(participant)  # as folder names they cannot leave `state_dir`
        self._hosted = hosted
        self._space = space
        self._participant = participant
        self._url = url
        self._token = token
        self._state = state
        self._output = state / "output.log"
        self._directory = hosted.directory or directory
        self._extra_environment = environment or {}
        self._draw = draw
        self._process: Process | None = None  # while it runs
        self._dismissed = False
        self._readmitted = False  # since it was dismissed, while its process still ran
        self._wanted = asyncio.Event()  # start at once, without the rest of the wait
        self._failures = 0
        self._absent_since: float | None = None  # while its process runs and has not joined its space
        self._is_absence_logged = False
        self.starts = 0

    @property
    def who(self) -> tuple[str, str]:
        """The space and the participant."""
        return self._space, self._participant

    @property
    def name(self) -> str:
        """`space/participant`."""
        return f"{self._space}/{self._participant}"

    @property
    def is_running(self) -> bool:
        """True if its process runs."""
        return self._process is not None and self._process.returncode is None

    async def run(self) -> None:
        """Run the process, and restart it until its policy or `dismiss` says otherwise.

        If this is cancelled, it ends the child.
        """
        loop = asyncio.get_running_loop()
        restart = self._hosted.restart
        backoff = Backoff(first=restart.backoff, cap=restart.max_backoff, least=_LEAST_WAIT, draw=self._draw)
        self._dismissed = self._readmitted = False
        while not self._dismissed:
            started, self._readmitted = loop.time(), False
            self._note("running")
            status = await self._run_once()
            self._failures = 0 if loop.time() - started >= _STEADY else self._failures + 1
            if self._dismissed:
                self._note("removed", status=status)
                logger.info("%s ended with status %s after it was removed from its space", self.name, status)
                return
            if self._readmitted:
                continue
            if restart.policy == "never" or (restart.policy == "on-failure" and status == 0):
                logger.info("%s ended with status %s; its policy leaves it so", self.name, status)
                self._note("ended", status=status)
                return
            if loop.time() - started >= _STEADY:
                backoff.reset()
            is_misconfigured = status == _MISCONFIGURED and self._hosted.agent is not None
            pause = backoff.next(growth=_SLOW_FACTOR if is_misconfigured else 2) / 1000
            logger.warning(
                "%s ended with status %s; again in %.1f s (its output: %s)", self.name, status, pause, self._output
            )
            if is_misconfigured:
                logger.error("%s: %s", self.name, self._last_line())
            self._note("waiting", status=status, again_in=pause)
            await self._pause(pause)

    async def _pause(self, seconds: float) -> None:
        """Wait before the next start, at most until `readmit`."""
        self._wanted.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wanted.wait()

    def _note(
        self,
        state: Literal["running", "waiting", "ended", "removed"],
        *,
        status: int | None = None,
        again_in: float | None = None,
    ) -> None:
        again = None if again_in is None else now() + round(again_in * 1000)
        written = ProcessStatus(state=state, since=now(), failures=self._failures, status=status, again_at=again)
        write_status(self._state, written)

    def dismiss(self) -> None:
        """Do not restart it. Its process is not ended: a kick closes its connections, and it may finish its work."""
        self._dismissed, self._readmitted = True, False

    def readmit(self) -> None:
        """Start it again: at once if it waits, else when the dismissed process has ended.

        There is never more than one process of a participant.
        """
        self._dismissed, self._readmitted = False, self._dismissed or self._readmitted
        self._wanted.set()

    async def terminate(self, limit: float) -> None:
        """Interrupt its process, and kill it after `limit` seconds; in these an agent finishes irreversible work."""
        process = self._process
        if process is None:
            return
        logger.warning("%s is asked to end; it is killed in %g s", self.name, limit)
        process.send_signal(signal.SIGINT)  # `child_guard` forwards it to a program as SIGTERM and waits
        try:
            async with asyncio.timeout(limit):
                await process.wait()
        except TimeoutError:
            await self._end(process)

    def check_joined(self, now: float, *, is_joined: bool) -> None:
        """Log once that it runs and has not joined its space; only its output can say why. `now` is in seconds."""
        if is_joined or self._dismissed or not self.is_running:
            self._absent_since, self._is_absence_logged = None, False
            return
        self._absent_since = now if self._absent_since is None else self._absent_since
        if now - self._absent_since >= _ABSENT and not self._is_absence_logged:
            self._is_absence_logged = True
            logger.warning(
                "%s runs and is not in its space: %s (its output: %s)",
                self.name,
                self._last_line() or "it has said nothing",
                self._output,
            )

    async def _run_once(self) -> int:
        self.starts += 1
        try:
            process = await self._start()
        except (OSError, MewError) as error:
            logger.error("%s cannot be started: %s", self.name, error)
            return 127
        logger.info("%s started (process %d)", self.name, process.pid)
        self._process = process
        try:
            return await process.wait()
        finally:
            self._process = None
            await self._end(process)

    async def _start(self) -> Process:
        with self._open_output() as output:
            return await asyncio.create_subprocess_exec(
                *self._arguments(),
                stdin=PIPE,
                stdout=output,
                stderr=STDOUT,
                cwd=self._directory,
                env=self._environment(),
                start_new_session=True,
            )

    async def _end(self, process: Process) -> None:
        if not await end(process, grace=_GRACE):
            logger.warning("%s did not stop in %g s and is killed", self.name, _GRACE)

    def trim(self) -> None:
        """Bound the output file: past `_KEPT_OUTPUT`, copy it and truncate it in place, as the child writes on."""
        previous = self._output.with_suffix(".old")
        with contextlib.suppress(OSError):
            if self._output.stat().st_size > _KEPT_OUTPUT:
                try:
                    shutil.copyfile(self._output, previous)
                except OSError:  # a full disk: better no copy than no bound
                    previous.unlink(missing_ok=True)
                os.truncate(self._output, 0)

    def _last_line(self) -> str:
        """Return the last line of its output: for a misconfigured agent, the reason for its end."""
        try:
            with open(self._output, "rb") as output:
                output.seek(max(0, self._output.stat().st_size - 4 * _LONGEST_LINE))
                lines = output.read().decode(errors="replace").splitlines()
        except OSError as error:
            return f"its output cannot be read: {error.strerror}"
        last = lines[-1] if lines else ""
        return "".join(one if one.isprintable() else "?" for one in last[:_LONGEST_LINE])

    def _open_output(self) -> IO[bytes]:
        self._state.mkdir(mode=0o700, parents=True, exist_ok=True)
        return open(os.open(self._output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb")

    def _arguments(self) -> list[str]:
        if self._hosted.agent is not None:
            return [sys.executable, "-m", "mew_gateway.sdk.host", self._hosted.agent]
        command = self._hosted.command
        if self._hosted.is_template:
            command = tuple(fill(word, self._own()) for word in command)
        return [sys.executable, "-m", "mew_gateway.gateway.hosting.child_guard", *command]

    def _environment(self) -> dict[str, str]:
        """Return the child's variables: the gateway's own without tokens, the configured ones, and those to join."""
        inherited = inherited_environment()
        configured = self._hosted.env
        if self._hosted.is_template:
            known = {**inherited, **self._own()}
            configured = {key: fill(value, known) for key, value in configured.items()}
        return {
            **inherited,
            **configured,
            "MEW_URL": self._url,
            "MEW_SPACE": self._space,
            "MEW_PARTICIPANT": self._participant,
            "MEW_TOKEN": self._token(),
            "MEW_STATE": str(self._state),
            "MEW_OPTIONS": json.dumps(dict(self._hosted.options)),
            "MEW_PARENT": "stdin",
            "PYTHONUNBUFFERED": "1",
            **({} if self._hosted.account is None else {"MEW_ACCOUNT": self._hosted.account}),
            **self._extra_environment,
        }

    def _own(self) -> dict[str, str]:
        """Return the values of this participant and its gateway that a template may name."""
        return {"PORT": str(urlsplit(self._url).port or ""), "SPACE": self._space, "TOKEN": self._token()}


class Hosting:
    """All hosted participants of a gateway, by space and participant."""

    def __init__(self, hosts: Iterable[Host]) -> None:
        self._hosts = {host.who: host for host in hosts}
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._terminating: set[asyncio.Task[None]] = set()
        self._is_stopping = False

    @property
    def running(self) -> int:
        """Number of running processes."""
        return sum(host.is_running for host in self._hosts.values())

    @property
    def starts(self) -> int:
        """Number of starts of all processes."""
        return sum(host.starts for host in self._hosts.values())

    def start(self, *, skip: Container[tuple[str, str]] = ()) -> None:
        """Start all participants except those in `skip`, (space, participant) pairs."""
        for who in self._hosts:
            if who not in skip:
                self.readmit(*who)

    def readmit(self, space: str, participant: str) -> None:
        """Start a participant if it is hosted: at once, or when its running process has ended."""
        who = (space, participant)
        host, previous = self._hosts.get(who), self._tasks.get(who)
        if host is None or self._is_stopping:
            return
        if previous is None or previous.done():
            self._tasks[who] = asyncio.create_task(host.run(), name=host.name)
        else:
            host.readmit()

    def dismiss(self, space: str, participant: str) -> None:
        """Do not restart a participant, whatever its policy is, until it is readmitted."""
        host = self._hosts.get((space, participant))
        if host is not None:
            host.dismiss()

    def terminate(self, space: str, participant: str, limit: float) -> None:
        """End a participant's process, if there is one; kill it after `limit` seconds."""
        host = self._hosts.get((space, participant))
        if host is not None:
            task = asyncio.create_task(host.terminate(limit), name=f"terminate {host.name}")
            self._terminating.add(task)
            task.add_done_callback(self._terminating.discard)

    def check_joined(self, now: float, is_joined: Callable[[str, str], bool]) -> None:
        """Log the participants that run and have not joined their space. `now` is in seconds."""
        for who, host in self._hosts.items():
            host.check_joined(now, is_joined=is_joined(*who))

    def trim(self) -> None:
        """Bound the output files of all participants."""
        for host in self._hosts.values():
            host.trim()

    async def stop(self) -> None:
        """End all processes concurrently."""
        self._is_stopping = True
        tasks = list(self._tasks.values())
        for task in tasks:
            if not task.cancelling():  # a second cancellation would interrupt the end of its child
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in self._terminating:
            task.cancel()
