"""Somebody takes the ids of a flow's envelopes: nothing of it is believed."""

from __future__ import annotations

from typing import Any

from mew_agents.flows.agent import FlowAgent
from mew_agents.flows.participant.options import FlowOptions
from mew_agents.fluxi.tables import effect_attempts

from ...kit.agents import values_of
from ...kit.failpoints import BlockingFailpoint
from ...kit.hostile import Mallory
from .flow_space import FORMAL, TRANSFER, FlowSpace, balance


async def test_a_transfer_whose_id_is_taken_is_made_once(space: FlowSpace, attend: Any) -> None:
    held = BlockingFailpoint("effect.begin.after")
    agent = FlowAgent(FlowOptions(**FORMAL), failpoints=held)
    thief = Mallory(await space.join("mallory"), "fluxi")
    async with space.ledger(attend) as ledger, space.flows(attend, agent):
        human = await space.person()
        await human.ask(TRANSFER)
        held.armed = True
        await human.say("sí")
        await human.pause_at(held)
        (id,) = await values_of(agent, effect_attempts.c.request_id)
        await thief.ask(id)
        await thief.answer(id, "applied")
        await human.peer.send("participant/resume", {}, to=["fluxi"])
        assert (await human.told("completed", "failed"))["payload"]["kind"] == "completed"
        assert balance(ledger, "bruno") == "50.00"
