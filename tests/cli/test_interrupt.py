"""`mew interrupt`: the ack and the conclusion, or what came instead, and the exit status."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest

from mew_gateway.cli.commands.control.halt import in_turns
from mew_gateway.cli.connecting import http_client
from mew_gateway.cli.connecting.http_client import Api

from ..kit.processes import environment_without_mew


@pytest.mark.requirement("mew/3.5.5:affordance")
@pytest.mark.parametrize("status", ["stopping", "completing_thought"])
async def test_a_promise_to_stop_is_followed_to_the_conclusion(site: Any, typed: Any, join: Any, status: str) -> None:
    async with join(site, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(typed("interrupt", "agent"))
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
    site: Any, typed: Any, join: Any, status: str, expected: int
) -> None:
    async with join(site, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(typed("interrupt", "agent", "--class", "queue", "--json"))
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


async def test_an_ack_after_the_conclusion_counts(site: Any, typed: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(typed("interrupt", "agent", "--json"))
        interrupt = await agent.interrupt()
        await agent.conclude(sequence)
        await agent.acknowledge(interrupt, "stopping")
        done = await command
    assert done.status == 0
    assert done.json()["conclusion"] == {"message": "the tour is 812 long", "outcome": "interrupted"}


async def test_a_refusal_is_exit_status_6_with_its_code(site: Any, typed: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        await agent.start()
        done = await typed("interrupt", "agent", "--as", "watcher")
        unknown = await typed("interrupt", "agent", "--sequence", "no-such", "--json")
    assert (done.status, done.out) == (6, "")
    assert "refused: capability_violation: You lack a capability for this reasoning/interrupt." in done.err
    assert unknown.status == 6
    assert unknown.json()["result"] == "refused" and unknown.json()["refusal"]["error"] == "sequence_not_found"


async def test_waiting_may_end_before_the_deadline(site: Any, typed: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        await agent.start()
        done = await typed("interrupt", "agent", "--timeout", "0.1", "--json")
    assert done.status == 5
    assert done.json()["result"] == "unanswered" and done.json()["timed_out"] is None


async def test_interrupt_lists_several_open_sequences(site: Any, typed: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        first, second = await agent.start("one tour"), await agent.start("another tour")
        done = await typed("interrupt", "agent")
        assert (done.status, done.out) == (2, "")
        assert "agent has 2 open sequences. Which one?" in done.err
        for sequence, what in ((first, "one tour"), (second, "another tour")):
            assert f"interrupt agent --space demo --sequence {sequence[-8:]}" in done.err and what in done.err
        assert [one["id"] for one in (await typed("interrupt", "agent", "--json")).json()["sequences"]] == [
            first,
            second,
        ]
        chosen = asyncio.create_task(typed("interrupt", "agent", "--sequence", second[-8:], "--message", "that one"))
        interrupt = await agent.interrupt()
        assert interrupt.correlation_id == [second] and interrupt.payload["message"] == "that one"
        await agent.acknowledge(interrupt, "ignored")
        assert (await chosen).status == 4


async def test_each_sequence_that_is_offered_is_named_unambiguously(site: Any, typed: Any) -> None:
    agent, stranger = await site.join("agent"), await site.join("second")
    alike = [f"{first * 20}-12345678" for first in "ab"]
    for id in (*alike, "12345678"):
        await agent.send("reasoning/start", {"message": f"run {id[0]}"}, id=id)
    await stranger.send("reasoning/start", {}, id="0000cafe")
    await stranger.until("reasoning/start", message="run 1")
    await stranger.settle()
    done = await typed("interrupt", "agent")
    offered = [line.split("#")[0].split()[-2:] for line in done.err.splitlines() if "--sequence" in line]
    assert offered == [["--sequence", "aaa-12345678"], ["--sequence", "bbb-12345678"], ["12345678", "--whole"]]
    assert "interrupt agent --space demo --all" in done.err
    vague = await typed("interrupt", "agent", "--sequence", "12345678")
    assert vague.status == 2 and "agent has 3 sequences that 12345678 fits. Which one?" in vague.err
    for words, id in ((["aaa-12345678"], alike[0]), (["12345678", "--whole"], "12345678")):
        command = asyncio.create_task(typed("interrupt", "agent", "--sequence", *words))
        interrupt = await agent.until("reasoning/interrupt")
        assert interrupt["correlation_id"] == [id]
        ack = {"to": ["human"], "correlation_id": [interrupt["id"]]}
        await agent.send("reasoning/interrupt-ack", {"status": "ignored"}, **ack)
        assert (await command).status == 4


async def test_interrupt_ignores_another_participants_sequence_of_that_name(site: Any, typed: Any) -> None:
    agent, stranger = await site.join("agent"), await site.join("second")
    long = f"{'a' * 20}-0000cafe"
    await agent.send("reasoning/start", {}, id=long)
    await stranger.send("reasoning/start", {}, id="0000cafe")
    await stranger.settle()
    command = asyncio.create_task(typed("interrupt", "agent", "--sequence", "0000cafe"))
    interrupt = await agent.until("reasoning/interrupt")
    assert (interrupt["to"], interrupt["correlation_id"]) == (["agent"], [long])
    await agent.send("reasoning/interrupt-ack", {"status": "ignored"}, correlation_id=[interrupt["id"]])
    assert (await command).status == 4


async def test_interrupt_all_reaches_every_open_sequence(site: Any, typed: Any) -> None:
    agent = await site.join("agent")
    for id in ("one", "two", "three"):
        await agent.send("reasoning/start", {}, id=id)
    await agent.settle()
    command = asyncio.create_task(typed("interrupt", "agent", "--all"))
    interrupts = [await agent.until("reasoning/interrupt") for _ in range(3)]  # all are sent before one is answered
    assert sorted(one["correlation_id"][0] for one in interrupts) == ["one", "three", "two"]
    for one in interrupts:
        status = {"one": "stopping", "two": "ignored", "three": "continuing"}[one["correlation_id"][0]]
        await agent.send("reasoning/interrupt-ack", {"status": status}, to=["human"], correlation_id=[one["id"]])
    await agent.send("reasoning/conclusion", {"outcome": "interrupted"}, context="one")
    done = await command
    assert done.status == 4
    for told in ("ignored  two", "continuing  three", "agent concluded (interrupted)  one"):
        assert told in done.out
    command = asyncio.create_task(typed("interrupt", "agent", "--all", "--json"))
    for _ in range(2):
        one = await agent.until("reasoning/interrupt")
        await agent.send("reasoning/interrupt-ack", {"status": "continuing"}, correlation_id=[one["id"]])
    told = (await command).json()
    assert told["exit_status"] == 3 and [one["exit_status"] for one in told["interrupts"]] == [3, 3]
    assert (await typed("interrupt", "agent", "--all", "--sequence", "two")).status == 2


async def test_nothing_to_interrupt_is_a_sentence(site: Any, typed: Any) -> None:
    done = await typed("interrupt", "agent")
    assert (done.status, done.err) == (2, "agent has no open sequence: there is nothing to interrupt.\n")
    done = await typed("interrupt", "nobody", "--space", "demo")
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
    assert done.err == "No longer waiting. What was sent stands: `mew interrupts` shows what becomes of it.\n"


async def test_interrupt_catches_up_after_a_gateway_restart(
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


class Terminal:
    """A command whose questions and answers go through a terminal of its own."""

    def __init__(self, process: asyncio.subprocess.Process, end: int) -> None:
        self.process = process
        self._end = end
        self.shown = ""

    async def sees(self, text: str) -> None:
        """Read until this text is on the screen, however its lines are broken."""
        async with asyncio.timeout(30):
            while text not in " ".join(self.shown.split()):
                self.shown += (await asyncio.to_thread(os.read, self._end, 4096)).decode()

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    async def status(self) -> int:
        async with asyncio.timeout(30):
            await self.process.communicate()
        return self.process.returncode or 0


@contextlib.asynccontextmanager
async def on_terminal(mew: Any, *arguments: str) -> AsyncIterator[Terminal]:
    """A command that is running at a terminal."""
    ours, its = os.openpty()
    try:
        process = await asyncio.create_subprocess_exec(
            *mew.command(*arguments),
            cwd=mew.folder,
            env=environment_without_mew(),
            stdin=its,
            stdout=asyncio.subprocess.PIPE,
            stderr=its,
        )
        try:
            yield Terminal(process, ours)
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()
    finally:
        os.close(its)
        os.close(ours)


EMERGENCY = ("interrupt", "agent", "--class", "emergency", "--as", "guardian")


async def test_an_emergency_takes_one_of_several_sequences(team: Any, typed: Any) -> None:
    agent = await team.join("agent")
    for id in ("one", "two"):
        await agent.send("reasoning/start", {}, id=id)
    await agent.settle()
    command = asyncio.create_task(typed(*EMERGENCY))
    interrupt = await agent.until("reasoning/interrupt")
    assert interrupt["correlation_id"] == ["one"]
    await agent.send("reasoning/interrupt-ack", {"status": "stopping"}, correlation_id=[interrupt["id"]])
    await agent.send("reasoning/conclusion", {}, context="one")
    done = await command
    assert done.status == 0 and "agent stays halted until" in done.err


async def test_emergency_tries_another_sequence_if_one_has_ended(
    team: Any, typed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await team.join("agent")
    for id in ("one", "two"):
        await agent.send("reasoning/start", {}, id=id)
    await agent.settle()
    looked = Api.get

    def get(self: Api, what: Any, **query: Any) -> Any:  # the first look is a moment too early
        found = looked(self, what, **query)
        if what == "sequences" and len(looks) < 1:
            looks.append(what)
            found["sequences"].insert(0, {**found["sequences"][0], "id": "ended"})
        return found

    looks: list[str] = []
    await agent.send("reasoning/start", {}, id="ended")
    await agent.send("reasoning/conclusion", {}, context="ended")
    await agent.settle()
    monkeypatch.setattr(Api, "get", get)
    command = asyncio.create_task(typed(*EMERGENCY))
    interrupt = await agent.until("reasoning/interrupt")
    assert interrupt["correlation_id"] == ["one"]
    await agent.send("reasoning/interrupt-ack", {"status": "ignored"}, correlation_id=[interrupt["id"]])
    assert (await command).status == 4


def test_halt_takes_one_sequence_of_each_owner_first() -> None:
    sequences = [{"owner": owner, "id": str(number)} for number, owner in enumerate("aaab")]
    assert [one["owner"] for one in in_turns(sequences)] == ["a", "b", "a", "a"]


async def test_an_emergency_is_asked_about_on_a_terminal(team: Any, mew: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        sequence = await agent.start()
        async with on_terminal(mew, *EMERGENCY) as command:
            await command.sees("agent will be halted: it begins nothing, and does nothing outside this sequence.")
            await command.sees("until guardian says")
            await command.sees("resume agent --space demo --as guardian`.")
            await command.sees("Send the emergency? [y/N]:")
            command.type("y\n")
            interrupt = await agent.interrupt()
            assert interrupt.payload["class"] == "emergency"
            await agent.acknowledge(interrupt, "stopping")
            await agent.conclude(sequence)
            assert await command.status() == 0


@pytest.mark.parametrize("answer", ["n\n", "\n", "\x04"])
async def test_emergency_is_not_sent_without_confirmation(team: Any, mew: Any, join: Any, answer: str) -> None:
    async with join(team, "agent") as agent:
        await agent.start()
        async with on_terminal(mew, *EMERGENCY) as command:
            await command.sees("Send the emergency? [y/N]:")
            command.type(answer)
            assert await command.status() == 1
    _, found = await team.get("/spaces/demo/interrupts", participant="human")
    assert found["interrupts"] == []


async def test_a_yes_may_be_given_beforehand(team: Any, mew: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        sequence = await agent.start()
        async with on_terminal(mew, *EMERGENCY, "--yes") as command:
            await agent.acknowledge(await agent.interrupt(), "stopping")
            await agent.conclude(sequence)
            assert await command.status() == 0


async def test_emergency_without_terminal_is_not_confirmed(team: Any, typed: Any, join: Any) -> None:
    """A monitor's alarm waits for nobody."""
    async with join(team, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(typed(*EMERGENCY))
        await agent.acknowledge(await agent.interrupt(), "stopping")
        await agent.conclude(sequence)
        done = await command
    assert done.status == 0 and "Send the emergency?" not in done.err


async def test_interrupt_options_are_in_the_payload(site: Any, typed: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        await agent.start()
        fine = ("--span", "search-2", "--on-reject", "queue", "--confidence", "0.95")
        words = (*fine, "--class", "override", "--message", "else", "--timeout", "0")
        for given, input in (('{"from": "Berlin"}', {"from": "Berlin"}), ("start from Berlin", "start from Berlin")):
            command = asyncio.create_task(typed("interrupt", "agent", *words, "--input", given))
            assert (await agent.interrupt()).payload == {
                "reason": "user_request",
                "message": "else",
                "class": "override",
                "scope": "span",
                "span_id": "search-2",
                "input": input,
                "on_reject": "queue",
                "confidence": 0.95,
            }
            assert (await command).status == 5
        refused = await typed("interrupt", "agent", "--span", "search-2", "--scope", "participant")
    assert (refused.status, refused.out) == (2, "")
    assert "--span says which span is meant, and --scope participant that more than a span is." in refused.err


@pytest.mark.parametrize(
    ("ack", "expected", "told"),
    [
        (
            {"status": "continuing", "outcome": "paused", "class": "clarification", "policy_applied": "soft-stop"},
            3,
            "taken as clarification; policy soft-stop; it pauses to talk, and then goes on by itself",
        ),
        (
            {"status": "continuing", "outcome": "queued", "class": "queue", "reason_code": "low_confidence"},
            3,
            "it is not sure enough that this was meant; what was said waits in line, and follows this run",
        ),
        (
            {"status": "ignored", "outcome": "rejected", "reason_code": "non_interruptible", "span_id": "pay"},
            4,
            "nothing may interrupt what it is doing; what was said is dropped; in span pay",
        ),
        (
            {"status": "ignored", "outcome": "rejected", "reason_code": "not_active"},
            4,
            "  what was meant is not at work, or no longer; what was said is dropped",
        ),
        (
            {"status": "completing_thought", "outcome": "stopped", "reason_code": "queue_full"},
            0,
            "  too much waits in line already to keep what was said; what was meant stops",
        ),
        ({"status": "ignored", "reason_code": "far_too_late"}, 4, "  because far too late"),
        ({"status": "ignored", "outcome": "\x1b[2J", "class": {"a": 1}}, 4, "taken as {'a': 1}; outcome \\x1b[2J"),
    ],
)
async def test_interrupt_prints_the_details_of_the_ack(
    site: Any, typed: Any, join: Any, ack: dict[str, Any], expected: int, told: str
) -> None:
    async with join(site, "agent") as agent:
        sequence = await agent.start()
        command = asyncio.create_task(typed("interrupt", "agent"))
        await agent.acknowledge(await agent.interrupt(), **ack)
        await agent.conclude(sequence)
        done = await command
    assert done.status == expected
    (line,) = [line for line in done.out.splitlines() if line.startswith("  ")]
    assert told in line


async def test_a_span_that_nothing_interrupts_is_waited_for(team: Any, mew: Any, join: Any) -> None:
    async with join(team, "agent") as agent:
        sequence = await agent.start()
        async with mew.started(*EMERGENCY) as command:
            due = "2027-01-15T08:00:30Z"
            interrupt = await agent.interrupt()
            await agent.acknowledge(interrupt, "continuing", outcome="halt_after_span", stop_by=due)
            await command.line("it halts right after that; by ", "at the latest")
            await agent.conclude(sequence, rolled_back_to="2", partial=True, policy_applied="non-interruptible")
            done = await command.end()
    assert done.status == 0
    assert "policy non-interruptible; rolled back to 2; its result is partial" in done.out


async def test_interrupt_finds_a_sequence_among_many_others(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "_PAGE_ROWS", 2)  # rows of an answer; five sequences take three of them
    agent, other = await site.join("agent"), await site.join("second")
    await agent.send("reasoning/start", {}, id="meant")
    for nth in range(4):
        await other.send("reasoning/start", {}, id=f"many{nth}")
    await other.settle()
    gateway = Api(site.url, space="demo", token=site.token("human"))
    rows = await asyncio.to_thread(gateway.every, "sequences", open=1)
    assert [(row["id"], row["owner"]) for row in rows] == [
        ("meant", "agent"),
        *((f"many{nth}", "second") for nth in range(4)),
    ]
