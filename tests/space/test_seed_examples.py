"""The examples of seed 004 (ADR-r5x), as they stand there, accepted by a space."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mew_gateway.space.effects import Deliver, Effect
from mew_gateway.space.settings import Participant, SpaceSettings
from tests.kit.space_driver import SpaceDriver

INTERRUPT = """{
  "protocol": "mew/v0.3",
  "id": "interrupt-123",
  "from": "human-supervisor",
  "to": ["reasoning-agent"],
  "kind": "reasoning/interrupt",
  "correlation_id": ["reason-start-1"],
  "payload": {
    "reason": "timeout|redirect|error|user_request|resource_limit",
    "message": "Optional human-readable explanation"
  }
}"""
ACK = """{
  "protocol": "mew/v0.3", 
  "id": "interrupt-ack-456",
  "from": "reasoning-agent",
  "correlation_id": ["interrupt-123"],
  "kind": "reasoning/interrupt-ack",
  "payload": {
    "status": "stopping|completing_thought|continuing|ignored",
    "message": "Optional explanation of chosen response"
  }
}"""  # noqa: W291 (as it stands)
TIMEOUT = """{
  "kind": "reasoning/interrupt",
  "from": "resource-monitor",
  "to": ["slow-reasoner"],
  "correlation_id": ["long-reasoning-seq"],
  "payload": {
    "reason": "timeout", 
    "message": "Reasoning exceeded 5 minute limit"
  }
}"""  # noqa: W291
REDIRECTION = """{
  "kind": "reasoning/interrupt", 
  "from": "human-operator",
  "to": ["assistant-agent"],
  "correlation_id": ["task-reasoning"],
  "payload": {
    "reason": "redirect",
    "message": "Please focus on the security implications instead"
  }
}"""  # noqa: W291
ACKNOWLEDGMENT = """{
  "kind": "reasoning/interrupt-ack",
  "from": "assistant-agent", 
  "correlation_id": ["interrupt-request"],
  "payload": {
    "status": "completing_thought",
    "message": "Will finish current security analysis then address new direction"
  }
}"""  # noqa: W291

ANYTHING = ({"kind": "*"},)
REASONS = ("timeout", "redirect", "error", "user_request", "resource_limit")
STATUSES = ("stopping", "completing_thought", "continuing", "ignored")


@pytest.fixture
def driver() -> SpaceDriver:
    names = ("human-supervisor", "reasoning-agent", "resource-monitor", "slow-reasoner", "human-operator",
             "assistant-agent")  # fmt: skip
    driver = SpaceDriver(SpaceSettings(id="demo", participants={name: Participant(name, ANYTHING) for name in names}))
    for name in names:
        driver.join(name)
    return driver


def delivered(effects: list[Effect]) -> list[dict[str, Any]]:
    """What was forwarded, as documents, and not what the gateway itself says."""
    documents = {one.data: msgspec.json.decode(one.data) for one in effects if isinstance(one, Deliver)}
    return [one for one in documents.values() if not one["from"].startswith("system:")]


def send(driver: SpaceDriver, text: str) -> list[dict[str, Any]]:
    return delivered(driver.send(msgspec.json.decode(text)["from"], text.encode()))


def test_the_reasons_that_the_example_lists_are_for_choosing(driver: SpaceDriver) -> None:
    driver.say("reasoning-agent", "reasoning/start", "reason-start-1", {"message": "thinking"})
    assert send(driver, INTERRUPT) == []  # the list itself is none of them
    choices = "|".join(REASONS)
    assert choices in INTERRUPT
    for reason in REASONS:
        text = INTERRUPT.replace(choices, reason).replace("interrupt-123", f"interrupt-{reason}")
        (said,) = send(driver, text)
        assert {key: said[key] for key in ("protocol", "from", "to", "correlation_id")} == {
            "protocol": "mew/v0.3",
            "from": "human-supervisor",
            "to": ["reasoning-agent"],
            "correlation_id": ["reason-start-1"],
        }


@pytest.mark.parametrize("status", STATUSES)
def test_each_status_of_the_example_is_accepted(driver: SpaceDriver, status: str) -> None:
    driver.say("reasoning-agent", "reasoning/start", "reason-start-1", {"message": "thinking"})
    send(driver, INTERRUPT.replace("|".join(REASONS), "user_request"))
    (said,) = send(driver, ACK.replace("|".join(STATUSES), status))
    assert (said["payload"]["status"], said["correlation_id"]) == (status, ["interrupt-123"])


def test_the_timeout_is_accepted_as_it_stands(driver: SpaceDriver) -> None:
    driver.say("slow-reasoner", "reasoning/start", "long-reasoning-seq", {"message": "slowly"})
    (said,) = send(driver, TIMEOUT)
    assert said["payload"] == {"reason": "timeout", "message": "Reasoning exceeded 5 minute limit"}


def test_the_redirection_and_its_acknowledgment_are_accepted_as_they_stand(driver: SpaceDriver) -> None:
    driver.say("assistant-agent", "reasoning/start", "task-reasoning", {"message": "the task"})
    document = msgspec.json.decode(REDIRECTION)
    (said,) = send(driver, msgspec.json.encode({**document, "id": "interrupt-request"}).decode())
    assert said["payload"] == document["payload"]
    (answer,) = send(driver, ACKNOWLEDGMENT)
    assert answer["payload"]["status"] == "completing_thought"
