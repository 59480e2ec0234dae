"""What becomes of the bodies of tools and runs when their caller, a coordinator or the gateway gives up on them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mew_gateway.sdk import Agent, Chat, Participant, Run, Span, ToolError, ToolFailed, capability, resource, tool
from mew_gateway.sdk.exchange.requests import Refused
from mew_gateway.sdk.testing import Space
from mew_gateway.sdk.timeline.memory import TimelineMemory
from tests.sdk.conftest import ANYTHING, begin, said


class Bank(Agent):
    """Does what takes two steps; `go` lets the second one happen."""

    left_at_work = 2

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[str] = []
        self.go = asyncio.Event()
        self.timeline = TimelineMemory()

    async def live(self, client: Any, **more: Any) -> None:
        await super().live(client, **{**more, "timeline": self.timeline})

    @tool
    async def move(self) -> str:
        """Debits here, credits there."""
        await self._both()
        return "moved"

    @tool(read_only=True)
    async def count(self) -> str:
        """Reads only."""
        await self._both()
        return "counted"

    @tool
    @capability(policy="soft-stop")
    async def search(self, run: Span, where: str) -> str:
        """Has boundaries."""
        await self.go.wait()
        await run.thought(where)
        self.steps.append("beyond the boundary")
        return "found"

    @resource("bank://rates")
    async def rates(self) -> str:
        """Takes long."""
        await asyncio.Event().wait()
        return ""

    async def on_chat(self, chat: Chat) -> None:
        async with self.run(message=chat.text) as run:
            await self._both(run)
            run.conclude("moved")

    async def _both(self, run: Run | None = None) -> None:
        self.steps.append("debited")
        await self.go.wait()
        if run is not None:
            await run.thought("in the middle")
        self.steps.append("credited")

    def told(self, kind: str, **data: Any) -> list[Any]:
        """The entries of the timeline of a kind, with these data."""
        entries = self.timeline.read(limit=10_000)
        return [one for one in entries if one.kind == kind and data.items() <= one.data.items()]


async def joined(space: Space) -> tuple[Participant, Bank]:
    human, bank = await space.join("human"), Bank()
    await space.run(bank)
    return human, bank


def answers(space: Space) -> list[Any]:
    return [one.payload for one in said(space, "mcp/response")]


async def test_a_caller_that_gives_up_does_not_cut_a_tool(space: Space) -> None:
    human, bank = await joined(space)
    calling = await begin(space, human.call("agent", "move", timeout=1_000))
    await space.advance(2)
    with pytest.raises(TimeoutError):
        await calling
    assert bank.steps == ["debited"]
    (decided,) = bank.told("decided", rule="notifications/cancelled")
    assert (decided.data["outcome"], decided.data["reason_code"]) == ("rejected", "non_interruptible")
    (interruption,) = bank.told("interruption", source="request", sender="human")
    assert interruption.span_id == bank.told("span_begun")[0].span_id
    bank.go.set()
    await space.settle()
    assert bank.steps == ["debited", "credited"]
    (answer,) = answers(space)
    assert answer["result"]["content"][0]["text"] == "moved"
    assert answer["result"]["_meta"]["mew/interrupt"]["status"] == "ignored"
    assert not said(space, "reasoning/start")  # on the timeline, not on the wire


async def test_a_read_only_tool_is_cancelled_and_says_so(space: Space) -> None:
    human, bank = await joined(space)
    (listed,) = [one for one in await human.tools("agent") if one.name == "count"]
    assert listed.annotations == {"readOnlyHint": True}
    for asked in (human.call("agent", "count", timeout=1_000), human.read("agent", "bank://rates", timeout=1_000)):
        calling = await begin(space, asked)
        await space.advance(2)
        with pytest.raises(TimeoutError):
            await calling
    ends = [answer["error"] for answer in answers(space)[1:]]
    assert [end["data"]["outcome"] for end in ends] == ["stopped", "stopped"]
    assert ends[0]["code"] == -32800 and bank.steps == ["debited"]
    assert len(bank.told("decided", rule="notifications/cancelled", policy="hard-stop")) == 2


async def test_a_tool_that_is_a_capability_ends_by_its_policy(space: Space) -> None:
    human, bank = await joined(space)
    await begin(space, human.call("agent", "search", {"where": "here"}, timeout=1_000))
    await space.advance(2)
    bank.go.set()
    await space.settle()
    assert bank.steps == []
    (end,) = said(space, "reasoning/conclusion")
    assert (end.payload["interrupted"], end.payload["policy_applied"]) == (True, "soft-stop")
    (answer,) = answers(space)
    assert answer["error"]["data"]["status"] == "completing_thought"  # it waits for no boundary of its own


async def test_what_waits_in_line_is_dropped_with_an_answer(space: Space) -> None:
    human, bank = await joined(space)
    await human.send("participant/pause", {}, to=["agent"])
    await begin(space, human.call("agent", "move", timeout=1_000))
    await space.advance(2)
    await human.send("participant/resume", {}, to=["agent"])
    await space.settle()
    assert (bank.steps, [answer["error"]["code"] for answer in answers(space)]) == ([], [-32800])


async def test_after_its_limit_a_tool_goes_on_and_only_so_many_do(space: Space) -> None:
    human, bank = await joined(space)
    calling = [await begin(space, human.call("agent", "move", timeout=300_000)) for _ in range(2)]
    await space.advance(61)
    for one in calling:
        with pytest.raises(ToolFailed, match="move has not ended within 60 s"):
            await one
    with pytest.raises(ToolError, match="2 calls are still at work after their time limits"):
        await human.call("agent", "move")
    assert len(bank.told("overdue", why="limit")) == 2
    bank.go.set()
    await space.settle()
    assert bank.steps == ["debited", "debited", "credited", "credited"]
    assert (await human.call("agent", "move")).text == "moved"
    bank.go.clear()
    calling = [await begin(space, human.call("agent", "count", timeout=300_000))]
    await space.advance(62)
    with pytest.raises(ToolError, match="was ended before it was done"):
        await calling[0]


async def test_a_restart_is_an_interrupt_that_waits_for_what_nobody_may_interrupt(space: Space) -> None:
    human, bank = await joined(space)
    await human.send("chat", {"text": "pay"}, to=["agent"])
    asking = await begin(space, human.call("agent", "move"))
    restart = await human.send("participant/restart", {"reason": "new rules"}, to=["agent"])
    await space.advance(2)
    assert not said(space, "participant/status")
    (interruption,) = bank.told("interruption", source="control", sender="human")
    assert (interruption.cause_id, interruption.data["message"]) == (restart, "new rules")
    assert len(bank.told("decided", rule="participant/restart", outcome="rejected")) == 2
    bank.go.set()
    await space.settle()
    assert bank.steps == ["debited", "debited", "credited", "credited"]
    assert (await asking).text == "moved"
    (end,) = said(space, "reasoning/conclusion")
    assert (end.payload["outcome"], end.payload["message"]) == ("completed", "moved")
    assert said(space, "participant/status")[0].correlation_id == [restart]


async def test_a_shutdown_waits_for_what_nobody_may_interrupt(space: Space) -> None:
    human, bank = await joined(space)
    await human.send("chat", {"text": "pay"}, to=["agent"])
    await space.settle()
    await human.send("participant/shutdown", {}, to=["agent"])
    await space.advance(5)  # the gateway has ended the connection
    assert not space._agents[0].done()
    bank.go.set()
    await space.settle()
    assert bank.steps == ["debited", "credited"]
    assert space._agents[0].done()
    assert bank.told("decided", rule="participant/shutdown", outcome="rejected")


@pytest.mark.parametrize("order", ["participant/restart", "participant/shutdown"])
async def test_who_asked_hears_what_came_of_it_before_the_agent_leaves(space: Space, order: str) -> None:
    human, bank = await joined(space)
    asking = await begin(space, human.call("agent", "move", timeout=300_000))
    await human.send(order, {}, to=["agent"])
    await space.advance(5)  # longer than the last words of those who owe nothing
    bank.go.set()
    await space.advance(5)
    assert bank.steps == ["debited", "credited"]
    assert (await asking).text == "moved"
    assert space._agents[0].done() == (order == "participant/shutdown")


async def test_who_asked_a_tool_that_outlasts_a_shutdown_learns_that_nothing_is_known(space: Space) -> None:
    human, _ = await joined(space)
    asking = await begin(space, human.call("agent", "move", timeout=300_000))
    await human.send("participant/shutdown", {}, to=["agent"])
    await space.advance(70)
    with pytest.raises((Refused, ToolFailed), match=r"may have been carried out|is not known"):
        await asking


async def test_who_asked_is_told_of_a_kick_that_nothing_is_known() -> None:
    async with Space({"human": ANYTHING, "agent": ANYTHING}) as space:
        human, _ = await joined(space)
        asking = await begin(space, human.call("agent", "move"))
        await human.send("space/kick", {"participant_id": "agent"})
        with pytest.raises(Refused, match="it may have been carried out"):
            await asking
        (told,) = said(space, "system/error")
        assert (told.payload["error"], told.payload["participants"]) == ("request_target_left", ["agent"])


async def test_after_its_time_even_that_is_ended(space: Space) -> None:
    human, bank = await joined(space)
    await human.send("chat", {"text": "pay"}, to=["agent"])
    await space.settle()
    await human.send("participant/shutdown", {}, to=["agent"])
    await space.advance(62)
    assert space._agents[0].done() and bank.steps == ["debited"]
    assert bank.told("overdue", why="order")


async def test_a_kick_is_at_once_and_the_body_finishes_unheard() -> None:
    async with Space({"human": ANYTHING, "agent": ANYTHING}) as space:
        human, bank = await joined(space)
        await human.send("chat", {"text": "pay"}, to=["agent"])
        await space.settle()
        await human.send("space/kick", {"participant_id": "agent"})
        await space.settle()
        assert "agent" not in human.participants
        (decided,) = bank.told("decided", rule="close:4503")
        assert decided.data["outcome"] == "rejected"
        bank.go.set()
        await space.settle()
        assert bank.steps == ["debited", "credited"]
        assert space._agents[0].done() and not said(space, "reasoning/thought")


async def test_a_sequence_that_is_given_up_does_not_cut_what_nobody_may_interrupt(space: Space) -> None:
    human, bank = await joined(space)
    await human.send("chat", {"text": "pay"}, to=["agent"])
    await space.settle()
    other = space.client("agent")
    await other.connect()
    await other.send("reasoning/conclusion", {}, context=said(space, "reasoning/start")[0].id)
    await space.settle()
    assert bank.told("decided", rule="sequence_closed", outcome="rejected")
    bank.go.set()
    await space.settle()
    assert bank.steps == ["debited", "credited"]
    await other.aclose()


@pytest.mark.parametrize("policy", ["hard-stop", "checkpointed"])
async def test_a_run_without_a_sequence_ends_at_its_next_await(space: Space, policy: Any) -> None:
    """Nobody hears it, and nobody could stop it: it does not go on until it comes to a boundary."""
    ended = list[str]()

    class Idle(Agent):
        async def on_chat(self, chat: Chat) -> None:
            async with self.run(message=chat.text, policy=policy) as run:
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.append(f"{run.stopping}")

    human, other = await space.join("human"), space.client("agent")
    await space.run(Idle())
    await human.send("chat", {"text": "wait"}, to=["agent"])
    await space.settle()
    await other.connect()
    await other.send("reasoning/conclusion", {}, context=said(space, "reasoning/start")[0].id)
    await space.settle()
    assert ended == ["True"]
    assert len(said(space, "reasoning/conclusion")) == 1
    await other.aclose()


async def test_a_participant_that_is_no_agent_goes_by_the_same_table(space: Space) -> None:
    human, other = await space.join("human"), await space.join("agent")
    steps, go = list[str](), asyncio.Event()

    async def act() -> str:
        await go.wait()
        steps.append("done")
        return "done"

    other.tool(act)
    other.tool(act, name="look", read_only=True)
    for name in ("act", "look"):
        await begin(space, human.call("agent", name, timeout=1_000))
    await space.advance(2)
    go.set()
    await space.settle()
    assert steps == ["done"]
    assert {tuple(answer)[2] for answer in answers(space)} == {"result", "error"}


async def test_an_agent_calls_a_tool(space: Space) -> None:
    class Asker(Agent):
        pass

    _, bank = await joined(space)
    bank.go.set()
    asker = await space.run(Asker(), "human")
    assert (await asker.call("agent", "move")).text == "moved"
