"""Hosted participants: child processes, started, watched and started again; a crashing agent stays its own affair."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import random
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path
from typing import IO, Literal
from urllib.parse import urlsplit

from mew_gateway.config import Hosted
from mew_gateway.errors import MewError
from mew_gateway.protocol.ids import is_valid

from .condition import Condition, keep, now
from .template import fill

logger = logging.getLogger("mew.hosting")

_STEADY = 30.0  # seconds a child must live for its backoff to start over
_GRACE = 5.0  # seconds between SIGTERM and SIGKILL
_MISTAKEN = 2  # how an agent of ours ends that was told something wrong (mew_gateway.sdk.host)
_PATIENT = 8  # the wait grows by so much behind that, for somebody has to mend it; else it doubles
_ABSENT = 15.0  # seconds that a process may run without joining its space, before the log says so
_LONGEST_LINE = 500  # characters of its output in our log
_KEPT_OUTPUT = 8 << 20  # bytes of an output file, and of the one before it


class Host:
    """Supervises one hosted participant: output to a file, restart by policy with growing, jittered waits.

    `state` is the folder that is its own, for what it prints and what it keeps; made when it starts, for us alone.
    `token` is asked at every start: it may have been rotated since the last. `environment` is added to the variables
    that it finds.
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
    ) -> None:
        assert is_valid(space) and is_valid(participant)  # their names are folders' names: no way out of `state_dir`
        self._hosted = hosted
        self._space = space
        self._participant = participant
        self._url = url
        self._token = token
        self._state = state
        self._output = state / "output.log"
        self._directory = hosted.directory or directory
        self._besides = environment or {}
        self._process: Process | None = None  # while it runs
        self._dismissed = False
        self._readmitted = False  # since it was dismissed, while its process still ran
        self._wanted = asyncio.Event()  # at once, not when its wait is over
        self._failures = 0
        self._absent_since: float | None = None  # while its process runs and it is not in its space
        self._is_told_absent = False
        self.starts = 0

    @property
    def who(self) -> tuple[str, str]:
        """Its space and its participant."""
        return self._space, self._participant

    @property
    def name(self) -> str:
        """`space/participant`."""
        return f"{self._space}/{self._participant}"

    @property
    def is_running(self) -> bool:
        """Whether its process runs."""
        return self._process is not None and self._process.returncode is None

    async def run(self) -> None:
        """Run it until its policy says no more, or it is dismissed and has ended by itself. Cancelled, it ends the
        child."""
        loop = asyncio.get_running_loop()
        wait = self._hosted.restart.backoff / 1000
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
            if self._hosted.restart.policy == "never" or (self._hosted.restart.policy == "on-failure" and status == 0):
                logger.info("%s ended with status %s; its policy leaves it so", self.name, status)
                self._note("ended", status=status)
                return
            if loop.time() - started >= _STEADY:
                wait = self._hosted.restart.backoff / 1000
            pause = wait * random.uniform(0.5, 1.0)
            logger.warning(
                "%s ended with status %s; again in %.1f s (its output: %s)", self.name, status, pause, self._output
            )
            is_mistaken = status == _MISTAKEN and self._hosted.agent is not None
            if is_mistaken:
                logger.error("%s: %s", self.name, self._last_line())
            self._note("waiting", status=status, again_in=pause)
            await self._pause(pause)
            wait = min(wait * (_PATIENT if is_mistaken else 2), self._hosted.restart.max_backoff / 1000)

    async def _pause(self, seconds: float) -> None:
        """Wait before the next start, unless somebody wants it now."""
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
        told = Condition(state=state, since=now(), failures=self._failures, status=status, again_at=again)
        keep(self._state, told)

    def dismiss(self) -> None:
        """Start it no more. Its process is not ended: a kick closes its connections, and it may finish what it does."""
        self._dismissed, self._readmitted = True, False

    def readmit(self) -> None:
        """Start it: at once if it waits for that, else when the process that was dismissed has ended. Two of its name
        never run at a time."""
        self._dismissed, self._readmitted = False, self._dismissed or self._readmitted
        self._wanted.set()

    async def terminate(self, limit: float) -> None:
        """Ask its process to end, and make it after `limit` seconds: an agent of ours finishes what is irreversible."""
        process = self._process
        if process is None:
            return
        logger.warning("%s is told to end; it is killed in %g s", self.name, limit)
        process.send_signal(signal.SIGINT)  # the leash of a program passes it on as SIGTERM and waits
        try:
            async with asyncio.timeout(limit):
                await process.wait()
        except TimeoutError:
            await self._end(process)

    def look(self, now: float, *, is_here: bool) -> None:
        """Say once in the log that it runs and has not joined its space: only its output knows why. `now` is in
        seconds."""
        if is_here or self._dismissed or not self.is_running:
            self._absent_since, self._is_told_absent = None, False
            return
        self._absent_since = now if self._absent_since is None else self._absent_since
        if now - self._absent_since >= _ABSENT and not self._is_told_absent:
            self._is_told_absent = True
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
        """Ask it to stop, then make it."""
        if process.returncode is None:
            process.terminate()
        try:
            async with asyncio.timeout(_GRACE):
                await process.wait()
        except TimeoutError:
            logger.warning("%s did not stop in %g s and is killed", self.name, _GRACE)
        with contextlib.suppress(ProcessLookupError, PermissionError):  # what it started, too
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()

    def trim(self) -> None:
        """Keep the output bounded: past `_KEPT_OUTPUT` it is moved aside, in place, for the child writes on."""
        before = self._output.with_suffix(".old")
        with contextlib.suppress(OSError):
            if self._output.stat().st_size > _KEPT_OUTPUT:
                try:
                    shutil.copyfile(self._output, before)
                except OSError:  # a full disk: better no copy than no bound
                    before.unlink(missing_ok=True)
                os.truncate(self._output, 0)

    def _last_line(self) -> str:
        """The last line that it has printed: why it ended, of an agent that was told something wrong."""
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
        """The gateway's own environment, without anybody's token, the configured one, and what the child needs to
        join."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("MEW_")}
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
            **self._besides,
        }

    def _own(self) -> dict[str, str]:
        """What a template may name of this participant and its gateway."""
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
        """How many processes run."""
        return sum(host.is_running for host in self._hosts.values())

    @property
    def starts(self) -> int:
        """How often any of them was started."""
        return sum(host.starts for host in self._hosts.values())

    def start(self, *, besides: Container[tuple[str, str]] = ()) -> None:
        """Start every one of them `besides` those that are not to be here."""
        for who in self._hosts:
            if who not in besides:
                self.readmit(*who)

    def readmit(self, space: str, participant: str) -> None:
        """Start it, if it is hosted and does not run; if it still runs, when it has ended."""
        who = (space, participant)
        host, before = self._hosts.get(who), self._tasks.get(who)
        if host is None or self._is_stopping:
            return
        if before is None or before.done():
            self._tasks[who] = asyncio.create_task(host.run(), name=host.name)
        else:
            host.readmit()

    def dismiss(self, space: str, participant: str) -> None:
        """Do not start it again, whatever its policy says, until it is readmitted."""
        host = self._hosts.get((space, participant))
        if host is not None:
            host.dismiss()

    def terminate(self, space: str, participant: str, limit: float) -> None:
        """End its process, if it has one; killed after `limit` seconds."""
        host = self._hosts.get((space, participant))
        if host is not None:
            task = asyncio.create_task(host.terminate(limit), name=f"terminate {host.name}")
            self._terminating.add(task)
            task.add_done_callback(self._terminating.discard)

    def look(self, now: float, is_here: Callable[[str, str], bool]) -> None:
        """Tell of those that run and are not in their space. `now` is in seconds."""
        for who, host in self._hosts.items():
            host.look(now, is_here=is_here(*who))

    def trim(self) -> None:
        """Keep everybody's output bounded."""
        for host in self._hosts.values():
            host.trim()

    async def stop(self) -> None:
        """End every one of them, all at once."""
        self._is_stopping = True
        tasks = list(self._tasks.values())
        for task in tasks:
            if not task.cancelling():  # a second time would cut short how it ends its child
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in self._terminating:
            task.cancel()
