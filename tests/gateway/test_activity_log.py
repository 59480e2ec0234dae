"""The log and the metrics tell what happens in a space, and no text that somebody wrote."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from mew_gateway.cli.printing.json_log import JsonLines
from mew_gateway.gateway.broker.activity_log import _SENT, Activity
from mew_gateway.gateway.broker.metrics import Counters
from mew_gateway.journal.base import Entry
from mew_gateway.space.effects import Deliver
from mew_gateway.space.events import Connected

from ..kit.gateway import SPACES

SECRET = "sesame-open"
SPACE = SPACES.replace(
    "      other: {roles: [supervisor]}", "      other: {capabilities: [{kind: reasoning/interrupt}]}"
)


def value(metrics: str, name: str) -> float:
    (line,) = [line for line in metrics.splitlines() if line.startswith(f"{name} ")]
    return float(line.rpartition(" ")[2])


async def test_important_events_are_logged_and_counted(start_gateway: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mew.space")
    async with start_gateway(SPACE) as site:
        human, other, agent = await site.join("human"), await site.join("other"), await site.join("agent")
        await agent.send("reasoning/start", {"message": SECRET}, id="run")
        await human.until("reasoning/start")
        ask = {"reason": "user_request", "message": SECRET}
        await human.send("reasoning/interrupt", ask, to=["agent"], correlation_id=["run"], id="i1")
        await agent.until("reasoning/interrupt")
        await agent.send("reasoning/interrupt-ack", {"status": "continuing"}, to=["human"], correlation_id=["i1"])
        await other.until("reasoning/interrupt-ack")
        urgent = {"reason": "error", "message": SECRET, "class": "emergency"}
        await other.send("reasoning/interrupt", urgent, to=["agent"], correlation_id=["run"], id="i2")
        await agent.until("reasoning/interrupt")
        await agent.send("mcp/proposal", {"method": "tools/call", "params": {"name": SECRET}})
        await agent.error("halted")
        await human.send("mcp/proposal", {"method": "tools/call", "params": {"name": SECRET, "arguments": {}}})
        await human.until("mcp/proposal")
        await human.send("space/kick", {"participant_id": SECRET})
        await human.error("capability_violation")
        await site.pass_time(2_001)  # the emergency's deadline
        await human.until("system/error", error="interrupt_ack_timeout")
        await site.leave(agent)
        await site.get("/spaces/demo/participants", token=SECRET)
        _, metrics = await site.get("/metrics")
    told = [f"{record.levelname} {record.getMessage()}" for record in caplog.records if record.name == "mew.space"]
    expected = [
        "INFO demo: human joined",
        "INFO demo: other joined",
        "INFO demo: agent joined",
        "INFO demo: human → agent: reasoning/interrupt (cancel)",
        "INFO demo: agent → human: reasoning/interrupt-ack (continuing)",
        "WARNING demo: other → agent: reasoning/interrupt (emergency)",
        "INFO demo: agent was refused mcp/proposal: halted",
        "INFO demo: human → everybody: mcp/proposal",
        "INFO demo: human was refused space/kick: capability_violation",
        "WARNING demo: interrupt_ack_timeout of agent",
        "WARNING demo: the gateway → agent: participant/pause",
        "INFO demo: agent left",
        "WARNING no valid token from 127.0.0.1 (HTTP)",
    ]
    assert [line for line in told if line in expected] == expected
    assert SECRET not in caplog.text
    for event, count in {"joins": 3, "interrupts": 2, "emergencies": 1, "ack_timeouts": 1, "pauses": 1}.items():
        assert value(metrics, f'mew_events_total{{event="{event}"}}') == count
    assert value(metrics, "mew_proposals_open") == 1
    assert (value(metrics, "mew_participants_halted"), value(metrics, "mew_participants_paused")) == (1, 1)
    assert value(metrics, "mew_unauthorised_total") == 1
    assert value(metrics, "mew_journal_bytes") > 0
    assert value(metrics, "mew_commit_seconds_count") > 5
    assert value(metrics, "mew_hosted_starts_total") == 0


@pytest.mark.parametrize("by_space", [False, True])
async def test_metrics_name_spaces_only_where_that_is_configured(start_gateway: Any, by_space: bool) -> None:
    text = SPACE.replace("state_dir: state", f"state_dir: state\n  metrics_by_space: {str(by_space).lower()}")
    async with start_gateway(text) as site:
        await site.join("human")
        _, metrics = await site.get("/metrics")
    assert ("demo" in metrics) == by_space
    named = '{space="demo"}' if by_space else ""
    assert value(metrics, f"mew_participants_present{named}") == 1


def test_repeated_lines_are_written_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    activity = Activity(Counters(), now=lambda: now[0])
    with caplog.at_level(logging.INFO, "mew.space"):
        for _ in range(1_000):
            activity.refused("demo", "bot", "rate_limited")
            activity.refuse_token("10.0.0.1", "HTTP")
        now[0] = 60.0
        activity.refused("demo", "bot", "rate_limited")
    assert activity.unauthorised == 1_000
    first, token, again = [record.getMessage() for record in caplog.records]
    assert first == "demo: bot was refused an envelope: rate_limited"
    assert token == "no valid token from 10.0.0.1 (HTTP)"
    assert again == "demo: bot was refused an envelope: rate_limited (and 999 more before that were not written)"


def test_a_json_line_has_the_fields_of_the_event(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "mew.space"):
        Activity(Counters()).refused("demo", "bot", "rate_limited", "chat")
    line = JsonLines().format(caplog.records[0])
    assert "\n" not in line
    told = json.loads(line)
    assert told["time"].endswith("+00:00")
    del told["time"]
    assert told == {
        "level": "info",
        "logger": "mew.space",
        "message": "demo: bot was refused chat: rate_limited",
        "event": "refused",
        "space": "demo",
        "participant": "bot",
        "code": "rate_limited",
        "left_out": 0,
    }


def test_a_participant_cannot_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    presence = {"kind": "system/presence", "payload": {"event": "join", "participant": {"id": "bot"}}}
    joined = Deliver((), json.dumps(presence).encode(), own=True)
    activity = Activity(Counters(), now=lambda: 0.0)
    with caplog.at_level(logging.INFO, "mew.space"):
        for number in range(200):
            activity.observe(Entry(number, "demo", 0, Connected(number, "bot")), [joined])
    assert activity.events["demo", "joins"] == 200
    assert len(caplog.records) == 30


async def test_a_participants_text_is_not_logged(start_gateway: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "mew")
    anybody = SPACES.replace("  demo:\n", '  demo:\n    validation: "off"\n').replace(
        "{roles: [supervisor]}", '{capabilities: [{kind: "*"}]}'
    )
    async with start_gateway(anybody) as site:
        human, other = await site.join("human"), await site.join("other")
        for kind in (*_SENT, f"x/{SECRET}", SECRET):
            payload = {
                "status": SECRET,
                "class": SECRET,
                "reason": SECRET,
                "participant_id": SECRET,
                "recipient": SECRET,
            }
            await other.send(kind, payload, to=["human", f"{SECRET} {SECRET}"], correlation_id=["none"])
        await human.settle()
        await other.settle()
    assert len(caplog.records) > 10
    assert SECRET not in caplog.text
