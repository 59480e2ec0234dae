"""Agents in a real space: how they are stopped, how they fail, and what they answer."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from mew_gateway.sdk import Agent, Chat, Disconnected, Interrupt, Interrupted, Lost, Stopped, ToolError
from mew_gateway.sdk.environment import Environment
from mew_gateway.sdk.execution.runs import NotRunning

from ..kit.gateway import TIMEOUT

Body = Callable[["Scripted", Chat], Awaitable[None]]


class Scripted(Agent):
    """Does with a chat what the test says; `words` are the thoughts that the test lets it have."""

    def __init__(self, body: Body | None = None) -> None:
        super().__init__()
        self.words: asyncio.Queue[str] = asyncio.Queue()
        self.at: asyncio.Queue[str] = asyncio.Queue()
        self.body = body or think
        self.is_waiting = False  # for a word of the test

    async def on_chat(self, chat: Chat) -> None:
        await self.body(self, chat)

    async def next_word(self) -> str:
        self.is_waiting = True
        word = await self.words.get()
        self.is_waiting = False
        return word

    async def reached(self, where: str) -> None:
        async with asyncio.timeout(TIMEOUT):
            while await self.at.get() != where:
                pass


async def think(agent: Scripted, chat: Chat) -> None:
    """A thought for every word, until there is an empty one; what was thought is the conclusion."""
    said: list[str] = []
    async with agent.run(correlation_id=chat.id, message=chat.text, policy="soft-stop") as run:
        try:
            while word := await agent.next_word():
                said.append(word)
                await run.thought(word)
        finally:
            run.conclude(" ".join(said), words=said)


async def begin(agent: Scripted, human: Any, text: str = "think") -> str:
    """Make the agent think; returns the sequence's id, once it has had its first thought."""
    await human.send("chat", {"text": text}, to=["agent"])
    start = await human.until("reasoning/start")
    agent.words.put_nowait("one")
    await human.until("reasoning/thought")
    return str(start["id"])


async def interrupt(human: Any, run: str, id: str = "i1", **payload: Any) -> None:
    payload.setdefault("reason", "user_request")
    await human.send("reasoning/interrupt", payload, id=id, to=["agent"], correlation_id=[run])


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until something has come to pass within this process."""
    async with asyncio.timeout(TIMEOUT):
        while not condition():
            await asyncio.sleep(0)


def drop(agent: Agent) -> None:
    """The agent's connection breaks."""
    link = agent.client._outgoing.link
    assert link is not None
    link.abort()


def kinds(envelopes: list[dict[str, Any]]) -> list[str]:
    """The kinds of an agent's envelopes among others'."""
    return [one["kind"] for one in envelopes if one["from"] == "agent"]


async def test_a_run_is_a_sequence_from_start_to_conclusion(site, attend):
    human, agent = await site.join("human"), Scripted()
    async with attend(agent, site, human):
        await human.send("chat", {"text": "think"}, to=["agent"], id="chat-1")
        start = await human.until("reasoning/start")
        assert start["correlation_id"] == ["chat-1"]
        assert start["payload"]["span"]["interruptible"] is True
        for word in ("one", "two", ""):
            agent.words.put_nowait(word)
        for n, word in enumerate(("one", "two"), 1):
            thought = await human.until("reasoning/thought")
            assert (thought["context"], thought["payload"]["message"]) == (start["id"], word)
            assert thought["payload"]["n"] == n
        end = await human.until("reasoning/conclusion")
        assert (end["context"], end["payload"]["message"]) == (start["id"], "one two")
        assert end["payload"]["outcome"] == "completed"
        assert end["payload"]["interrupted"] is False


async def test_an_interrupt_in_mid_thought(site, attend):
    """docs/interruption.md §5.1: the ack at once, one more thought, one conclusion that names it, then silence."""
    human, agent = await site.join("human"), Scripted()
    async with attend(agent, site, human):
        run = await begin(agent, human)
        await until(lambda: agent.is_waiting)
        await interrupt(human, run)
        ack = await human.until("reasoning/interrupt-ack")  # the body still waits for its word
        assert (ack["to"], ack["correlation_id"]) == (["human"], ["i1"])
        assert ack["payload"]["status"] == "completing_thought"
        assert ack["payload"]["policy_applied"] == "soft-stop"
        for word in ("two", "three", "four"):
            agent.words.put_nowait(word)
        assert (await human.until("reasoning/thought"))["payload"]["message"] == "two"
        end = await human.until("reasoning/conclusion")
        assert end["payload"].pop("timeline").count(":") == 1
        assert end["payload"] == {
            "message": "one two",
            "words": ["one", "two"],
            "outcome": "interrupted",
            "interrupted": True,
            "interrupt_id": "i1",
            "policy_applied": "soft-stop",
            "partial": True,
        }
        assert kinds(await human.settle()) == []
        assert agent.words.qsize() == 2


async def test_a_thought_that_waits_to_leave_is_decided_behind_the_ack(site, attend):
    """An ack waits for nobody, and no thought comes behind it that it did not allow."""
    human, agent = await site.join("human"), Scripted()
    async with attend(agent, site, human):
        run = await begin(agent, human)
        async with agent.client._outgoing.turn:
            agent.words.put_nowait("two")
            await until(lambda: agent.client._outgoing.turn.statistics().tasks_waiting == 1)
            await interrupt(human, run)
            assert (await human.until("reasoning/interrupt-ack"))["payload"]["status"] == "completing_thought"
        await human.until("reasoning/thought", message="two")
        assert (await human.until("reasoning/conclusion"))["payload"]["words"] == ["one", "two"]
        assert kinds(await human.settle()) == []


async def test_a_body_sees_that_it_is_to_stop(site, attend):
    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id, policy="soft-stop") as run:
            await agent.words.get()
            await run.thought("one")
            await run.sleep(0)
            assert not run.stopping
            await run.sleep(TIMEOUT)
            assert run.stopping
            await run.thought("last")
            raise AssertionError("the boundary let it pass")

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human):
        await interrupt(human, await begin(agent, human))
        await human.until("reasoning/thought", message="last")
        await human.until("reasoning/conclusion", outcome="interrupted")


async def test_interrupted_may_be_caught_but_not_outstayed(site, attend):
    """`except Exception` does not swallow it; who catches it says a last word, and thinks no more."""
    raised: list[str] = []
    boundaries = 0  # passed: an interrupt before the first one's end would be raised there

    async def body(agent: Scripted, chat: Chat) -> None:
        nonlocal boundaries
        async with agent.run(correlation_id=chat.id, policy="soft-stop") as run:
            while True:
                try:
                    await run.thought(await agent.words.get())
                    boundaries += 1
                except Exception:
                    raised.append("exception")
                except Interrupted as stop:
                    raised.append(f"{stop.interrupt.id} of {stop.interrupt.sender}: {stop.interrupt.reason}")
                    if len(raised) == 3:
                        run.conclude("enough", outcome="gave up", partial=False)
                        return

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human):
        sequence = await begin(agent, human)
        await until(lambda: boundaries == 1)
        await interrupt(human, sequence)
        await human.until("reasoning/interrupt-ack")
        for word in ("two", "three", "four"):
            agent.words.put_nowait(word)
        await human.until("reasoning/thought", message="two")
        end = await human.until("reasoning/conclusion")
        assert raised == ["i1 of human: user_request"] * 3
        assert (end["payload"]["message"], end["payload"]["outcome"]) == ("enough", "interrupted")
        assert end["payload"]["interrupted"] is True
        assert end["payload"]["partial"] is False
        assert kinds(human.seen).count("reasoning/thought") == 2


async def test_a_stop_inside_a_task_group_of_the_body_ends_the_run_quietly(site, attend, caplog):
    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id, policy="soft-stop") as run, anyio.create_task_group() as tasks:

            async def branch() -> None:
                while True:
                    await run.thought(await agent.words.get())

            tasks.start_soon(branch)
            tasks.start_soon(anyio.sleep_forever)

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human):
        await interrupt(human, await begin(agent, human))
        await human.until("reasoning/interrupt-ack")
        agent.words.put_nowait("two")
        await human.until("reasoning/conclusion", outcome="interrupted", interrupt_id="i1")
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_nothing_begins_in_a_run_that_is_to_end_while_something_goes_on_in_it(site, attend, caplog):
    begun: list[str] = []

    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id, policy="soft-stop") as run, anyio.create_task_group() as tasks:

            async def branch() -> None:
                async with run.span(policy="soft-stop"):
                    await anyio.sleep_forever()

            tasks.start_soon(branch)
            await run.thought(await agent.words.get())
            await agent.words.get()
            async with run.span(policy="non-interruptible"):
                begun.append("what nobody may interrupt")

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human):
        await interrupt(human, await begin(agent, human))
        await human.until("reasoning/interrupt-ack")
        agent.words.put_nowait("go")
        await human.until("reasoning/conclusion", outcome="interrupted", interrupt_id="i1")
    assert begun == []
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_run_inside_a_run_is_stopped_alone(site, attend):
    async def body(agent: Scripted, _: Chat) -> None:
        async with agent.run(message="outer", policy="soft-stop") as outer:
            async with agent.run(message="inner", policy="soft-stop") as inner:
                await agent.words.get()
                await inner.thought("one")
                await agent.words.get()
                await inner.thought("two")
            await outer.thought("goes on")

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human):
        await human.send("chat", {"text": "think"}, to=["agent"])
        await human.until("reasoning/start", message="outer")
        inner = await human.until("reasoning/start", message="inner")
        agent.words.put_nowait("")
        await human.until("reasoning/thought")
        await interrupt(human, inner["id"])
        await human.until("reasoning/interrupt-ack")
        agent.words.put_nowait("")
        assert (await human.until("reasoning/conclusion"))["context"] == inner["id"]
        await human.until("reasoning/thought", message="goes on")
        await human.until("reasoning/conclusion", outcome="completed")


async def test_what_is_not_interruptible_goes_on(site, attend):
    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id) as run:
            for _ in range(2):
                await run.thought(await agent.words.get())

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human):
        await interrupt(human, await begin(agent, human))
        ack = await human.until("reasoning/interrupt-ack")
        assert ack["payload"]["status"] == "ignored"
        assert ack["payload"]["reason_code"] == "non_interruptible"
        agent.words.put_nowait("two")
        await human.until("reasoning/conclusion", outcome="completed", interrupted=False)


@pytest.mark.requirement("mew/3.5.5:thoughts-stop")
async def test_a_cancel_in_the_words_of_v04_is_answered_and_obeyed(site, attend):
    human, agent = await site.join("human"), Scripted()
    async with attend(agent, site, human):
        run = await begin(agent, human)
        await human.send("reasoning/cancel", {"reason": "superseded"}, id="c1", context=run)
        ack = await human.until("reasoning/interrupt-ack")
        assert (ack["correlation_id"], ack["payload"]["class"]) == (["c1"], "cancel")
        for word in ("two", "three"):
            agent.words.put_nowait(word)
        assert (await human.until("reasoning/conclusion"))["payload"]["interrupt_id"] == "c1"
        assert kinds(await human.settle()) == []
        assert kinds(human.seen).count("reasoning/thought") == 2


async def test_an_override_is_a_stop_and_a_new_run_with_its_input(site, attend):
    human, agent = await site.join("human"), Scripted()
    async with attend(agent, site, human):
        run = await begin(agent, human)
        await interrupt(human, run, reason="redirect", message="think of rain instead")
        assert (await human.until("reasoning/interrupt-ack"))["payload"]["class"] == "override"
        agent.words.put_nowait("two")
        assert (await human.until("reasoning/conclusion"))["context"] == run
        start = await human.until("reasoning/start")
        assert start["payload"]["message"] == "think of rain instead"
        assert start["correlation_id"] == ["i1"]


async def test_two_queued_inputs_follow_the_run_one_after_the_other(site, attend):
    human, agent = await site.join("human"), Scripted()
    async with attend(agent, site, human):
        run = await begin(agent, human)
        for n in (1, 2):
            await interrupt(human, run, id=f"i{n}", **{"class": "queue"}, input={"task": n})
            ack = await human.until("reasoning/interrupt-ack")
            assert (ack["payload"]["status"], ack["payload"]["outcome"]) == ("continuing", "queued")
        for then in (None, 1, 2):
            if then is not None:
                start = await human.until("reasoning/start")
                assert json.loads(start["payload"]["message"]) == {"task": then}
                assert "reasoning/start" not in kinds(await human.settle())  # the next waits for this one
            agent.words.put_nowait("")
            await human.until("reasoning/conclusion", outcome="completed")


async def test_a_hook_of_its_own_takes_what_was_queued(site, attend):
    class Own(Scripted):
        async def on_queued(self, input: Any, interrupt: Interrupt) -> None:
            await self.reply(Chat(interrupt.id, interrupt.sender, ""), f"later: {input}")

    human, agent = await site.join("human"), Own()
    async with attend(agent, site, human):
        await interrupt(
            human, await begin(agent, human), reason="other", message="and the weather?", **{"class": "queue"}
        )
        await human.until("reasoning/interrupt-ack")
        agent.words.put_nowait("")
        said = await human.until("chat", text="later: and the weather?")
        assert said["correlation_id"] == ["i1"]


async def test_a_body_that_fails_concludes_and_the_agent_lives_on(site, attend, caplog):
    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id, policy="soft-stop") as run:
            run.conclude("half of it")
            if chat.text == "fail":
                raise ValueError("a secret of the agent's")

    class Discreet(Scripted):
        tells_errors = False

    human, agent = await site.join("human"), Discreet(body)
    async with attend(agent, site, human):
        await human.send("chat", {"text": "fail"}, to=["agent"])
        end = await human.until("reasoning/conclusion")
        assert (end["payload"]["outcome"], end["payload"]["partial"]) == ("failed", True)
        assert end["payload"]["message"] == "half of it"
        assert end["payload"]["error"] == {"type": "ValueError", "message": ""}
        assert "secret" not in json.dumps(human.seen)
        await human.send("chat", {"text": "well"}, to=["agent"])
        await human.until("reasoning/conclusion", outcome="completed")
    assert "on_chat failed" in caplog.text
    assert "a secret of the agent's" in caplog.text


async def test_a_conclusion_that_no_frame_holds_is_a_failure_that_is_concluded(site, attend):
    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id) as run:
            run.conclude("x" * 1_100_000)

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human):
        await human.send("chat", {"text": "go"}, to=["agent"])
        await human.until("reasoning/conclusion", outcome="failed")


async def test_a_run_cannot_be_used_outside_its_block(site, attend):
    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id) as run:
            pass
        with pytest.raises(NotRunning):
            await run.thought("too late")
        await agent.reply(chat, "refused")

    human, agent = await site.join("human"), Scripted(body)
    with pytest.raises(Disconnected):
        agent.run()
    async with attend(agent, site, human):
        await human.send("chat", {"text": "go"}, to=["agent"])
        await human.until("chat", text="refused")
        assert kinds(human.seen).count("reasoning/thought") == 0


async def test_a_shutdown_concludes_what_is_open(site, attend):
    class Parallel(Scripted):
        hears = "never"  # words interrupt nothing, so the second chat is no business of the first one's run

    human, agent = await site.join("human"), Parallel()
    async with attend(agent, site, human) as serving:
        runs = [await begin(agent, human) for _ in range(2)]
        serving.cancel()
        ends = [await human.until("reasoning/conclusion", outcome="cancelled", partial=True) for _ in runs]
        assert sorted(end["context"] for end in ends) == sorted(runs)
        assert [word for end in ends for word in end["payload"]["words"]] == ["one", "one"]
        await human.until("system/presence", event="leave")


async def test_what_an_earlier_life_left_open_is_concluded_and_its_interrupt_answered(site, attend):
    human, earlier = await site.join("human"), await site.join("agent")
    await earlier.send("reasoning/start", {"message": "before the crash"}, id="old")
    await human.until("reasoning/start")
    await site.leave(earlier)
    await interrupt(human, "old")
    async with attend(Scripted(), site, human):
        end = await human.until("reasoning/conclusion")
        assert (end["context"], end["payload"]["outcome"]) == ("old", "abandoned")
        ack = await human.until("reasoning/interrupt-ack")
        assert ack["correlation_id"] == ["i1"]
        assert (ack["payload"]["status"], ack["payload"]["reason_code"]) == ("ignored", "not_active")


async def test_a_run_survives_the_loss_of_its_connection(site, attend):
    human, agent = await site.join("human"), Scripted()
    async with attend(agent, site, human):
        run = await begin(agent, human)
        drop(agent)
        await human.until("system/presence", event="leave")
        agent.words.put_nowait("two")
        assert (await human.until("reasoning/thought"))["context"] == run
        await until(lambda: agent.is_waiting)
        await interrupt(human, run)
        await human.until("reasoning/interrupt-ack", status="completing_thought")
        agent.words.put_nowait("three")
        assert (await human.until("reasoning/conclusion"))["payload"]["words"] == ["one", "two", "three"]


async def test_an_ack_that_was_lost_with_its_connection_is_given_again(site, attend, monkeypatch):
    human, agent = await site.join("human"), Scripted()
    async with attend(agent, site, human):
        run = await begin(agent, human)
        lost: list[bytes] = []
        with monkeypatch.context() as patch:  # as on a dead line
            patch.setattr(agent._runner._io_thread, "post", lost.append)
            await interrupt(human, run)
            await until(lambda: lost != [])
        drop(agent)
        await human.until("system/presence", event="leave")
        ack = await human.until("reasoning/interrupt-ack")
        assert ack["id"] == json.loads(lost[0])["id"]
        agent.words.put_nowait("two")
        await human.until("reasoning/conclusion", interrupt_id="i1")
        assert [one for one in await human.settle() if one["kind"] == "reasoning/interrupt-ack"] == []


async def test_a_conclusion_that_could_not_leave_is_said_after_the_return(site, attend, monkeypatch, caplog):
    monkeypatch.setattr("mew_gateway.sdk.run.LAST_WORDS", 10)
    human, agent = await site.join("human"), Scripted()
    async with attend(agent, site, human):
        run = await begin(agent, human)
        back, agent.client._outgoing.patience = asyncio.Event(), 10

        async def stay_away(_: float) -> None:
            await back.wait()

        agent.client._sleep = stay_away
        drop(agent)
        await human.until("system/presence", event="leave")
        agent.words.put_nowait("unheard")
        await until(lambda: "on_chat: " in caplog.text and "No connection within" in caplog.text)
        back.set()
        end = await human.until("reasoning/conclusion")
        assert (end["context"], end["payload"]["outcome"]) == (run, "failed")
        assert end["payload"]["words"] == ["one", "unheard"]


async def test_a_run_is_used_once(site, attend):
    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id) as run:
            with pytest.raises(NotRunning):
                async with run:
                    pass
            await run.thought("still open")

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human):
        await human.send("chat", {"text": "go"}, to=["agent"])
        await human.until("reasoning/thought", message="still open")
        await human.until("reasoning/conclusion", outcome="completed")


async def test_a_run_whose_sequence_was_lost_meanwhile_ends_locally(site, attend):
    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id, policy="soft-stop") as run:
            try:
                await run.thought(await agent.words.get())
                await run.sleep(TIMEOUT)
                await run.thought("unheard")
            except Lost as error:
                agent.at.put_nowait(error.code)
                raise
        agent.at.put_nowait("after the run")

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human):
        await begin(agent, human)
        async with agent.client._outgoing.turn:
            held = asyncio.Event()

            async def stay_away(_: float) -> None:
                await held.wait()

            agent.client._sleep = stay_away
            drop(agent)
            await human.until("system/presence", event="leave")
            await site.pass_time(31_000)
            await human.until("system/error", error="sequence_lost")
            held.set()
            await human.until("system/presence", event="join")
        await agent.reached("sequence_lost")
        await agent.reached("after the run")
        assert kinds(await human.settle()) == []


async def test_a_run_that_may_not_begin_ends_at_its_first_boundary(site, attend, caplog):
    """`other` may chat but not reason: the start is refused, and nothing goes on unseen."""

    async def body(agent: Scripted, chat: Chat) -> None:
        async with agent.run(correlation_id=chat.id, policy="soft-stop") as run:
            while True:
                await asyncio.sleep(0)
                await run.thought("unheard")
        await agent.reply(chat, "gone on")

    human, agent = await site.join("human"), Scripted(body)
    async with attend(agent, site, human, participant="other"):
        await human.send("chat", {"text": "think"}, to=["other"])
        await human.until("chat", text="gone on")
    assert "capability_violation" in caplog.text
    assert not [one for one in human.seen if one["kind"].startswith("reasoning/")]


async def test_an_agent_listens_to_what_is_addressed_to_it(site, attend):
    async def body(agent: Scripted, chat: Chat) -> None:
        await agent.reply(chat, f"heard {chat.text}")

    class All(Scripted):
        listens_to_all = True

    human = await site.join("human")
    for agent, expected in ((Scripted(body), ["mine", "ours"]), (All(body), ["anyones", "mine", "ours"])):
        async with attend(agent, site, human):
            await human.send("chat", {"text": "anyones"})
            await human.send("chat", {"text": "others"}, to=["second"])
            await human.send("chat", {"text": "mine"}, to=["agent"])
            await human.send("chat", {"text": "ours"}, to=["second", "agent"])
            heard = [(await human.until("chat"))["payload"]["text"] for _ in range(4 + len(expected))]
            answers = [text.removeprefix("heard ") for text in heard if text.startswith("heard ")]
            assert sorted(answers) == expected  # never its own, of which it hears every one


async def test_requests_are_answered_in_the_words_of_json_rpc(site, attend):
    class Served(Agent):
        async def on_request(self, method: str, params: dict[str, Any], envelope: Any) -> Any:
            match method:
                case "good" | "notifications/heard":
                    return {"params": params, "for": envelope.sender}
                case "bad":
                    raise ToolError(-32602, "Wrong.", data={"field": "a"})
                case "broken":
                    raise ValueError("a secret")
            return await super().on_request(method, params, envelope)

    human = await site.join("human")

    async def ask(method: str, **payload: Any) -> dict[str, Any]:
        await human.send("mcp/request", {"method": method, **payload}, id=f"ask-{method}", to=["agent"])
        answer = await human.until("mcp/response")
        assert (answer["to"], answer["correlation_id"]) == (["human"], [f"ask-{method}"])
        assert answer["payload"].pop("jsonrpc") == "2.0"
        return dict(answer["payload"])

    async with attend(Served(), site, human):
        await human.send("mcp/request", {"method": "notifications/heard"}, to=["agent"])
        await human.send("mcp/request", {"method": "good"}, to=["second"])
        good = await ask("good", id=7, params={"a": 1})  # the first answer: no other was given
        assert good == {"id": 7, "result": {"params": {"a": 1}, "for": "human"}}
        assert (await ask("bad"))["error"] == {"code": -32602, "message": "Wrong.", "data": {"field": "a"}}
        assert (await ask("broken"))["error"] == {"code": -32603, "message": "Internal error."}
        assert (await ask("other"))["error"]["code"] == -32601
        assert "a secret" not in json.dumps(human.seen)


async def test_more_than_it_can_hold_is_refused_at_once(site, attend):
    class Small(Scripted):
        at_once = 1
        waiting = 1

        async def on_request(self, method: str, *_: Any) -> Any:
            await self.words.get()
            return method

    human, agent = await site.join("human"), Small()
    async with attend(agent, site, human):
        for n in range(3):
            await human.send("mcp/request", {"method": f"m{n}"}, id=f"ask-{n}", to=["agent"])
        refused = await human.until("mcp/response")
        assert refused["correlation_id"] == ["ask-2"]
        assert refused["payload"]["error"]["code"] == -32000
        for n in range(2):
            agent.words.put_nowait("")
            assert (await human.until("mcp/response"))["payload"]["result"] == f"m{n}"


async def test_a_wrong_token_stops_the_agent_with_a_sentence(site):
    with pytest.raises(Stopped, match="MEW_TOKEN"):
        await Scripted().serve(Environment(site.url, "demo", "not-a-token"))


async def test_a_gateway_that_restarts_finds_the_run_again(start_gateway, attend):
    """The sequence is state of the space: after the restart it goes on, is interrupted and concluded."""
    agent = Scripted()
    async with start_gateway() as site:
        port = site.url.rpartition(":")[2]
        human = await site.join("human")
        attending = attend(agent, site, human)
        await attending.__aenter__()
        run = await begin(agent, human)
    async with start_gateway(_spaces(port)) as site:
        human = await site.join("human")
        if "agent" not in await _present(site):
            await human.until("system/presence", event="join")
        agent.words.put_nowait("two")
        assert (await human.until("reasoning/thought"))["context"] == run
        await until(lambda: agent.is_waiting)
        await interrupt(human, run)
        await human.until("reasoning/interrupt-ack", status="completing_thought")
        agent.words.put_nowait("three")
        assert (await human.until("reasoning/conclusion"))["payload"]["words"] == ["one", "two", "three"]
        await attending.__aexit__(None, None, None)


async def _present(site: Any) -> list[str]:
    return list(site.gateway.broker.engine["demo"].machine.members.present())


def _spaces(port: str) -> str:
    return f"""
gateway:
  listen: 127.0.0.1:{port}
  state_dir: state
  journal: {{url: "sqlite:state/journal.db"}}
spaces:
  demo:
    participants:
      human: {{capabilities: [{{kind: chat}}, {{kind: reasoning/interrupt}}]}}
      agent:
        capabilities:
          - {{kind: chat}}
          - {{kind: [reasoning/start, reasoning/thought, reasoning/conclusion, reasoning/interrupt-ack]}}
"""


async def test_what_was_promised_to_be_heard_is_heard_in_the_next_life(site, attend):
    human, first = await site.join("human"), Scripted()
    async with attend(first, site, human):
        run = await begin(first, human)
        await interrupt(human, run, id="words", reason="other", message="and then the weather", **{"class": "queue"})
        assert (await human.until("reasoning/interrupt-ack"))["payload"]["outcome"] == "queued"
        await interrupt(human, run, reason="redirect", message="from Rome instead")
        await human.until("reasoning/interrupt-ack")
    await human.until("reasoning/conclusion", outcome="cancelled")
    second = Scripted()
    async with attend(second, site, human):
        for text, cause in (("from Rome instead", "i1"), ("and then the weather", "words")):
            start = await human.until("reasoning/start")
            assert start["payload"]["message"] == text
            assert (start["correlation_id"], start["payload"]["caused_by"]) == ([cause], cause)
            second.words.put_nowait("")
            await human.until("reasoning/conclusion", outcome="completed")
    async with attend(Scripted(), site, human):
        assert "reasoning/start" not in kinds(await human.settle())
