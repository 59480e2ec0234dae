"""Inspection of hosted agents: each is imported as its host would, in a process of its own, and not started.

What an import does is done: Python knows no other way to learn what a class is. It is given 30 s, has no standard input
and no token, and what it prints is not shown. Processes that it starts are ended with it, and reported in a warning.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, NamedTuple

from mew_gateway.child_process import inherited_environment, signal_group
from mew_gateway.config import Configuration, Fault, Hosted
from mew_gateway.documents.problems import echo
from mew_gateway.documents.tool_names import unknown_tool_fault

from ..printing.terminal import one_line

_IMPORT_TIMEOUT = 30.0  # seconds that an import may take
_CONCURRENT = 4
_MAX_STDERR = 4096  # bytes at the end of stderr
_MAX_RESULT = 1_048_576  # bytes of what was found
_MAX_MESSAGE = 400  # characters
_STARTED = (
    "Importing it starts a process, which was ended here. Start processes when the agent serves, and not when its "
    "module is imported."
)


class _Candidate(NamedTuple):
    """A hosted agent, and its place in the configuration."""

    space: str
    participant: str
    hosted: Hosted

    @property
    def path(self) -> tuple[str, ...]:
        return ("spaces", self.space, "participants", self.participant)


class Inspection(NamedTuple):
    """The result for a hosted agent.

    `fault` keeps it from being started: no such class, refused options, an import that fails or never ends. `offers`
    are its tools (None: only the running agent knows), `calls` those that it calls. A `warning` is about what its
    import does.
    """

    space: str
    participant: str
    fault: Fault | None = None
    offers: tuple[str, ...] | None = None
    calls: tuple[str, ...] = ()
    warning: Fault | None = None


async def inspect_agents(configuration: Configuration, *, space: str | None = None) -> list[Inspection]:
    """Inspect every hosted agent, of all spaces or of one."""
    slots = asyncio.Semaphore(_CONCURRENT)

    async def inspect(candidate: _Candidate) -> Inspection:
        async with slots:
            return await _inspect(configuration, candidate)

    candidates = [one for one in _candidates(configuration) if space in (None, one.space)]
    return list(await asyncio.gather(*map(inspect, candidates)))


def tools_of(configuration: Configuration, space: str, found: Iterable[Inspection]) -> list[str]:
    """Return the tools of a space as `participant/name`. `participant/*` stands for unknown ones: the participant is
    not hosted, or not written with this SDK."""
    known = {one.participant: one.offers for one in found if one.space == space}
    tools: list[str] = []
    for who in configuration.spaces[space].settings.participants:
        names = known.get(who)
        tools += [f"{who}/*"] if names is None else [f"{who}/{name}" for name in names]
    return tools


def missing_tools(configuration: Configuration, found: Sequence[Inspection]) -> Iterator[Fault]:
    """Yield a fault for each tool that a hosted agent calls and that no participant of its space has."""
    for space in configuration.spaces:
        tools = tools_of(configuration, space, found)
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


async def _inspect(configuration: Configuration, candidate: _Candidate) -> Inspection:
    agent = str(candidate.hosted.agent)
    # Files: a pipe would be open for as long as anything that the import has started.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "mew_gateway.sdk._inspection", agent),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=candidate.hosted.directory or configuration.file.parent,
            env={**inherited_environment(), "MEW_OPTIONS": json.dumps(dict(candidate.hosted.options))},
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(_IMPORT_TIMEOUT):
                await process.wait()
        except TimeoutError:
            return _faulty(candidate, "agent", f"{agent} cannot be imported in {_IMPORT_TIMEOUT:g} s.")
        finally:
            signal_group(process, signal.SIGKILL)  # with every process that an import started
            await process.wait()
        return _result(candidate, _tail(out, _MAX_RESULT), _tail(err, _MAX_STDERR), process.returncode)


def _result(candidate: _Candidate, out: bytes, err: bytes, status: int | None) -> Inspection:
    """Return what the process reported. If it reported nothing, what it imported has ended it."""
    try:
        found = json.loads(out.splitlines()[-1])
        if "message" in found:
            return _faulty(candidate, found["key"], one_line(found["message"], longest=_MAX_MESSAGE))
        offers = None if found["offers"] is None else tuple(found["offers"])
        warning = Fault((*candidate.path, "agent"), _STARTED) if found["started"] else None
        calls = tuple(found["calls"])
        return Inspection(candidate.space, candidate.participant, offers=offers, calls=calls, warning=warning)
    except (IndexError, ValueError, KeyError, TypeError):
        words = err.decode(errors="replace").strip().splitlines()
        said = f": {one_line(words[-1])}" if words else ""
        return _faulty(candidate, "agent", f"Importing it ends the process (status {status}){said}")


def _tail(file: IO[bytes], size: int) -> bytes:
    """Return the last `size` bytes of a file that a process has written."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - size))
    return file.read(size)


def _faulty(candidate: _Candidate, key: str, message: str) -> Inspection:
    return Inspection(candidate.space, candidate.participant, Fault((*candidate.path, key), message))
