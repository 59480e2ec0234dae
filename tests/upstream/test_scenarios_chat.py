"""Upstream's scenarios 1, 6 and 11: chat, what is malformed, acknowledgements and cancels."""

from __future__ import annotations

from typing import Any

import pytest

BASIC = """
space: {id: scenario, name: Basic message flow}
participants:
  echo-agent: {type: local, tokens: [echo-token], capabilities: [{kind: chat}, {kind: "system/*"}]}
  test-client:
    tokens: [test-token]
    output_log: ./logs/test-client.log
    auto_connect: true
    capabilities: [{kind: chat}, {kind: "system/*"}]
defaults: {capabilities: [{kind: chat}]}
"""
CONTROLS = """
space: {id: scenario, name: Chat and reasoning controls}
participants:
  control-agent:
    tokens: [control-token]
    capabilities:
      [{kind: chat}, {kind: chat/acknowledge}, {kind: chat/cancel}, {kind: "reasoning/*"}, {kind: participant/status}]
  test-client:
    tokens: [test-token]
    output_log: ./logs/test-client.log
    auto_connect: true
    capabilities: [{kind: chat}, {kind: chat/acknowledge}, {kind: chat/cancel}, {kind: "reasoning/*"}]
defaults: {capabilities: [{kind: chat}]}
"""


async def echo(agent: Any, envelope: dict[str, Any]) -> None:
    if envelope["kind"] == "chat" and envelope["from"] != agent.name:
        text = f"Echo: {envelope['payload']['text']}"
        await agent.send("chat", {"text": text}, correlation_id=[envelope["id"]])


async def control(agent: Any, envelope: dict[str, Any]) -> None:
    """What upstream's control agent says to each command. It writes the `context` of reasoning into the payload."""
    if envelope["kind"] != "chat" or envelope["from"] == agent.name:
        return
    here = {"correlation_id": [envelope["id"]]}
    match envelope["payload"]["text"]:
        case "ack":
            agent.acknowledged = envelope["id"]
            await agent.send("chat/acknowledge", {"text": "Acknowledged."}, to=[envelope["from"]], **here)
        case "cancel ack":
            await agent.send(
                "chat/cancel", {"reason": "requested"}, to=[envelope["from"]], correlation_id=[agent.acknowledged]
            )
        case "start_reasoning":
            await agent.send("reasoning/start", {"context": "r-1", "hint": "calculating"}, **here)
            await agent.send("reasoning/thought", {"context": "r-1", "text": "gathering"})
            await agent.send("reasoning/conclusion", {"context": "r-1", "text": "ready"})
        case "cancel_reasoning":
            await agent.send("reasoning/cancel", {"context": "r-1", "reason": "asked to stop"}, **here)


async def test_scenario_1_basic(play: Any) -> None:
    """1-basic: a posted chat reaches the echo agent, and its answer the poster's log: correlated, several, long."""
    async with play(BASIC) as scenario:
        await scenario.agent("echo-agent", echo)
        await scenario.accepted("test-client", "chat", {"text": "Hello, echo!"}, id="simple")
        await scenario.accepted("test-client", "chat", {"text": "Test with ID"}, id="msg-123")
        await scenario.logged("test-client", "chat", {"text": "Echo: Hello, echo!"})
        await scenario.logged("test-client", "chat", correlation_id=["msg-123"])
        texts = ["Message 1", "Message 2", "Message 3", "A" * 1000, *(f"Rapid {number}" for number in range(5))]
        for text in texts:
            await scenario.accepted("test-client", "chat", {"text": text})
        await scenario.logged("test-client", "chat", {"text": "Echo: Rapid 4"})
        said = [line["payload"]["text"] for line in scenario.lines("test-client") if line["kind"] == "chat"]
        assert [text for text in said if text.startswith("Echo: ")][2:] == [f"Echo: {text}" for text in texts]


@pytest.mark.requirement("mew/3:json-envelope")
async def test_scenario_6_errors(play: Any) -> None:
    """6-errors: what is no JSON, has no kind or comes as somebody else is a 4xx, and the gateway goes on: it takes
    10,000 characters, twenty in a row, and any script."""
    async with play(BASIC) as scenario:
        for body in (b"This is not valid JSON", b'{"kind":"chat"', {}, {"payload": {"text": "Missing kind field"}}):
            assert (await scenario.post("test-client", body))[0] == 400
        ghost = await scenario.post(
            "ghost", {"id": "g", "kind": "chat", "payload": {"text": "hello"}}, token="test-token"
        )
        assert ghost[0] in (401, 403)
        assert (await scenario.site.get("/health"))[0] == 200
        texts = ["A" * 10_000, *(f"Message {number}" for number in range(20)), "Symbols: © ™ 漢字 😊"]
        for text in texts:
            await scenario.accepted("test-client", "chat", {"text": text})
        await scenario.logged("test-client", "chat", {"text": texts[-1]})
        said = [line["payload"]["text"] for line in scenario.lines("test-client") if line["kind"] == "chat"]
        assert said == texts


async def test_scenario_11_chat_controls(play: Any) -> None:
    """11-chat-controls: an acknowledgement, a cancelled chat, reasoning begun and cancelled, each with what it is
    about. Upstream's agent says the `context` in the payload: that is reasoning without one, and not tracked."""
    async with play(CONTROLS) as scenario:
        agent = await scenario.agent("control-agent", control)
        for id, text in (("1", "ack"), ("2", "cancel ack"), ("3", "start_reasoning"), ("4", "cancel_reasoning")):
            await scenario.accepted("test-client", "chat", {"text": text}, id=id, to=["control-agent"])
            await agent.until("chat", text=text)
        await scenario.logged("test-client", "chat/acknowledge", correlation_id=["1"])
        await scenario.logged("test-client", "chat/cancel", correlation_id=["1"])
        started = await scenario.logged("test-client", "reasoning/start", correlation_id=["3"])
        assert started["payload"]["context"] == "r-1"
        cancelled = await scenario.logged("test-client", "reasoning/cancel", correlation_id=["4"])
        assert cancelled["payload"]["context"] == "r-1"
