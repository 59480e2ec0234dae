"""`mew interrupt`: the ack and the conclusion, or what came instead, and the exit status."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import Any

import pytest


@pytest.mark.requirement("mew/3.5.5:affordance")
@pytest.mark.parametrize("status", ["stopping", "completing_thought"])
async def test_a_promise_to_stop_is_followed_to_the_conclusion(site: Any, mew: Any, join: Any, status: str) -> None:
    async with join(site, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(mew("interrupt", "agent"))
        interrupt = await agent.interrupt()
        assert interrupt.payload == {"reason": "user_request", "message": "human asks agent to stop."}
        assert (interrupt.sender, interrupt.to, interrupt.correlation_id) == ("human", ["agent"], [sequence])
        await agent.acknowledge(interrupt, status)
        await agent.conclude(sequence)
        done = await command
    assert done.status == 0
    assert f"agent answered after 0 ms: {status}: as you wish" in done.out
    assert done.out.endswith("agent concluded (interrupted): the tour is 812 long\n")


@pytest.mark.parametrize(("status", "expected"), [("continuing", 3), ("ignored", 4)])
async def test_an_answer_that_promises_nothing_ends_it(
    site: Any, mew: Any, join: Any, status: str, expected: int
) -> None:
    async with join(site, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(mew("interrupt", "agent", "--class", "queue", "--json"))
        interrupt = await agent.interrupt()
        await agent.acknowledge(interrupt, status)
        done = await command
    assert done.status == expected
    told = done.json()
    assert told["result"] == "acked" and told["exit_status"] == expected
    assert told["ack"] == {"status": status, "message": "as you wish", "after_ms": 0}
    assert (told["interrupt"], told["sequence"], told["conclusion"]) == (interrupt.id, sequence, None)


async def test_a_deadline_that_passes_is_exit_status_5(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        await agent.start()
        async with mew.started("interrupt", "agent") as command:
            await agent.interrupt()
            await command.line("waiting for agent to answer: 30 s left", err=True)
            await site.pass_time(30_000)
            done = await command.end()
    assert done.status == 5
    assert "interrupt_ack_timeout: agent did not acknowledge the interrupt of human in time." in done.out


async def test_a_conclusion_that_does_not_come_is_told(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        await agent.start()
        async with mew.started("interrupt", "agent") as command:
            await agent.acknowledge(await agent.interrupt(), "stopping")
            await command.line("waiting for agent to conclude: 5 s left", err=True)
            await site.pass_time(5_000)
            done = await command.end()
    assert done.status == 5  # a deadline passed: that of the conclusion
    assert "agent answered" in done.out and "interrupt_overrun: agent did not conclude" in done.out


async def test_an_ack_behind_the_conclusion_counts(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(mew("interrupt", "agent", "--json"))
        interrupt = await agent.interrupt()
        await agent.conclude(sequence)
        await agent.acknowledge(interrupt, "stopping")
        done = await command
    assert done.status == 0
    assert done.json()["conclusion"] == {"message": "the tour is 812 long", "outcome": "interrupted"}


async def test_a_refusal_is_exit_status_6_with_its_code(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        await agent.start()
        done = await mew("interrupt", "agent", "--as", "watcher")
        unknown = await mew("interrupt", "agent", "--sequence", "no-such", "--json")
    assert (done.status, done.out) == (6, "")
    assert "refused: capability_violation: You lack a capability for this reasoning/interrupt." in done.err
    assert unknown.status == 6
    assert unknown.json()["result"] == "refused" and unknown.json()["refusal"]["error"] == "sequence_not_found"


async def test_waiting_may_end_before_the_deadline(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        await agent.start()
        done = await mew("interrupt", "agent", "--timeout", "0.1", "--json")
    assert done.status == 5
    assert done.json()["result"] == "unanswered" and done.json()["timed_out"] is None


async def test_several_open_sequences_are_listed_with_what_to_type(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        first, second = await agent.start("one tour"), await agent.start("another tour")
        done = await mew("interrupt", "agent")
        assert (done.status, done.out) == (2, "")
        assert "agent has 2 open sequences. Which one?" in done.err
        for sequence, what in ((first, "one tour"), (second, "another tour")):
            assert f"interrupt agent --space demo --sequence {sequence[-8:]}" in done.err and what in done.err
        assert [one["id"] for one in (await mew("interrupt", "agent", "--json")).json()["sequences"]] == [first, second]
        chosen = asyncio.create_task(mew("interrupt", "agent", "--sequence", second[-8:], "--message", "that one"))
        interrupt = await agent.interrupt()
        assert interrupt.correlation_id == [second] and interrupt.payload["message"] == "that one"
        await agent.acknowledge(interrupt, "ignored")
        assert (await chosen).status == 4


async def test_nothing_to_interrupt_is_a_sentence(site: Any, mew: Any) -> None:
    done = await mew("interrupt", "agent")
    assert (done.status, done.err) == (2, "agent has no open sequence: there is nothing to interrupt.\n")
    done = await mew("interrupt", "nobody", "--space", "demo")
    assert done.status == 2 and "There is no participant 'nobody' here; there are: human, other, agent" in done.err


async def test_a_target_that_is_away_gets_it_when_it_comes(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        sequence = await agent.start()
    async with mew.started("interrupt", "agent") as command:
        await command.line("agent is not connected, and gets it when it joins: 30 s left", err=True)
        async with join(site, "agent") as agent:
            await agent.acknowledge(await agent.interrupt(), "stopping")
            await agent.conclude(sequence)
            assert (await command.end()).status == 0


async def test_on_a_terminal_the_seconds_pass_while_it_waits(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        await agent.start()
        async with mew.started("interrupt", "agent", FORCE_COLOR="1", TERM="xterm") as command:
            interrupt = await agent.interrupt()
            await command.sees("waiting for agent to answer: 30 s left")
            await command.sees("waiting for agent to answer: 29 s left")
            await agent.acknowledge(interrupt, "ignored")
            assert (await command.end()).status == 4


async def test_ctrl_c_stops_the_waiting_and_nothing_else(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        await agent.start()
        async with mew.started("interrupt", "agent") as command:
            await agent.interrupt()
            await command.line("waiting for agent", err=True)
            command.signal(signal.SIGINT)
            done = await command.end()
    assert done.status == 130
    assert done.err == "No longer waiting. What was sent stands: `mew interrupts` tells what becomes of it.\n"


async def test_what_happened_while_the_gateway_was_away_is_caught_up(
    start_gateway: Any, mew: Any, join: Any, tmp_path: Any
) -> None:
    """The gateway restarts while the interrupt is pending; it is answered before the command is back."""
    async with contextlib.AsyncExitStack() as commands:
        async with start_gateway() as site, join(site, "agent") as agent:
            sequence = await agent.start()
            command = await commands.enter_async_context(mew.started("interrupt", "agent"))
            interrupt = await agent.interrupt()
            await command.line("waiting for agent to answer", err=True)
            port = site.url.rpartition(":")[2]
        text = (tmp_path / "spaces.yaml").read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}")
        async with start_gateway(text) as site, join(site, "agent") as agent:
            await agent.acknowledge(interrupt, "stopping")
            await agent.conclude(sequence)
            done = await command.end()
    assert done.status == 0
    assert "agent answered" in done.out and "agent concluded (interrupted)" in done.out
