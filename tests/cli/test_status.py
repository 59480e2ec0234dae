"""`mew status`, `pause`, `resume`, and an emergency: how somebody stands, and who lets it go on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest


async def test_a_pause_and_its_end(team: Any, mew: Any) -> None:
    agent = await team.join("agent")
    first = await mew("pause", "agent", "--for", "60s", "--reason", "quiet")
    pause = await agent.until("participant/pause")
    assert (pause["payload"], pause["to"]) == ({"reason": "quiet", "timeout_seconds": 60.0}, ["agent"])
    second = await mew("pause", "agent")
    assert first.out == f"{pause['id']}\n" and second.status == 0
    table = (await mew("status")).out
    assert f"by human (…{pause['id'][-8:]})" in table and table.count("paused") == 2
    one = await mew("resume", "agent", pause["id"][-8:])
    assert (one.status, one.err) == (0, "agent stays paused: another pause stands.\n")
    assert (await mew("resume", "agent")).err == "agent goes on.\n"
    unknown = await mew("pause", "agentt")
    assert unknown.status == 2 and "There is no participant 'agentt' here" in unknown.err


async def test_a_participant_tells_its_status_or_why_it_cannot(team: Any, mew: Any) -> None:
    agent = await team.join("agent")
    await team.join("mute")
    command = asyncio.create_task(mew("status", "agent", "--fields", "tokens, latency"))
    request = await agent.until("participant/request-status")
    assert request["payload"] == {"fields": ["tokens", "latency"]}
    await agent.send("participant/status", {"tokens": 12}, to=["human"], correlation_id=[request["id"]])
    done, silent = await asyncio.gather(command, mew("status", "mute", "--timeout", "0.1"))
    assert done.status == 0 and done.out.split() == ["tokens", "12"]
    assert silent.status == 5 and "mute lacks the capability for participant/status" in silent.err


@pytest.mark.requirement("mew/3.5.5:affordance")
async def test_an_emergency_halts_and_says_how_it_ends(team: Any, mew: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(mew("interrupt", "agent", "--class", "emergency", "--as", "guardian"))
        interrupt = await agent.interrupt()
        await agent.acknowledge(interrupt, "stopping")
        await agent.conclude(sequence)
        done = await command
        assert done.status == 0 and "agent is halted" in done.out and "agent concluded" in done.out
        id = interrupt.id[-8:]
        assert f"resume agent {id}" in done.err
        status, plain, wrong = await asyncio.gather(
            mew("status"), mew("resume", "agent"), mew("resume", "agent", id, "--json")
        )
        assert f"by the emergency …{id}" in status.out
        assert "agent stays halted by an emergency" in plain.err
        assert (wrong.status, wrong.json()["failure"]["error"]) == (6, "capability_violation")
        assert (await mew("resume", "agent", id, "--as", "guardian")).err == "agent goes on.\n"


async def test_what_ends_with_its_span_is_followed_to_the_conclusion(team: Any, mew: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(mew("interrupt", "agent", "--class", "emergency", "--as", "guardian", "--json"))
        interrupt = await agent.interrupt()
        answer = {"status": "continuing", "outcome": "halt_after_span"}
        await agent.client.send("reasoning/interrupt-ack", answer, to=["guardian"], correlation_id=[interrupt.id])
        await agent.conclude(sequence)
        done = await command
    told = done.json()
    assert done.status == 0 and told["halted"] is True and told["conclusion"]["outcome"] == "interrupted"
