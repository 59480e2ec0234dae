"""The inspection of hosted agents: each is imported as its host would, in a process of its own; nothing is started."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator
from typing import NamedTuple

from mew_gateway.config import Configuration, Fault, Hosted

from .terminal import one_line

_LONGEST = 30.0  # seconds that an import may take
_AT_ONCE = 4
_LAST_WORDS = 4096  # bytes of what it printed
_LONGEST_MESSAGE = 400  # characters


class _Candidate(NamedTuple):
    """A hosted agent, and where it stands in the configuration."""

    path: tuple[str, ...]
    hosted: Hosted


async def faults(configuration: Configuration) -> list[Fault]:
    """What keeps hosted agents from being started: no such class, options it refuses, an import that fails or never
    ends."""
    room = asyncio.Semaphore(_AT_ONCE)

    async def inspect(candidate: _Candidate) -> Fault | None:
        async with room:
            return await _fault(configuration, candidate)

    found = await asyncio.gather(*map(inspect, _candidates(configuration)))
    return [fault for fault in found if fault is not None]


def _candidates(configuration: Configuration) -> Iterator[_Candidate]:
    for name, space in configuration.spaces.items():
        for who, hosted in space.hosted.items():
            if hosted.agent is not None:
                yield _Candidate(("spaces", name, "participants", who), hosted)


async def _fault(configuration: Configuration, candidate: _Candidate) -> Fault | None:
    agent = str(candidate.hosted.agent)
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("MEW_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mew_gateway.sdk.inspection", agent),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        cwd=candidate.hosted.directory or configuration.file.parent,
        env={**inherited, "MEW_OPTIONS": json.dumps(dict(candidate.hosted.options))},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(_LONGEST):
            out, err = await process.communicate()
    except TimeoutError:
        return Fault((*candidate.path, "agent"), f"{agent} cannot be imported in {_LONGEST:g} s.")
    finally:
        await _end(process)
    return _verdict(candidate, out, err, process.returncode)


def _verdict(candidate: _Candidate, out: bytes, err: bytes, status: int | None) -> Fault | None:
    """What the process has found; one that ended without a word was ended by what it imported."""
    try:
        found = json.loads(out.splitlines()[-1])
        return (
            None
            if found is None
            else Fault((*candidate.path, found["key"]), one_line(found["message"], longest=_LONGEST_MESSAGE))
        )
    except (IndexError, ValueError, KeyError, TypeError):
        words = err[-_LAST_WORDS:].decode(errors="replace").strip().splitlines()
        said = f": {one_line(words[-1])}" if words else ""
        return Fault((*candidate.path, "agent"), f"Importing it ends the process (status {status}){said}")


async def _end(process: Process) -> None:
    """End it, and whatever an import started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
