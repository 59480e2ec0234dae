"""`make demo`, run to its end with real processes; none of them outlives it, however it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

# As a shell that is no terminal's starts what it puts into the background.
_IN_THE_BACKGROUND = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")


@contextlib.asynccontextmanager
async def demo(*before: str, options: tuple[str, ...] = (), **environ: str) -> AsyncIterator[Process]:
    """The demo, killed behind the block if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *before,
        *(sys.executable, "-m", "mew_gateway.cli.main", "demo", *options),
        stdout=PIPE,
        stderr=STDOUT,
        env={**os.environ, **environ},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
async def test_nothing_outlives_the_demo(number: signal.Signals, tmp_path: Path) -> None:
    async with demo(options=("--act", "1"), TMPDIR=str(tmp_path)) as process, asyncio.timeout(600):
        assert process.stdout is not None
        await process.stdout.readuntil(b"demo as human; here")
        (address,) = tmp_path.glob("*/.mew/gateway.json")
        port = int(json.loads(address.read_text())["url"].rpartition(":")[2])
        process.send_signal(number)
        told = await process.stdout.read()  # to its end: nobody holds it any more, neither the watch
        status = await process.wait()
        with contextlib.suppress(ConnectionRefusedError):
            while True:  # nor does the gateway answer
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                await asyncio.sleep(0.05)
    assert status != 0
    assert b"Traceback" not in told and b"Trying again" not in told
    if number != signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []


async def test_the_demo_tells_its_story_and_ends_well() -> None:
    """In the background of a script nobody hears a Ctrl-C, and what a person has set for another gateway is let be."""
    async with demo(*_IN_THE_BACKGROUND, MEW_PARTICIPANT="admin", MEW_TOKEN="another's") as process:
        async with asyncio.timeout(600):
            output, _ = await process.communicate()
    story = output.decode()
    assert process.returncode == 0, story
    places = [
        story.find(part)
        for part in (
            "Act 1",
            "$ mew interrupt --space demo solver",
            "solver concluded",
            "honoured",
            "Act 2",
            "no, mejor mañana",
            "has seen",
            "De acuerdo, mejor mañana.",
            "override → completing_thought, soft-stop, stopped",
            "override from human, “no, mejor mañana”, to be heard instead of this run",
            "trace_sealed",
            "Act 3",
            "speaker is halted",
            "until guardian says `mew resume speaker ",
            " --space demo --as guardian`",
            "refused: capability_violation",
            "speaker goes on.",
            "Act 4",
            "interrupt_ack_timeout",
            "timed_out",
            "Act 5",
            "el viernes a las 17",
            "sí, pero a las 18",
            "Otro dato ocupa su lugar",
            "fluxi          ○ leaves",
            "fluxi          ● joins",
            "Le confirmo que est",
            "18:00–18:30, human",
            "Act 6",
            "me llamo Lucía",
            "onboarding pregunta y espera: ask_age",
            "kill -9",
            "flows          ○ leaves",
            "flows          ● joins",
            "25 años",
            "onboarding pregunta y espera: ask_email",
            "an answer: ",
            "the same question open",
            "lucia@example.com",
            "Rosario",
            "onboarding: welcome",
            "stopped in good order",
        )
    ]
    assert -1 not in places, story
    assert places == sorted(places), story
    assert story.count("18:00–18:30, human") == 1
    assert story.count("onboarding pregunta y espera: ask_age") == 1
    assert "Traceback" not in story and "mew_gateway" not in story


async def test_an_act_that_continues_another_can_be_played_alone() -> None:
    async with demo(options=("--act", "3", "--fast")) as process, asyncio.timeout(600):
        output, _ = await process.communicate()
    story = output.decode()
    assert process.returncode == 0, story
    assert "speaker is halted" in story and "speaker goes on." in story, story
