"""What a coordinator asks of an agent: every control, obeyed and answered."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mew_gateway.sdk import Agent, Chat, Participant
from mew_gateway.sdk.execution.policy import Policy
from mew_gateway.sdk.testing import Space
from tests.sdk.conftest import ANYTHING, said


class Scribe(Agent):
    """Remembers chats; one that says `think` begins a run that does not end."""

    policy: Policy = "hard-stop"

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []
        self.restarts = 0

    async def on_chat(self, chat: Chat) -> None:
        self.notes.append(chat.text)
        if chat.text == "think":
            async with self.run(message="thinking", policy=self.policy) as run:
                await run.thought("hm")
                await asyncio.Event().wait()

    async def status(self) -> dict[str, Any]:
        return {"messages_in_context": len(self.notes), "tokens": 5, "max_tokens": 100, "latency_ms": 7}

    async def on_forget(self, direction: Any, entries: int | None) -> None:
        count = len(self.notes) if entries is None else entries
        self.notes = self.notes[count:] if direction == "oldest" else self.notes[: len(self.notes) - count]

    async def on_clear(self) -> None:
        self.notes.clear()

    async def on_restart(self) -> None:
        self.restarts += 1
        await super().on_restart()


async def joined(space: Space, agent: Agent | None = None) -> tuple[Participant, Any]:
    human = await space.join("human")
    return human, await space.run(Scribe() if agent is None else agent)


async def control(space: Space, human: Participant, verb: str, **payload: Any) -> str:
    id = await human.send(f"participant/{verb}", payload, to=["agent"])
    await space.settle()
    return id


async def tell(space: Space, human: Participant, *texts: str) -> list[str]:
    ids = [await human.send("chat", {"text": text}, to=["agent"]) for text in texts]
    await space.settle()
    return ids


@pytest.mark.requirement("mew/3.9.4:messages-in-context", "mew/3.9.3:status-is-answered")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (None, {"messages_in_context": 1, "tokens": 5, "max_tokens": 100, "latency_ms": 7}),
        ([], {"messages_in_context": 1, "tokens": 5, "max_tokens": 100, "latency_ms": 7}),
        (["latency"], {"messages_in_context": 1, "latency_ms": 7}),
        (["tokens"], {"messages_in_context": 1, "tokens": 5, "max_tokens": 100}),
        (["latency_ms", "cost"], {"messages_in_context": 1, "latency_ms": 7}),
    ],
)
async def test_its_status_is_what_was_asked_for(space: Space, fields: Any, expected: Any) -> None:
    human, _ = await joined(space)
    await tell(space, human, "hello")
    asked = await control(space, human, "request-status", **({} if fields is None else {"fields": fields}))
    status = said(space, "participant/status")[0]
    assert (status.to, status.correlation_id, status.payload) == (["human"], [asked], expected)


async def test_an_agent_without_hooks_answers_all_the_same(space: Space) -> None:
    human, _ = await joined(space, Agent())
    for verb in ("request-status", "clear", "restart"):
        await control(space, human, verb)
    await control(space, human, "forget", direction="newest")
    assert [one.payload for one in said(space, "participant/status")] == [{"messages_in_context": 0}] * 4


@pytest.mark.requirement(
    "mew/3.9.5:forget-is-followed-up", "mew/3.9.8:clear-erases-all", "mew/3.9.8:clear-is-confirmed"
)
async def test_it_forgets_and_says_what_is_left(space: Space) -> None:
    human, agent = await joined(space)
    await tell(space, human, "one", "two", "three", "four")
    for payload, left in (
        ({"direction": "oldest", "entries": 1}, ["two", "three", "four"]),
        ({"direction": "newest", "entries": 2}, ["two"]),
    ):
        forget = await control(space, human, "forget", **payload)
        assert agent.notes == left
        status = said(space, "participant/status")[-1]
        assert (status.correlation_id, status.payload["messages_in_context"]) == ([forget], len(left))


@pytest.mark.requirement("mew/3.9.8:clear-erases-all", "mew/3.9.8:clear-is-confirmed")
async def test_a_clear_leaves_nothing(space: Space) -> None:
    human, agent = await joined(space)
    await tell(space, human, "one", "two")
    clear = await control(space, human, "clear")
    assert agent.notes == []
    status = said(space, "participant/status")[-1]
    assert (status.correlation_id, status.payload["messages_in_context"]) == ([clear], 0)


@pytest.mark.requirement("mew/3.9.7:done-is-always-sent", "mew/3.9.7:done-correlates", "mew/3.9.7:skipped")
async def test_a_compaction_is_always_said_to_be_done(space: Space, caplog: pytest.LogCaptureFixture) -> None:
    class Dense(Agent):
        outcome: Any = None
        asked: Any = None

        async def on_compact(self, target_tokens: int | None) -> dict[str, Any] | None:
            self.asked = target_tokens
            if self.outcome is ValueError:
                raise ValueError
            return self.outcome  # type: ignore[no-any-return]

    human, agent = await joined(space, Dense())
    for outcome, expected in (
        (None, {"skipped": True, "reason": "nothing to compact"}),
        ({"freed_tokens": 9, "status": "compacted"}, {"freed_tokens": 9, "status": "compacted"}),
        (ValueError, {"skipped": True, "reason": "failed"}),
    ):
        agent.outcome = outcome
        compact = await control(space, human, "compact", target_tokens=16_000)
        done = said(space, "participant/compact-done")[-1]
        assert (done.to, done.correlation_id, done.payload) == (["human"], [compact], expected)
        assert agent.asked == 16_000


@pytest.mark.requirement("mew/3.9.6:compact-promptly")
async def test_who_has_something_to_compact_says_that_it_does(space: Space) -> None:
    class Dense(Scribe):
        async def on_compact(self, target_tokens: int | None) -> dict[str, Any] | None:
            self.notes = self.notes[-1:]
            return {"freed_messages": 1}

    human, _ = await joined(space, Dense())
    await tell(space, human, "one", "two")
    await control(space, human, "compact")
    status, done = said(space, "participant/status")[0], said(space, "participant/compact-done")[0]
    assert (status.payload["status"], status.payload["messages_in_context"]) == ("compacting", 2)
    assert done.payload == {"freed_messages": 1}


@pytest.mark.requirement("mew/3.9.5:headroom", "mew/3.9.5:autonomous-compaction-is-told")
async def test_it_compacts_by_itself_before_it_is_full_and_says_so(space: Space) -> None:
    class Full(Scribe):
        async def status(self) -> dict[str, Any]:
            return {"messages_in_context": len(self.notes), "tokens": 30 * len(self.notes), "max_tokens": 100}

        async def on_compact(self, target_tokens: int | None) -> dict[str, Any] | None:
            if self.notes[0] == "stubborn":
                return None
            self.notes = self.notes[-1:]
            return {"freed_messages": 2}

    human, agent = await joined(space, Full())
    await tell(space, human, "one", "two")
    assert said(space, "participant/status") == []
    await tell(space, human, "three")
    told = said(space, "participant/status")[0]
    assert told.payload == {
        "messages_in_context": 1,
        "tokens": 30,
        "max_tokens": 100,
        "status": "compacted",
        "freed_messages": 2,
    }
    agent.notes = ["stubborn", "x"]
    await tell(space, human, "more")
    assert said(space, "participant/status")[-1].payload["status"] == "nearly full"


@pytest.mark.requirement("mew/3.9.9:restart-ends-work")
async def test_a_restart_ends_what_is_under_way_and_begins_anew(space: Space) -> None:
    human, agent = await joined(space)
    await tell(space, human, "think", "note")
    holding = agent.participant.open_stream()
    stream = await holding.__aenter__()
    restart = await control(space, human, "restart")
    assert stream.closed == "restart"
    await holding.__aexit__(None, None, None)
    end = said(space, "reasoning/conclusion")[0]
    assert (end.context, end.payload["outcome"]) == (said(space, "reasoning/start")[0].id, "interrupted")
    assert end.payload["interrupt_id"] == restart
    assert (agent.restarts, agent.notes) == (1, [])
    assert said(space, "participant/status")[-1].payload["messages_in_context"] == 0
    await tell(space, human, "after")
    assert agent.notes == ["after"]


@pytest.mark.requirement("mew/3.9.10:shutdown")
async def test_a_shutdown_is_acknowledged_and_is_the_end(space: Space) -> None:
    human, _ = await joined(space)
    await tell(space, human, "think")
    shutdown = await control(space, human, "shutdown")
    assert said(space, "chat/acknowledge")[0].correlation_id == [shutdown]
    assert said(space, "reasoning/conclusion")[0].payload["interrupt_id"] == shutdown
    assert list(human.participants) == []
    await space.advance(60)
    assert list(human.participants) == []
    assert all(task.done() and task.exception() is None for task in space._agents)


@pytest.mark.requirement("mew/3.9.1:pause", "mew/3.9.2:resume")
async def test_while_it_is_paused_nothing_new_begins(space: Space) -> None:
    human, agent = await joined(space)
    await tell(space, human, "before")
    first = await agent.participant.send("participant/pause", {}, to=["agent"])
    await space.settle()
    await control(space, human, "pause")
    second = await control(space, human, "pause")  # takes the place of the one before
    assert agent.paused
    await tell(space, human, "meanwhile")
    assert agent.notes == ["before"]
    await control(space, human, "request-status")
    assert said(space, "participant/status")[0].payload["messages_in_context"] == 1  # it still answers
    await human.send("participant/resume", {}, to=["agent"], correlation_id=[first])
    await space.settle()
    assert agent.paused
    await human.send("participant/resume", {}, to=["agent"], correlation_id=[second])
    await space.settle()
    assert (agent.paused, agent.notes) == (False, ["before", "meanwhile"])


@pytest.mark.requirement("mew/3.9.1:timeout")
async def test_a_pause_ends_with_its_time_or_with_any_resume(space: Space) -> None:
    human, agent = await joined(space)
    await control(space, human, "pause", timeout_seconds=60)
    await tell(space, human, "one")
    await space.advance(59)
    assert agent.paused
    await space.advance(2)
    assert (agent.paused, agent.notes) == (False, ["one"])
    for _ in range(2):
        await control(space, human, "pause")
    await control(space, human, "resume")
    assert not agent.paused


async def test_a_resume_that_was_missed_for_good_does_not_hold_it_for_ever(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    human, agent = await joined(space)
    await control(space, human, "pause")
    assert agent.paused
    monkeypatch.setattr(space, "_history", [])  # no longer held
    await space.drop("agent")
    assert not agent.paused


async def test_only_who_is_addressed_obeys(space: Space) -> None:
    human, agent = await joined(space)
    await space.join("novice")
    await human.send("participant/pause", {}, to=["novice"])
    await human.send("participant/clear", {}, to=["novice"])
    await space.settle()
    assert not agent.paused
    assert said(space, "participant/status") == []


async def test_a_chat_that_waits_is_dropped_when_it_is_cancelled(space: Space) -> None:
    class Single(Scribe):
        at_once = 1
        policy = "non-interruptible"

    human, agent = await joined(space, Single())
    think, note, other = await tell(space, human, "think", "note", "other")
    for id in (think, note):
        await human.send("chat/cancel", {"reason": "handled_elsewhere"}, to=["agent"], correlation_id=[id])
    await space.settle()
    assert said(space, "reasoning/conclusion") == []  # what has begun goes on
    await human.send("reasoning/cancel", {}, context=said(space, "reasoning/start")[0].id)
    assert agent.notes == ["think"]
    await control(space, human, "restart")
    await space.advance(62)  # a minute for what may not be interrupted, and a second of grace
    await tell(space, human, "last")
    assert agent.notes == ["last"]
    assert other


async def test_what_is_malformed_is_dropped_where_the_gateway_lets_it_through(caplog: pytest.LogCaptureFixture) -> None:
    async with Space({"human": ANYTHING, "agent": ANYTHING}, validation="off") as space:
        human, agent = await joined(space)
        for verb in ("forget", "request-status"):
            await human.client.send(f"participant/{verb}", {"direction": 7, "fields": 7}, to=["agent"])
        await space.settle()
        await tell(space, human, "still here")
        assert agent.notes == ["still here"]


async def test_an_agent_ends_though_something_waits_for_the_end_of_its_run() -> None:
    class Thinker(Agent):
        async def on_chat(self, chat: Chat) -> None:
            async with self.run(message=chat.text):
                await asyncio.Event().wait()

    async with asyncio.timeout(60), Space({"human": ANYTHING, "agent": ANYTHING}) as space:
        human = await space.join("human")
        await space.run(Thinker())
        for text in ("first", "queued behind it"):
            await human.send("chat", {"text": text}, to=["agent"])
            await space.settle()
    assert all(task.done() for task in space._agents)
