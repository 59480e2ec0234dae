"""Interrupts end to end, over real sockets: each rule of docs/protocol.md §5 that a peer can see."""

from __future__ import annotations

from typing import Any

import pytest


async def think(peer: Any, id: str = "run", **payload: Any) -> None:
    await peer.send("reasoning/start", {"message": "thinking", **payload}, id=id)
    await peer.until("reasoning/start")


async def interrupt(peer: Any, **fields: Any) -> None:
    payload = {"reason": "user_request", "message": "please stop", **fields.pop("payload", {})}
    await peer.send(
        "reasoning/interrupt", payload, **{"to": ["agent"], "correlation_id": ["run"], "id": "stop", **fields}
    )


async def acknowledge(peer: Any, status: str, interrupt: str = "stop", **fields: Any) -> None:
    await peer.send("reasoning/interrupt-ack", {"status": status}, correlation_id=[interrupt], **fields)


async def record(site: Any, id: str = "stop") -> dict[str, Any]:
    status, body = await site.get("/spaces/demo/interrupts", participant="human")
    assert status == 200
    return next(dict(one) for one in body["interrupts"] if one["id"] == id)


async def test_the_whole_way_from_thought_to_conclusion(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    await agent.send("reasoning/thought", {"message": "one"}, context="run")
    await interrupt(human)
    assert (await agent.until("reasoning/interrupt"))["payload"]["message"] == "please stop"
    site.clock.advance(120)
    await acknowledge(agent, "completing_thought")
    assert (await human.until("reasoning/interrupt-ack"))["payload"]["status"] == "completing_thought"
    await agent.send("reasoning/thought", {"message": "the last"}, context="run")
    await human.until("reasoning/thought", message="the last")
    await agent.send("reasoning/thought", {"message": "one too many"}, context="run")
    await agent.error("sequence_interrupted")
    await agent.send("reasoning/conclusion", {"outcome": "stopped"}, context="run")
    await human.until("reasoning/conclusion")
    kept = await record(site)
    assert [step["status"] for step in kept["steps"]] == ["pending", "acked", "honoured"]
    assert kept["ack"]["after_ms"] == 120
    assert kept["class"] == "cancel"


async def test_a_missing_ack_is_reported_to_all(site: Any) -> None:
    human, agent, other = await site.join("human"), await site.join("agent"), await site.join("other")
    await think(agent)
    await interrupt(human)
    await agent.until("reasoning/interrupt")
    await site.pass_time(29_999)
    assert not [one for one in await human.settle() if one["kind"] == "system/error"]
    await site.pass_time(1)
    for peer in (human, other, agent):
        error = await peer.error("interrupt_ack_timeout")
        assert error["payload"]["waited_ms"] == 30_000
        assert error["payload"]["escalation"] == ["notify"]
        assert error["correlation_id"] == ["stop"]
    assert (await record(site))["status"] == "timed_out"
    await acknowledge(agent, "stopping")
    await human.until("reasoning/interrupt-ack")
    assert (await record(site))["status"] == "late"
    await agent.send("reasoning/thought", {"message": "current"}, context="run")
    await agent.send("reasoning/thought", {"message": "still"}, context="run")
    await agent.error("sequence_interrupted")


async def test_a_broken_promise_is_an_overrun(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    await interrupt(human)
    await agent.until("reasoning/interrupt")
    await acknowledge(agent, "stopping")
    await human.until("reasoning/interrupt-ack")
    await site.pass_time(5_000)
    assert (await human.error("interrupt_overrun"))["payload"]["sequence_id"] == "run"
    assert (await record(site))["status"] == "overrun"
    await agent.send("reasoning/conclusion", {}, context="run")
    await human.until("reasoning/conclusion")
    assert (await record(site))["status"] == "overrun"


@pytest.mark.parametrize("status", ["continuing", "ignored"])
async def test_an_agent_may_continue_and_the_record_shows_it(site: Any, status: str) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    await interrupt(human)
    await agent.until("reasoning/interrupt")
    await acknowledge(agent, status)
    await agent.send("reasoning/thought", {"message": "on"}, context="run")
    await human.until("reasoning/thought", message="on")
    await agent.send("mcp/request", {"method": "tools/list"})
    await human.until("mcp/request")
    assert (await record(site))["status"] == "acked"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"to": []}, "invalid_interrupt"),
        ({"to": ["agent", "second"]}, "invalid_interrupt"),
        ({"correlation_id": []}, "invalid_interrupt"),
        ({"correlation_id": ["run", "other"]}, "invalid_interrupt"),
        ({"payload": {"reason": "bored"}}, "invalid_interrupt"),
        ({"payload": {"reason": "other", "message": None}}, "invalid_interrupt"),
        ({"payload": {"reason": "timeout", "class": "now"}}, "capability_violation"),
        ({"payload": {"reason": "timeout", "class": "emergency"}}, "capability_violation"),
        ({"correlation_id": ["nothing"]}, "sequence_not_found"),
        ({"to": ["second"]}, "not_sequence_owner"),
    ],
)
async def test_an_invalid_interrupt_is_refused_and_not_delivered(site: Any, change: Any, code: str) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    await interrupt(human, **change)
    await human.error(code)
    assert not [one for one in await agent.settle() if one["kind"] == "reasoning/interrupt"]


async def test_a_closed_sequence_has_its_outcome(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    await agent.send("reasoning/conclusion", {"outcome": "solved"}, context="run")
    await human.until("reasoning/conclusion")
    await interrupt(human)
    assert (await human.error("sequence_closed"))["payload"]["outcome"] == "solved"


async def test_without_the_capability_one_interrupts_only_oneself(site: Any) -> None:
    agent, second = await site.join("agent"), await site.join("second")
    await think(agent)
    await interrupt(second)
    error = await second.error("capability_violation")
    assert error["payload"]["attempted_kind"] == "reasoning/interrupt"
    assert error["payload"]["your_capabilities"]
    await interrupt(agent)
    await second.until("reasoning/interrupt")


async def test_the_sixth_interrupt_in_ten_seconds_is_refused(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    for number in range(5):
        await interrupt(human, id=f"stop-{number}")
        await human.until("reasoning/interrupt")
        site.clock.advance(100)
    await interrupt(human, id="stop-5")
    assert (await human.error("rate_limited"))["payload"]["retry_after_ms"] == 9_500
    site.clock.advance(9_500)
    await interrupt(human, id="stop-6")
    await agent.until("reasoning/interrupt", message="please stop")


async def test_only_the_target_answers_once_and_only_what_was_asked(site: Any) -> None:
    human, agent, second = await site.join("human"), await site.join("agent"), await site.join("second")
    await think(agent)
    await interrupt(human)
    await agent.until("reasoning/interrupt")
    await acknowledge(second, "stopping")
    await second.error("not_target")
    await acknowledge(agent, "stopping", "nothing")
    await agent.error("unknown_interrupt")
    await acknowledge(agent, "perhaps")
    assert "status" in (await agent.error("invalid_payload"))["payload"]["message"]
    await acknowledge(agent, "continuing")
    await human.until("reasoning/interrupt-ack")
    await acknowledge(agent, "stopping")
    assert (await agent.error("already_acked"))["payload"]["status"] == "continuing"


async def test_the_fence_holds_whatever_the_context_is(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent, "before")
    await think(agent)
    await interrupt(human)
    await agent.until("reasoning/interrupt")
    await acknowledge(agent, "stopping")
    await human.until("reasoning/interrupt-ack")
    await think(agent, "after")
    for context in ({"context": "run"}, {}, {"context": "after"}, {"context": "unheard-of"}):
        await agent.send("mcp/request", {"method": "tools/call"}, to=["second"], **context)
        await agent.error("fenced")
    await agent.send("x/custom", {})
    await agent.error("fenced")
    await agent.send("mcp/request", {"method": "tools/call"}, context="before/step")
    await human.until("mcp/request")
    await agent.send("mcp/request", {"method": "notifications/cancelled"})
    await human.until("mcp/request", method="notifications/cancelled")
    await agent.send("chat", {"text": "stopping"})
    await human.until("chat", text="stopping")
    await agent.send("reasoning/conclusion", {}, context="run")
    await human.until("reasoning/conclusion")
    await agent.send("mcp/request", {"method": "tools/call"}, context="run")
    await agent.error("sequence_closed")
    await agent.send("mcp/request", {"method": "tools/list"})
    await human.until("mcp/request", method="tools/list")


async def test_of_two_interrupts_the_strictest_answer_governs(site: Any) -> None:
    human, other, agent = await site.join("human"), await site.join("other"), await site.join("agent")
    await think(agent)
    await interrupt(human, id="one")
    await interrupt(other, id="two")
    await agent.until("reasoning/interrupt")
    await agent.until("reasoning/interrupt")
    await acknowledge(agent, "stopping", "one")
    await acknowledge(agent, "continuing", "two")
    await human.until("reasoning/interrupt-ack", status="continuing")
    await agent.send("reasoning/thought", {"message": "current"}, context="run")
    await agent.send("reasoning/thought", {}, context="run")
    await agent.error("sequence_interrupted")


async def test_an_ack_after_the_conclusion_is_taken_and_honoured(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    await interrupt(human)
    await agent.until("reasoning/interrupt")
    await agent.send("reasoning/conclusion", {}, context="run")
    await acknowledge(agent, "stopping")
    await human.until("reasoning/interrupt-ack")
    assert (await record(site))["status"] == "honoured"


async def test_a_returning_target_gets_its_unanswered_interrupts(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    await site.leave(agent)
    await interrupt(human)
    assert (await human.until("reasoning/interrupt"))["id"] == "stop"
    assert (await record(site))["delivered_at"] is None
    back = await site.join("agent")
    assert back.seen[0]["payload"]["sequences"]["open"][0]["interrupts"] == ["stop"]
    assert (await back.until("reasoning/interrupt"))["id"] == "stop"
    assert (await record(site))["delivered_at"] is not None
    await acknowledge(back, "stopping")
    await human.until("reasoning/interrupt-ack")


async def test_an_owner_that_stays_away_loses_its_sequence(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    await interrupt(human, payload={"reason": "timeout"})
    await agent.until("reasoning/interrupt")
    await site.pass_time(5_000)
    await site.leave(agent)
    await site.pass_time(25_000)
    await human.error("interrupt_ack_timeout")
    await site.pass_time(5_000)
    assert (await human.error("sequence_lost"))["payload"]["owner"] == "agent"
    back = await site.join("agent")
    assert back.seen[0]["payload"]["sequences"]["count"] == 0
    await back.send("reasoning/conclusion", {}, context="run")
    assert (await back.error("sequence_closed"))["payload"]["outcome"] == "lost"


async def test_anothers_cancel_has_a_conclusion_deadline_only(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await think(agent)
    await human.send("reasoning/cancel", {"reason": "superseded"}, context="run", id="stop")
    await agent.until("reasoning/cancel")
    assert (await record(site))["kind"] == "reasoning/cancel"
    await site.pass_time(60_000)
    await human.error("interrupt_overrun")
    assert (await record(site))["status"] == "overrun"


async def test_only_an_owner_cancels_without_a_capability(site: Any) -> None:
    human, agent, second = await site.join("human"), await site.join("agent"), await site.join("second")
    await think(agent)
    await second.send("reasoning/cancel", {}, context="run")
    await second.error("capability_violation")
    await agent.send("reasoning/cancel", {"reason": "superseded"}, context="run")
    await human.until("reasoning/cancel")
    await interrupt(human)
    assert (await human.error("sequence_closed"))["payload"]["outcome"] == "superseded"


async def test_an_agent_that_cannot_ack_is_warned_at_start(site: Any) -> None:
    mute = await site.join("mute")
    await think(mute)
    assert (await mute.error("cannot_ack"))["correlation_id"] == ["run"]
    await mute.send("reasoning/thought", {"message": "on"}, context="run")
    await mute.until("reasoning/thought", message="on")


async def test_thoughts_in_another_participants_sequence_are_refused(site: Any) -> None:
    agent, second = await site.join("agent"), await site.join("second")
    await think(agent)
    for kind in ("reasoning/thought", "reasoning/conclusion"):
        await second.send(kind, {}, context="run")
        await second.error("not_sequence_owner")
