"""The agent is killed, and goes on exactly there (docs/flows.md, acceptance 2 and 13)."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from ...fluxi.interpreter.fake_model import fake_model, says
from ...kit.agents import FLOWS, Person
from ...kit.processes import PATIENCE, ForkedAgent
from .flow_space import FORMAL, TRANSFER, FlowSpace, balance, texts

WHOM = "¿A quién desea transferir?"
ASKED = "Voy a transferir 50,00 US$ a Bruno. ¿Lo confirma?"
DONE = "Listo: transferí 50,00 US$ a Bruno"


def lives(space: FlowSpace, name: str, **options: Any) -> AbstractAsyncContextManager[ForkedAgent]:
    """The agent in a process of its own."""
    return space.process(name, FLOWS, **{**FORMAL, **options})


async def killed(process: ForkedAgent) -> None:
    """It has died of it."""
    assert await asyncio.wait_for(process.wait(), PATIENCE) == -signal.SIGKILL


def said_once(human: Person) -> None:
    """No envelope of the agent's came twice."""
    ids = [one["id"] for one in human.seen("chat") if one["from"] == human.agent]
    assert len(ids) == len(set(ids))


async def heard(human: Person, last: str) -> None:
    """Wait for a reply that begins so."""
    while not (await human.reply())["payload"]["text"].startswith(last):
        pass


async def test_2_killed_while_a_question_waits_it_goes_on_at_the_next_step(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger:
        human = await space.person(agent="d1")
        async with lives(space, "d1") as process:
            question = await human.ask("transferir 50")
            process.kill()
            await killed(process)
        async with lives(space, "d1") as process:
            asked = await human.ask("a Bruno", correlation_id=[question["id"]])
            assert asked["payload"]["flow_id"] == question["payload"]["flow_id"]
            process.kill()
            await killed(process)
        await human.say("sí", correlation_id=[asked["id"]])
        async with lives(space, "d1"):
            await heard(human, DONE)
            await human.ask("gracias")
        assert [one[:40] for one in texts(human)[:3]] == [WHOM[:40], ASKED[:40], texts(human)[2][:40]]
        assert balance(ledger, "bruno") == "50.00"
        said_once(human)


async def in_the_middle(space: FlowSpace, name: str, point: str, told: list[str], last: str) -> Person:
    """What is said is said, the agent dies at the point, comes back, and gets to where it wanted to be."""
    human = await space.person(agent=name)
    async with lives(space, name, failpoint=point) as process:
        for one in told[:-1]:
            await human.ask(one)
        await human.say(told[-1])
        await killed(process)
    async with lives(space, name):
        await heard(human, last)
        assert (await human.ask("estado"))["payload"]["text"], point
    said_once(human)
    return human


async def each(points: list[str], do: Callable[[str, str], Awaitable[None]]) -> None:
    """Two processes at a time."""
    for at in range(0, len(points), 2):
        await asyncio.gather(*(do(f"d{at + one + 1}", point) for one, point in enumerate(points[at : at + 2])))


async def test_2_killed_around_a_question_it_is_asked_once(space: FlowSpace) -> None:
    """Committed and not sent, sent and not marked, and before anything of it was committed."""

    async def dies(name: str, point: str) -> None:
        human = await in_the_middle(space, name, point, ["transferir 50"], WHOM)
        assert [one for one in texts(human) if one == WHOM] == [WHOM], point

    await each(["turn.before:1", "turn.after:1", "turn.after:2", "outbox.carry.before", "outbox.carry.after"], dies)


async def test_2_killed_around_an_answer_it_is_taken_once(space: FlowSpace) -> None:
    async def dies(name: str, point: str) -> None:
        human = await in_the_middle(space, name, point, ["transferir 50", "a Bruno"], ASKED)
        assert texts(human)[:2] == [WHOM, ASKED], point
        assert texts(human).count(WHOM) == 1

    await each(["turn.before:3", "turn.after:3", "outbox.carry.before:2", "outbox.carry.after:2"], dies)


async def test_2_killed_around_the_payment_it_is_paid_once(space: FlowSpace, attend: Any) -> None:
    points = [
        "turn.after:3",
        "effect.begin.after",
        "effect.send.before",
        "effect.send.after",
        "effect.record.after",
        "outbox.carry.before:2",
    ]
    async with space.ledger(attend) as ledger:

        async def dies(name: str, point: str) -> None:
            human = await in_the_middle(space, name, point, [TRANSFER, "sí"], DONE)
            assert [one[:34] for one in texts(human)].count(DONE) == 1, point

        await each(points, dies)
        assert balance(ledger, "bruno") == f"{50 * len(points)}.00"


async def test_2_killed_around_an_action_the_same_bytes_are_sent_again(space: FlowSpace, attend: Any) -> None:
    """What is no effect may be called again, but not with anything else."""
    points = ["action.send.before", "action.send.after", "action.record.before", "action.record.after"]
    async with space.ledger(attend):

        async def dies(name: str, point: str) -> None:
            human = await in_the_middle(space, name, point, ["mi saldo"], "Su saldo es de")
            mine = [one for one in human.seen("mcp/request") if one["from"] == name]
            assert len({json.dumps(one, sort_keys=True) for one in mine}) == 1, point

        await each(points, dies)


def command(**told: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("flow", "scope", "slot", "value", "evidence"))
    return {**nothing, "command": "start_flow", "others": [], **told}


async def test_13_what_was_decided_stands_whatever_a_model_would_say_now(
    space: FlowSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEW_LLM_KEY", "sk-none")
    human = await space.person(agent="d1")
    first = says({"commands": [command(flow="transfer")]})
    other = says({"commands": [command(flow="block_card")]})
    async with fake_model(first, other) as fake:
        model = {"understanding": "model", "model_url": fake.url, "model": "m"}
        async with lives(space, "d1", failpoint="interpret.before:2", **model) as process:
            await human.say("pasale cincuenta dólares a mi vieja por favor")
            await killed(process)
        assert len(fake.requests) == 1
        async with lives(space, "d1", **model):
            asked = await human.reply()
            (line,) = (await human.call("flows"))["flows"]
            assert line["name"] == "transfer"
            assert asked["payload"]["flow_id"] == line["flow_id"]
            assert "transferir" in asked["payload"]["text"]
        assert "commands" not in json.dumps(fake.requests[1]["response_format"]), "pass 2 alone was asked for"
