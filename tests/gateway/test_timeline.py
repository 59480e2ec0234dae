"""The gateway's timeline: of an interruption, what the agent tells of it as well as what the gateway decided."""

from __future__ import annotations

from typing import Any

SAID: dict[str, dict[str, Any]] = {
    "reasoning/interrupt": {"class": "cancel", "scope": "span", "span_id": "search", "confidence": 0.9},
    "reasoning/interrupt-ack": {
        "class": "cancel",
        "policy_applied": "checkpointed",
        "span_id": "search",
        "outcome": "stopped",
        "reason_code": "rolled_back",
    },
    "reasoning/conclusion": {
        "outcome": "interrupted",
        "interrupted": True,
        "interrupt_id": "stop",
        "policy_applied": "checkpointed",
        "rolled_back_to": "2",
        "timeline": "41:9c0f",
    },
}


async def test_the_timeline_copies_fields_of_payloads(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await agent.send("reasoning/start", {}, id="run")
    await human.until("reasoning/start")
    asked = {"reason": "user_request", **SAID["reasoning/interrupt"]}
    await human.send("reasoning/interrupt", asked, to=["agent"], correlation_id=["run"], id="stop")
    await agent.until("reasoning/interrupt")
    answer = {"status": "stopping", **SAID["reasoning/interrupt-ack"]}
    await agent.send("reasoning/interrupt-ack", answer, correlation_id=["stop"])
    await agent.send("reasoning/conclusion", SAID["reasoning/conclusion"], context="run")
    await human.until("reasoning/conclusion")
    _, found = await site.get("/spaces/demo/timeline", participant="human")
    events = {event["kind"]: event for event in found["events"]}
    for kind, told in SAID.items():
        assert {field: events[kind].get(field) for field in told} == told


async def test_nested_values_are_not_copied(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await agent.send("reasoning/start", {}, id="run")
    await agent.send("reasoning/conclusion", {"timeline": ["9:00", "9:40"], "rolled_back_to": "x" * 400}, context="run")
    await human.until("reasoning/conclusion")
    _, found = await site.get("/spaces/demo/timeline", participant="human")
    (told,) = (event for event in found["events"] if event["kind"] == "reasoning/conclusion")
    assert told["timeline"] is None
    assert len(told["rolled_back_to"]) == 300


async def test_a_refused_envelope_is_shown_with_its_real_sender(site: Any) -> None:
    human = await site.join("human")
    for kind in ("system/presence", "system/error", "reasoning/interrupt"):
        await human.send(kind, {"class": [[]], "extra": {"deep": [1]}}, id=f"fake {kind}")
        await human.until("system/error")
    status, body = await site.get("/spaces/demo/timeline", participant="human")
    assert status == 200
    told = {one["id"]: one for one in body["events"] if str(one.get("id", "")).startswith("fake")}
    assert len(told) == 3
    assert told["fake system/presence"]["refused"] == "reserved_kind"
    assert "extra" not in told["fake system/error"]
