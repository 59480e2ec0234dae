"""The inspection of hosted agents: each is imported as its host would, in a process of its own, and not started.

What an import does is done: Python knows no other way to learn what a class is. It is given 30 s, has no standard input
and no token, and what it prints is not shown. What it starts is ended with it, and told in a warning.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from asyncio.subprocess import Process
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, NamedTuple

from mew_gateway.config import Configuration, Fault, Hosted
from mew_gateway.documents.problems import echo
from mew_gateway.documents.tool_names import unknown_tool_fault

from ..printing.terminal import one_line

_LONGEST = 30.0  # seconds that an import may take
_AT_ONCE = 4
_LAST_WORDS = 4096  # bytes of what it printed
_RESULT = 1_048_576  # bytes of what was found
_LONGEST_MESSAGE = 400  # characters
_STARTED = (
    "Importing it starts a process, which was ended here. Start processes when the agent serves, and not when its "
    "module is imported."
)


class _Candidate(NamedTuple):
    """A hosted agent, and where it stands in the configuration."""

    space: str
    participant: str
    hosted: Hosted

    @property
    def path(self) -> tuple[str, ...]:
        return ("spaces", self.space, "participants", self.participant)


class Inspected(NamedTuple):
    """A hosted agent: the `fault` that keeps it from being started (no such class, options it refuses, an import that
    fails or never ends), or the tools that it offers (None: only the running agent knows) and those that it calls. A
    `warning` is about what its import does."""

    space: str
    participant: str
    fault: Fault | None = None
    offers: tuple[str, ...] | None = None
    calls: tuple[str, ...] = ()
    warning: Fault | None = None


async def inspected(configuration: Configuration, *, space: str | None = None) -> list[Inspected]:
    """Every hosted agent, of all spaces or of one."""
    room = asyncio.Semaphore(_AT_ONCE)

    async def inspect(candidate: _Candidate) -> Inspected:
        async with room:
            return await _inspected(configuration, candidate)

    candidates = [one for one in _candidates(configuration) if space in (None, one.space)]
    return list(await asyncio.gather(*map(inspect, candidates)))


def offered(configuration: Configuration, space: str, found: Iterable[Inspected]) -> list[str]:
    """The tools of a space as `participant/name`; `participant/*` for one whose tools only it knows itself: it is not
    hosted, or no agent of this SDK."""
    known = {one.participant: one.offers for one in found if one.space == space}
    tools: list[str] = []
    for who in configuration.spaces[space].settings.participants:
        names = known.get(who)
        tools += [f"{who}/*"] if names is None else [f"{who}/{name}" for name in names]
    return tools


def missing_tools(configuration: Configuration, found: Sequence[Inspected]) -> Iterator[Fault]:
    """The tools that hosted agents will call, and that nobody in their space has."""
    for space in configuration.spaces:
        tools = offered(configuration, space, found)
        for one in found:
            path = ("spaces", space, "participants", one.participant)
            for tool in one.calls if one.space == space else ():
                fault = unknown_tool_fault(path, tool, tools)
                if fault is not None:
                    yield fault._replace(message=f"It will call {echo(tool)}. {fault.message}", at_key=True)


def _candidates(configuration: Configuration) -> Iterator[_Candidate]:
    for name, space in configuration.spaces.items():
        for who, hosted in space.hosted.items():
            if hosted.agent is not None:
                yield _Candidate(name, who, hosted)


async def _inspected(configuration: Configuration, candidate: _Candidate) -> Inspected:
    agent = str(candidate.hosted.agent)
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("MEW_")}
    # Files: a pipe would be open for as long as anything that the import has started.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "mew_gateway.sdk._inspection", agent),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=candidate.hosted.directory or configuration.file.parent,
            env={**inherited, "MEW_OPTIONS": json.dumps(dict(candidate.hosted.options))},
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(_LONGEST):
                await process.wait()
        except TimeoutError:
            return _faulty(candidate, "agent", f"{agent} cannot be imported in {_LONGEST:g} s.")
        finally:
            await _end(process)
        return _verdict(candidate, _end_of(out, _RESULT), _end_of(err, _LAST_WORDS), process.returncode)


def _verdict(candidate: _Candidate, out: bytes, err: bytes, status: int | None) -> Inspected:
    """What the process has found; one that ended without a word was ended by what it imported."""
    try:
        found = json.loads(out.splitlines()[-1])
        if "message" in found:
            return _faulty(candidate, found["key"], one_line(found["message"], longest=_LONGEST_MESSAGE))
        offers = None if found["offers"] is None else tuple(found["offers"])
        warning = Fault((*candidate.path, "agent"), _STARTED) if found["started"] else None
        calls = tuple(found["calls"])
        return Inspected(candidate.space, candidate.participant, offers=offers, calls=calls, warning=warning)
    except (IndexError, ValueError, KeyError, TypeError):
        words = err.decode(errors="replace").strip().splitlines()
        said = f": {one_line(words[-1])}" if words else ""
        return _faulty(candidate, "agent", f"Importing it ends the process (status {status}){said}")


def _end_of(file: IO[bytes], longest: int) -> bytes:
    """The last bytes of a file that a process has written."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - longest))
    return file.read(longest)


def _faulty(candidate: _Candidate, key: str, message: str) -> Inspected:
    return Inspected(candidate.space, candidate.participant, Fault((*candidate.path, key), message))


async def _end(process: Process) -> None:
    """End it, and whatever an import started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
