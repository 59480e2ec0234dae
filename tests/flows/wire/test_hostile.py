"""Somebody takes the ids of a flow's envelopes: nothing of it is believed."""

from __future__ import annotations

from typing import Any

from mew_agents.flows.agent import FlowAgent
from mew_agents.flows.participant.options import FlowOptions
from mew_agents.fluxi.tables import effect_attempts

from ...fluxi.wire.hostile import Mallory
from ...fluxi.wire.test_hostile import Held, ids, paused, told
from .stage import FORMAL, TRANSFER, Stage, balance


async def test_a_transfer_whose_id_is_taken_is_made_once(stage: Stage, attend: Any) -> None:
    held = Held("effect.begin.after")
    agent = FlowAgent(FlowOptions(**FORMAL), failpoints=held)
    thief = Mallory(await stage.join("mallory"), "fluxi")
    async with stage.ledger(attend) as ledger, stage.flows(attend, agent):
        human = await stage.person()
        await human.ask(TRANSFER)
        held.armed = True
        await human.say("sí")
        await paused(held, human)
        (id,) = await ids(agent, effect_attempts.c.request_id)
        await thief.ask(id)
        await thief.answer(id, "applied")
        await human.peer.send("participant/resume", {}, to=["fluxi"])
        assert (await told(human, "completed", "failed"))["payload"]["kind"] == "completed"
        assert balance(ledger, "bruno") == "50.00"
