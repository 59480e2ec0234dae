"""`mew status`, `pause`, `resume`, and an emergency: a participant's state, and who may change it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from mew_gateway.protocol.envelope import Envelope


async def test_a_pause_and_its_end(team: Any, typed: Any) -> None:
    agent = await team.join("agent")
    first = await typed("pause", "agent", "--for", "60s", "--reason", "quiet")
    pause = await agent.until("participant/pause")
    assert (pause["payload"], pause["to"]) == ({"reason": "quiet", "timeout_seconds": 60.0}, ["agent"])
    second = await typed("pause", "agent", "--as", "admin")
    assert first.out == f"{pause['id']}\n" and second.status == 0
    table = (await typed("status")).out
    assert f"by human (…{pause['id'][-8:]})" in table and table.count("paused") == 2
    one = await typed("resume", "agent", pause["id"][-8:])
    about, outcome = one.err.splitlines()
    assert about.startswith("─ lifting a pause since ") and about.endswith(f" of agent, by human ({pause['id']})")
    assert (one.status, outcome) == (0, "agent stays paused: another pause stands.")
    assert (await typed("resume", "agent")).err == "agent goes on.\n"
    unknown = await typed("pause", "agentt")
    assert unknown.status == 2 and "There is no participant 'agentt' here" in unknown.err


async def test_status_asks_a_participant_or_says_why_none_came(team: Any, typed: Any) -> None:
    agent = await team.join("agent")
    await team.join("mute")
    command = asyncio.create_task(typed("status", "agent", "--fields", "tokens, latency"))
    request = await agent.until("participant/request-status")
    assert request["payload"] == {"fields": ["tokens", "latency"]}
    await agent.send("participant/status", {"tokens": 12}, to=["human"], correlation_id=[request["id"]])
    done, silent = await asyncio.gather(command, typed("status", "mute", "--timeout", "0.1"))
    assert done.status == 0 and done.out.split() == ["tokens", "12"]
    assert silent.status == 5 and "mute lacks the capability for participant/status" in silent.err


@pytest.mark.requirement("mew/3.5.5:affordance")
async def test_an_emergency_halts_and_says_how_it_ends(team: Any, typed: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(typed("interrupt", "agent", "--class", "emergency", "--as", "guardian"))
        interrupt = await agent.interrupt()
        await agent.acknowledge(interrupt, "stopping")
        await agent.conclude(sequence)
        done = await command
        assert done.status == 0 and "agent is halted" in done.out and "agent concluded" in done.out
        id = interrupt.id[-8:]
        how = f"resume agent {id} --space demo --as guardian`."
        assert "agent stays halted until guardian says `" in done.err and how in done.err
        status, plain, wrong = await asyncio.gather(
            typed("status", COLUMNS="200"), typed("resume", "agent"), typed("resume", "agent", id, "--json")
        )
        assert f"by the emergency …{id}; guardian may lift it" in status.out
        assert plain.status == 6
        assert f"agent stays halted by the emergency …{id}: guardian may lift it with" in plain.err
        assert how in plain.err
        assert (wrong.status, wrong.json()["failure"]["error"]) == (6, "capability_violation")
        about, outcome = (await typed("resume", "agent", id, "--as", "guardian")).err.splitlines()
        assert about.startswith("─ lifting the emergency of ") and outcome == "agent goes on."


async def test_halt_after_span_is_followed_to_the_conclusion(team: Any, typed: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(typed("interrupt", "agent", "--class", "emergency", "--as", "guardian", "--json"))
        interrupt = await agent.interrupt()
        answer = {"status": "continuing", "outcome": "halt_after_span"}
        await agent.client.send("reasoning/interrupt-ack", answer, to=["guardian"], correlation_id=[interrupt.id])
        await agent.conclude(sequence)
        done = await command
    told = done.json()
    assert done.status == 0 and told["halted"] is True and told["conclusion"]["outcome"] == "interrupted"


def is_resume(envelope: Envelope) -> bool:
    return envelope.kind == "participant/resume"


async def halt(team: Any, agent: Any) -> str:
    """Let guardian halt an agent that begins something and ends it again; the emergency's id."""
    sequence = await agent.start()
    guardian = await team.join("guardian")
    about: dict[str, Any] = {"to": ["agent"], "correlation_id": [sequence]}
    await guardian.send("reasoning/interrupt", {"reason": "error", "class": "emergency"}, **about)
    interrupt = await agent.interrupt()
    await agent.acknowledge(interrupt, "stopping")
    await agent.conclude(sequence)
    await guardian.until("reasoning/conclusion")
    await team.leave(guardian)
    return str(interrupt.id)


async def test_resume_without_ids_lifts_all_halts_and_pauses(team: Any, typed: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        first = await halt(team, agent)
        done = await typed("resume", "agent", "--as", "guardian", "--json")
        told = done.json()
        assert (done.status, told["lifted"], told["state"]["halts"]) == (0, [first], [])
        assert (await agent.hear(is_resume)).correlation_id == [first]
        second = await halt(team, agent)
        pause = (await typed("pause", "agent")).out.strip()
        assert (await typed("resume", "agent", "--as", "guardian")).err == "agent goes on.\n"
        assert (await agent.hear(is_resume)).correlation_id == [pause, second]
        assert await agent.start()  # the gateway lets it


async def test_resume_without_the_right_names_who_has_it_and_sends_nothing(team: Any, typed: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        emergency = await halt(team, agent)
        vain = await typed("resume", "agent", "--json")
        assert (vain.status, vain.json()["resume"], vain.json()["lifted"]) == (6, None, [])
        pause = (await typed("pause", "agent")).out.strip()
        both = await typed("resume", "agent", "--json")
        assert (both.status, both.json()["lifted"]) == (6, [pause])
        assert [one["interrupt"] for one in both.json()["state"]["halts"]] == [emergency]
        resume = await agent.hear(is_resume)
        assert (resume.id, resume.correlation_id) == (both.json()["resume"], None)
        second = (await typed("pause", "agent")).out.strip()
        one = await typed("resume", "agent", second)  # what it names is done, whatever else stands
        assert one.status == 0 and "agent stays halted" in one.err


async def test_a_halted_participant_answers_status_requests(team: Any, typed: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        emergency = await halt(team, agent)
        command = asyncio.create_task(typed("status", "agent", COLUMNS="200"))
        request = await agent.hear(lambda envelope: envelope.kind == "participant/request-status")
        await agent.client.send("participant/status", {"tokens": 12}, to=["human"], correlation_id=[request.id])
        done = await command
        assert done.status == 0, done.err
        state, tokens = done.out.splitlines()
        assert state.split()[:3] == ["state", "halted", "since"]
        assert state.endswith(f"by the emergency …{emergency[-8:]}; guardian may lift it")
        assert tokens.split() == ["tokens", "12"]
        silent = await typed("status", "agent", "--timeout", "0.1")
        assert silent.status == 5 and f"halted since {state.split()[3]} by the emergency" in silent.err


async def test_watch_shows_a_resume_that_lifts_no_halt(team: Any, mew: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        emergency = (await halt(team, agent))[-8:]
        async with mew.started("watch") as watch:
            await watch.line("agent is halted since", f"…{emergency}; guardian may lift it", err=True)
            await mew("pause", "agent")
            await mew("resume", "agent")
            line = await watch.line("lifts every pause of agent")
            assert f"; still halted: agent (…{emergency})" in line
            await mew("resume", "agent", "--as", "guardian")
            assert f"lets agent go on (…{emergency})" in await watch.line("lets agent")


async def test_resume_says_that_a_participant_was_not_held(team: Any, typed: Any) -> None:
    assert (await typed("resume", "agent")).err == "agent was not held.\n"
    await typed("pause", "agent")
    assert (await typed("resume", "agent")).err == "agent goes on.\n"


async def test_pausing_oneself_needs_confirmation(team: Any, typed: Any) -> None:
    refused = await typed("pause", "human")
    assert refused.status == 2 and "only admin or guardian may. Say --yes" in refused.err
    assert (await typed("status", "--json")).json()["participants"][0]["state"]["pauses"] == []
    done = await typed("pause", "human", "--yes", "--for", "60s")
    assert done.status == 0 and "lifts that; who may: admin, guardian." in done.err


async def test_status_lists_runs_with_duration_and_thoughts(team: Any, typed: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        sequence = await agent.start("looking for a tour")
        thought = await agent.client.send("reasoning/thought", {"message": "hm"}, context=sequence)
        await agent.hear(lambda envelope: envelope.id == thought)
        team.clock.advance(40_000)
        assert "looking for a tour  1 thought in 40 s" in (await typed("status")).out
        (told,) = (await typed("status", "--json")).json()["sequences"]
        assert (told["owner"], told["thoughts"]) == ("agent", 1)


HOSTED = """
gateway: {listen: 127.0.0.1:0, state_dir: state, journal: {url: "memory:"}}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: "participant/*"}]}
      once: {command: [PYTHON, -c, "print('worked'); print('well')"]}
      loop: {command: [PYTHON, -c, "print('no luck'); exit(3)"], restart: {backoff: 1h, max_backoff: 1h}}
"""


async def test_status_says_why_a_hosted_agent_is_absent_and_logs_its_output(
    start_gateway: Any, typed: Any, tmp_path: Path
) -> None:
    async with start_gateway(HOSTED.replace("PYTHON", sys.executable)):

        async def told(text: str) -> None:
            async with asyncio.timeout(60):
                while text not in (await typed("status")).out:
                    await asyncio.sleep(0.1)

        await told("ended with status 0, `mew restart` starts it")
        await told("failed (status 3), again in ")
        assert (await typed("logs", "once")).out == "worked\nwell\n"
        assert (await typed("logs", "loop", "--lines", "1")).out == "no luck\n"
        assert "has printed nothing here. Hosted in demo: once, loop." in (await typed("logs", "human")).err
        for name in ("once", "loop"):
            assert "if the gateway hosts it, it is started" in (await typed("restart", name)).err
        await told("failed 2 times in a row (status 3)")
        async with asyncio.timeout(60):
            while (await typed("logs", "once")).out.count("well") < 2:
                await asyncio.sleep(0.1)


async def test_halt_halts_every_reasoning_participant(team: Any, typed: Any, join: Any) -> None:
    idle = await typed("halt", "--as", "guardian")
    assert idle.status == 2 and "Nobody reasons in demo" in idle.err
    async with join(team, "agent") as agent:
        await agent.start()
        refused = await typed("halt")
        assert refused.status == 6 and "Who may grant it: admin" in refused.err
        done = await typed("halt", "--as", "guardian", "--message", "smoke")
        assert done.status == 0 and "■ agent is halted" in done.out
        interrupt = await agent.interrupt()
        assert interrupt.payload is not None
        assert (interrupt.payload["class"], interrupt.payload["message"]) == ("emergency", "smoke")
        assert (await typed("status", "--json")).json()["participants"][3]["state"]["halts"]
