"""Capabilities: a method that is a run, or a span of one, and what its author has to say for that: nothing."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import anyio
import pytest

from mew_gateway.sdk import Agent, Halted, Interrupt, Misdeclared, Span, capability, tool
from mew_gateway.sdk.execution.events import Interrupted
from mew_gateway.sdk.run import Run
from mew_gateway.sdk.testing import Space

PEOPLE: dict[str, list[dict[str, Any]]] = {
    "human": [{"kind": "*"}, {"kind": "reasoning/interrupt"}],
    "agent": [{"kind": ["chat", "chat/acknowledge", "reasoning/*"]}],
}


class Clerk(Agent):
    """Reads pages, one a second of the test's clock."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[Any] = []

    @capability(policy="soft-stop", chat=True)
    async def read(self, run: Span, book: str) -> str:
        """Reads a book."""
        for page in range(1, 6):
            await run.thought(f"page {page} of {book}", page=page)
            await run.sleep(1)
        return f"{book} is read"

    @tool
    @capability(policy="hard-stop", kind="plan")
    async def order(self, run: Span, books: list[str], urgent: bool = False) -> int:
        """Orders books."""
        for book in books:
            self.got.append(await self.fetch(book))
        return len(books)

    @capability(policy="checkpointed", kind="act", side_effect="reversible")
    async def fetch(self, run: Span, book: str) -> str:
        run.state["at"] = "shop"
        await run.thought(f"fetching {book}")
        await asyncio.Event().wait() if book == "rare" else None
        return book


async def chat(space: Space, human: Any, text: str) -> None:
    await human.client.send("chat", {"text": text}, to=["agent"])
    await space.settle()


def said(space: Space, kind: str) -> list[Any]:
    return [one for one in space.envelopes if one.kind == kind]


async def test_a_chat_is_answered_by_the_capability_for_chats() -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(Clerk())
        await chat(space, human, "Moby Dick")
        await space.advance(10)
        (start,), (end,) = said(space, "reasoning/start"), said(space, "reasoning/conclusion")
        assert start.payload["capability"] == "read"
        assert start.payload["message"] == "read: Moby Dick"
        assert start.payload["span"]["policy"] == "soft-stop"
        question, reply = said(space, "chat")
        assert start.correlation_id == end.correlation_id == reply.correlation_id == [question.id]
        assert end.payload["message"] == reply.payload["text"] == "Moby Dick is read"
        assert [one.payload["n"] for one in said(space, "reasoning/thought")] == [1, 2, 3, 4, 5]


async def test_one_that_is_stopped_gives_nothing_and_there_is_no_reply() -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(Clerk())
        await chat(space, human, "Moby Dick")
        await chat(space, human, "stop!")
        await space.advance(10)
        (end,) = said(space, "reasoning/conclusion")
        assert (end.payload["outcome"], end.payload["partial"]) == ("interrupted", True)
        assert len(said(space, "chat")) == 2
        (ack,) = said(space, "chat/acknowledge")
        assert (ack.payload["status"], ack.payload["class"]) == ("completing_thought", "cancel")


async def test_a_tool_that_is_a_capability_is_a_run_of_who_called_it() -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        agent = Clerk()
        await space.run(agent)
        (offered,) = await human.tools("agent")
        assert offered.name == "order"
        assert offered.input_schema["properties"]["books"] == {"type": "array", "items": {"type": "string"}}
        assert (await human.call("agent", "order", {"books": ["Emma", "Faust"]})).text == "2"
        (start,), (end,) = said(space, "reasoning/start"), said(space, "reasoning/conclusion")
        request = said(space, "mcp/request")[-1]
        assert start.correlation_id == [request.id]
        assert end.payload["result"] == 2
        spans = {one.payload["span_id"] for one in said(space, "reasoning/thought")}
        assert len(spans) == 2  # each fetch is a span of its own, within the one run
        assert {one.context for one in said(space, "reasoning/thought")} == {start.id}


async def test_only_the_span_is_stopped_and_the_run_goes_on_without_its_value() -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        agent = Clerk()
        await space.run(agent)
        asking = asyncio.create_task(human.call("agent", "order", {"books": ["rare", "Faust"]}))
        await space.settle()
        (start,) = said(space, "reasoning/start")
        payload = {"reason": "user_request", "message": "leave that", "scope": "span"}
        await human.client.send("reasoning/interrupt", payload, to=["agent"], correlation_id=[start.id])
        assert (await asking).text == "2"
        (ack,) = said(space, "reasoning/interrupt-ack")
        assert (ack.payload["status"], ack.payload["outcome"]) == ("continuing", "stopped")
        assert ack.payload["policy_applied"] == "checkpointed"
        assert agent.got == [None, "Faust"]
        assert said(space, "reasoning/conclusion")[0].payload["outcome"] == "completed"


async def test_a_hard_stop_ends_what_is_within_first() -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        agent = Clerk()
        await space.run(agent)
        asking = asyncio.create_task(human.call("agent", "order", {"books": ["rare", "Faust"]}))
        await space.settle()
        (start,) = said(space, "reasoning/start")
        await human.client.send(
            "reasoning/interrupt", {"reason": "user_request"}, to=["agent"], correlation_id=[start.id]
        )
        await space.settle()
        (ack,), (end,) = said(space, "reasoning/interrupt-ack"), said(space, "reasoning/conclusion")
        assert (ack.payload["status"], ack.payload["policy_applied"]) == ("stopping", "checkpointed")
        assert end.payload["rolled_back_to"] == said(space, "reasoning/thought")[0].payload["span_id"]
        assert agent.got == []
        assert (await asking).text == ""


async def test_after_an_emergency_nothing_begins_until_it_is_lifted() -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        agent = Clerk()
        await space.run(agent)
        await chat(space, human, "Emma")
        (start,) = said(space, "reasoning/start")
        payload = {"reason": "error", "message": "fire", "class": "emergency"}
        id = await human.client.send("reasoning/interrupt", payload, to=["agent"], correlation_id=[start.id])
        await space.advance(5)
        with pytest.raises(Halted):
            async with agent.run():
                raise AssertionError("it began")
        await chat(space, human, "Faust")
        await space.advance(5)
        assert len(said(space, "reasoning/start")) == 1
        await human.client.send("participant/resume", {}, to=["agent"], correlation_id=[id])
        await space.advance(1)
        assert said(space, "reasoning/start")[1].payload["message"] == "read: Faust"


async def test_an_alert_from_within_is_an_interrupt_like_any_other() -> None:
    class Cautious(Clerk):
        @capability(policy="soft-stop")
        async def spend(self, run: Span, amount: int) -> None:
            await run.thought(f"spending {amount}")
            await self.alert("the account is empty", run=run)
            await run.thought("one more thought is allowed")
            raise AssertionError("the boundary let it pass")

    async with Space(PEOPLE) as space:
        await space.join("human")
        agent = Cautious()
        await space.run(agent)
        await agent.spend(5)
        (end,) = said(space, "reasoning/conclusion")
        assert (end.payload["outcome"], end.payload["interrupted"]) == ("interrupted", True)
        assert len(said(space, "reasoning/thought")) == 2


async def test_a_clarification_is_answered_and_the_same_span_goes_on() -> None:
    class Patient(Clerk):
        answered: ClassVar[list[Any]] = []

        async def on_clarification(self, input: Any, interrupt: Interrupt) -> Any:
            self.answered.append(input)
            return {"asked": input}

        @capability(policy="hard-stop")
        async def wait(self, run: Span, signal: asyncio.Event) -> list[Any]:
            await signal.wait()
            return run.answers

    async with Space(PEOPLE) as space:
        human = await space.join("human")
        agent, signal = Patient(), asyncio.Event()
        await space.run(agent)
        waiting = asyncio.create_task(agent.wait(signal))
        await space.settle()
        (start,) = said(space, "reasoning/start")
        payload = {"reason": "other", "message": "why?", "class": "clarification"}
        await human.client.send("reasoning/interrupt", payload, to=["agent"], correlation_id=[start.id])
        await space.settle()
        (ack,) = said(space, "reasoning/interrupt-ack")
        assert (ack.payload["status"], ack.payload["outcome"]) == ("continuing", "paused")
        assert agent.answered == ["why?"]  # at once: it has paused at the await that it was in
        signal.set()
        assert await waiting == [{"asked": "why?"}]
        assert len(said(space, "reasoning/conclusion")) == 1


@pytest.mark.parametrize(
    "declared",
    [
        {"interruptible": True},
        {"side_effect": "irreversible"},
        {"side_effect": "irreversible", "policy": "soft-stop", "limit": 1},
        {"policy": "gently"},
        {"kind": "dance"},
        {"limit": -1},
    ],
)
def test_what_contradicts_itself_is_told_when_the_class_is_made(declared: dict[str, Any]) -> None:
    with pytest.raises(Misdeclared):

        @capability(**declared)
        async def act(self: Agent, run: Span) -> None: ...


def test_what_is_no_capability_is_told_when_the_class_is_made() -> None:
    with pytest.raises(TypeError, match="has to be async"):

        @capability  # type: ignore[arg-type]
        def plain(self: Agent, run: Span) -> None: ...

    with pytest.raises(TypeError, match="is the run"):

        @capability  # type: ignore[arg-type]
        async def bare(self: Agent) -> None: ...


async def test_a_body_that_is_cut_short_can_still_await_to_tidy_up() -> None:
    class Tidy(Clerk):
        @capability(policy="hard-stop")
        async def work(self, run: Span) -> str:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                await self.client.sleep(500)
                self.got.append("tidied up")
            return "unreachable"

    async with Space(PEOPLE) as space:
        human = await space.join("human")
        agent = Tidy()
        await space.run(agent)
        working = asyncio.create_task(agent.work())
        await space.settle()
        (start,) = said(space, "reasoning/start")
        await human.client.send(
            "reasoning/interrupt", {"reason": "user_request"}, to=["agent"], correlation_id=[start.id]
        )
        await space.advance(1)
        assert await working is None
        assert agent.got == ["tidied up"]
        (end,) = said(space, "reasoning/conclusion")
        assert (end.payload["outcome"], end.payload["interrupted"]) == ("interrupted", True)


async def test_what_a_stopped_body_gives_all_the_same_is_no_reply() -> None:
    class Stubborn(Clerk):
        @capability(policy="hard-stop", chat=True)
        async def read(self, run: Span, book: str) -> str:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                run.conclude("all good", outcome="completed")
            return "read it all the same"

    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(Stubborn())
        await chat(space, human, "Emma")
        await chat(space, human, "stop")
        await space.advance(5)
        (end,) = said(space, "reasoning/conclusion")
        assert (end.payload["outcome"], end.payload["interrupted"]) == ("interrupted", True)
        assert [one.sender for one in said(space, "chat")] == ["human", "human"]


@pytest.mark.parametrize("how", ["request", "restart", "scope", "cancel"])
async def test_what_is_irreversible_is_finished_whoever_gives_up_on_it(how: str) -> None:
    class Payer(Clerk):
        @tool
        @capability(side_effect="irreversible", limit=60, kind="act")
        async def pay(self, run: Span, amount: int) -> str:
            """Pays."""
            await self.client.sleep(2_000)
            self.got.append(amount)
            return "paid"

    async with Space(PEOPLE) as space:
        human = await space.join("human")
        agent = Payer()
        await space.run(agent)
        scope = anyio.CancelScope()
        if how in ("scope", "cancel"):

            async def pay() -> None:
                with scope:
                    await agent.pay(5)

            paying: asyncio.Task[Any] = asyncio.create_task(pay())
        else:
            paying = asyncio.create_task(human.call("agent", "pay", {"amount": 5}, timeout=1_000))
        await space.settle()
        assert len(said(space, "reasoning/start")) == 1
        if how == "scope":
            scope.cancel()
        elif how == "cancel":
            paying.cancel()
        if how == "restart":
            await human.client.send("participant/restart", {}, to=["agent"])
        await space.advance(5)
        await asyncio.gather(paying, return_exceptions=True)
        assert agent.got == [5]
        (end,) = said(space, "reasoning/conclusion")
        assert end.payload["outcome"] == "completed"


async def test_what_no_json_holds_cannot_be_put_back() -> None:
    class Hoarder(Clerk):
        @capability(policy="checkpointed")
        async def keep(self, run: Span, what: Any) -> str:
            run.state["kept"] = what
            return await run.checkpoint()

    async with Space(PEOPLE) as space:
        await space.join("human")
        agent = Hoarder()
        await space.run(agent)
        await agent.keep([1, 2.5, None, True, "x", {"y": []}])
        odd: list[tuple[Any, str]] = [
            ({1, 2}, "kept"),
            ({1: 2}, "1"),
            ((1,), "tuple"),
            (float("nan"), "nan"),
            (b"", "b"),
        ]
        for what, where in odd:
            with pytest.raises(TypeError, match=where):
                await agent.keep(what)
        endless: list[Any] = []
        endless.append(endless)
        with pytest.raises(TypeError, match="levels"):
            await agent.keep(endless)
        with pytest.raises(ValueError, match="bytes"):
            await agent.keep("x" * 2_000_000)


def test_classes_that_contradict_themselves_are_told_when_they_are_made() -> None:
    with pytest.raises(Misdeclared, match="chat=True"):

        class Two(Agent):
            @capability(chat=True)
            async def one(self, run: Span, words: str) -> None: ...

            @capability(chat=True)
            async def other(self, run: Span, words: str) -> None: ...

    with pytest.raises(Misdeclared, match="read"):

        class Undecorated(Clerk):
            async def read(self, run: Span, book: str) -> str:  # type: ignore[override]
                return book

    with pytest.raises(Misdeclared, match="hears"):

        class Deaf(Agent):
            hears = "everything"  # type: ignore[assignment]

    for limit in ("5s", float("nan"), float("inf"), 0):
        with pytest.raises(Misdeclared, match="limit"):
            capability(limit=limit)  # type: ignore[arg-type]
    with pytest.raises(Misdeclared, match="policy="):
        capability("soft-stop")  # type: ignore[call-overload]


async def test_a_stop_word_that_finds_nothing_to_stop_begins_nothing() -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(Clerk())
        await chat(space, human, "stop!")
        assert said(space, "reasoning/start") == []
        (ack,) = said(space, "chat/acknowledge")
        assert ack.payload == {"status": "ignored", "reason_code": "not_active"}


async def test_what_begins_because_of_a_pause_is_no_part_of_what_has_paused() -> None:
    class Explainer(Clerk):
        @capability(policy="soft-stop")
        async def explain(self, run: Span, question: str) -> str:
            await run.thought("explaining")
            return "explained"

        async def on_clarification(self, input: Any, interrupt: Interrupt) -> Any:
            return await self.explain(input)

    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(Explainer())
        await chat(space, human, "Emma")
        await chat(space, human, "why?")
        await space.advance(2)
        read, explain = said(space, "reasoning/start")
        assert (read.payload["capability"], explain.payload["capability"]) == ("read", "explain")
        (explaining,) = [one for one in said(space, "reasoning/thought") if one.payload["message"] == "explaining"]
        assert explaining.context == explain.id


async def test_a_hard_stop_that_meets_a_run_whose_start_still_leaves_is_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin = Run._begin

    async def interrupted_meanwhile(self: Run) -> None:
        await begin(self)
        self._runner.answer(Interrupted(Interrupt("early", "human", self.run_id, "cancel"), "ack-of-early"))
        for _ in range(5):  # the directive is there before the body is
            await asyncio.sleep(0)

    class Waiter(Clerk):
        @capability(policy="hard-stop")
        async def wait(self, run: Span) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr(Run, "_begin", interrupted_meanwhile)
    async with Space(PEOPLE) as space:
        await space.join("human")
        agent = Waiter()
        await space.run(agent)
        waiting = asyncio.create_task(agent.wait())
        await space.settle()
        assert waiting.done()
        assert said(space, "reasoning/conclusion")[0].payload["outcome"] == "interrupted"
        waiting.result()


class Clumsy(Agent):
    """Fails, or sleeps until a time that is over."""

    @capability(chat=True)
    async def work(self, run: Span, task: str) -> str:
        if task == "sleep":
            await run.sleep(-0.5)
            return "awake"
        raise ExceptionGroup("tasks failed", [ValueError(f"there is no {task}: {'x' * 1_000}")])


async def test_the_conclusion_of_a_failed_run_tells_the_exception() -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(Clumsy())
        await chat(space, human, "tour")
        (end,) = said(space, "reasoning/conclusion")
        assert end.payload["outcome"] == "failed"
        assert end.payload["error"]["type"] == "ValueError"
        assert end.payload["error"]["message"].startswith("there is no tour: x")
        assert len(end.payload["error"]["message"]) == 500


async def test_a_sleep_until_a_time_that_is_over_returns_at_once() -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(Clumsy())
        await chat(space, human, "sleep")
        (end,) = said(space, "reasoning/conclusion")
        assert (end.payload["outcome"], end.payload["message"]) == ("completed", "awake")
        assert "error" not in end.payload


class Asker(Agent):
    """Asks others within its runs."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[str] = []

    @capability(policy="soft-stop", chat=True)
    async def ask(self, run: Span, tool: str) -> str:
        self.got.append((await self.call("helper", tool)).text)
        self.got.append((await run.call("helper", tool)).text)
        return "done"


class Helper(Agent):
    @tool
    def quick(self) -> str:
        """Answers."""
        return "quick"

    @tool
    async def slow(self) -> str:
        """Never answers."""
        await asyncio.Event().wait()
        return ""


ASKING: dict[str, list[dict[str, Any]]] = {
    **PEOPLE,
    "agent": [{"kind": ["chat", "reasoning/*", "mcp/request"]}],
    "novice": [{"kind": ["chat", "reasoning/*", "mcp/proposal", "mcp/withdraw"]}],
    "helper": [{"kind": "chat"}],
}


async def asking(space: Space, name: str, tool: str) -> tuple[Any, Asker, str]:
    """Somebody asks an agent, which asks a tool; the agent's run."""
    human, agent = await space.join("human"), Asker()
    await space.run(Helper(), "helper")
    await space.run(agent, name)
    await human.client.send("chat", {"text": tool}, to=[name])
    await space.settle()
    return human, agent, str(said(space, "reasoning/start")[0].id)


async def test_a_call_in_a_run_has_its_context() -> None:
    async with Space(ASKING) as space:
        _, agent, run = await asking(space, "agent", "quick")
        assert agent.got == ["quick", "quick"]
        assert [one.context for one in said(space, "mcp/request")] == [run, run]


@pytest.mark.parametrize(("name", "withdrawal"), [("agent", "notifications/cancelled"), ("novice", "mcp/withdraw")])
async def test_a_soft_stop_ends_a_call_that_waits_and_withdraws_it(name: str, withdrawal: str) -> None:
    async with Space(ASKING) as space:
        human, agent, run = await asking(space, name, "slow")
        asked = said(space, "mcp/request" if name == "agent" else "mcp/proposal")[0]
        assert asked.context == run
        payload = {"reason": "user_request", "message": "forget it"}
        await human.client.send("reasoning/interrupt", payload, to=[name], correlation_id=[run])
        await space.settle()
        (ack,), (end,) = said(space, "reasoning/interrupt-ack"), said(space, "reasoning/conclusion")
        assert (ack.payload["status"], end.payload["outcome"]) == ("stopping", "interrupted")
        if name == "agent":
            cancelled = said(space, "mcp/request")[1]
            assert (cancelled.payload["method"], cancelled.payload["params"]["requestId"]) == (withdrawal, asked.id)
        voided = [one for one in said(space, "system/error") if one.payload["error"] == "proposal_voided"]
        assert [one.payload["proposal_id"] for one in voided] == ([] if name == "agent" else [asked.id])
        assert not space.machine.state.proposals
        assert agent.got == []


async def test_a_call_pauses_while_it_waits_and_is_answered_afterwards() -> None:
    async with Space(ASKING) as space:
        human, agent, run = await asking(space, "novice", "quick")
        (proposal,) = said(space, "mcp/proposal")
        payload = {"reason": "other", "message": "why?", "class": "clarification"}
        await human.client.send("reasoning/interrupt", payload, to=["novice"], correlation_id=[run])
        await space.settle()
        assert "I have paused" in said(space, "chat")[-1].payload["text"]
        await human.fulfil(proposal)
        await space.advance(301)  # the pause is over
        assert agent.got == ["quick"]
        assert len(said(space, "mcp/proposal")) == 2


async def test_thresholds_are_the_capabilitys_or_the_agents() -> None:
    class Sure(Clerk):
        ignored_below, queued_below = 0.1, 0.2

        @capability(policy="soft-stop", ignored_below=0.5, queued_below=0.9)
        async def own(self, run: Span) -> str:
            return str((run._declared.ignored_below, run._declared.queued_below))

        @capability(policy="soft-stop")
        async def default(self, run: Span) -> str:
            return str((run._declared.ignored_below, run._declared.queued_below))

    async with Space(PEOPLE) as space:
        agent = Sure()
        await space.run(agent)
        assert (await agent.own(), await agent.default()) == ("(0.5, 0.9)", "(0.1, 0.2)")
    with pytest.raises(Misdeclared, match="ignored_below is not above queued_below"):
        capability(policy="soft-stop", ignored_below=0.9, queued_below=0.5)(Sure.own._method)
