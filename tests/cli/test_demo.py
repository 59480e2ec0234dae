"""The story of `make demo`, told to its end with real processes."""

from __future__ import annotations

import asyncio
import sys


async def test_the_demo_tells_its_story_and_ends_well() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "mew_gateway.cli.main",
        "demo",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(120):
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
            "trace_sealed",
            "Act 3",
            "speaker is halted",
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
    assert "Traceback" not in story
