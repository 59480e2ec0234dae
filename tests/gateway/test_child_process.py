"""The end of a child process: what it started ends, too."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from typing import IO, Any, NamedTuple

import pytest

from mew_gateway.child_process import end, inherited_environment

# It starts a child of its own, which holds the same standard output, and says so.
_PARENT = """
import signal, subprocess, sys, time
{handler}
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("ready", flush=True)
time.sleep(600)
"""
_IGNORES = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"


class _Child(NamedTuple):
    process: Process
    output: IO[bytes]

    async def has_left_nothing(self) -> bool:
        """Return true once nobody holds its output any more."""
        with self.output:
            async with asyncio.timeout(60):
                return await asyncio.to_thread(self.output.read) == b""


async def _started(handler: str = "") -> _Child:
    reading, writing = os.pipe()  # asyncio's own pipes would delay `wait` until the last holder has ended
    output = os.fdopen(reading, "rb")
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _PARENT.format(handler=handler), stdout=writing, start_new_session=True
        )
    finally:
        os.close(writing)
    assert await asyncio.to_thread(output.readline) == b"ready\n"
    return _Child(process, output)


@pytest.mark.parametrize("whole_group", [False, True])
async def test_a_child_ends_within_its_grace_with_what_it_started(whole_group: bool) -> None:
    child = await _started()
    assert await end(child.process, grace=60, whole_group=whole_group)
    assert child.process.returncode == -signal.SIGTERM
    assert await child.has_left_nothing()


async def test_one_that_ignores_sigterm_is_killed_after_the_grace() -> None:
    child = await _started(_IGNORES)
    assert not await end(child.process, grace=0.05)
    assert child.process.returncode == -signal.SIGKILL
    assert await child.has_left_nothing()


async def test_one_that_has_ended_can_be_ended_again() -> None:
    child = await _started()
    await end(child.process, grace=60)
    assert await end(child.process, grace=0.05, whole_group=True)
    assert await child.has_left_nothing()


async def test_a_cancelled_end_kills_all_the_same() -> None:
    child = await _started(_IGNORES)
    ending = asyncio.create_task(end(child.process, grace=60))
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert child.process.returncode == -signal.SIGKILL
    assert await child.has_left_nothing()


def test_a_child_inherits_nothing_that_may_be_a_token(monkeypatch: Any) -> None:
    monkeypatch.setenv("MEW_TOKEN", "secret")
    monkeypatch.setenv("OTHER", "here")
    assert inherited_environment()["OTHER"] == "here"
    assert not [name for name in inherited_environment() if name.startswith("MEW_")]
