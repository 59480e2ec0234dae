"""A space over real sockets with flows in it: people, a ledger, and a participant who speaks for others."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from mew_agents.flows import lookup, state
from mew_agents.flows.advance import replay
from mew_agents.flows.agent import FlowAgent
from mew_agents.flows.participant.options import FlowOptions
from mew_agents.flows.state import Dialogue
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.tables import flow_dialogues
from mew_agents.tools.ledger import Ledger, LedgerOptions

from ...kit import agents
from ...kit.agents import AgentSpace, Person, Tool

# A ledger, and `desk`, which speaks for people of its own.
SPACES = agents.SPACES + "".join(
    f"      {line}\n"
    for line in (
        "ledger: {capabilities: [{kind: chat}]}",
        "desk: {roles: [supervisor]}",
    )
)

FORMAL: dict[str, Any] = {"timezone": "America/Argentina/Buenos_Aires"}
TRANSFER = "transferir 50 a Bruno"

SHOP = Path(__file__).with_name("shop.yaml")


class FlowSpace(AgentSpace):
    """A gateway with the space `demo`, in which there is also a ledger."""

    async def begin(self, spaces: str = SPACES) -> None:
        await super().begin(spaces)

    async def tool(self) -> Tool:
        return Tool(await self.join("ledger"))

    @contextlib.asynccontextmanager
    async def ledger(self, attend: Callable[..., Any], **options: Any) -> AsyncIterator[Ledger]:
        """The real ledger has joined, on the gateway's clock."""
        watcher = await self.join("other")
        ledger = Ledger(LedgerOptions(**options), clock=self.site.clock.now)
        async with attend(ledger, self.site, watcher, participant="ledger"):
            yield ledger

    @contextlib.asynccontextmanager
    async def flows(
        self, attend: Callable[..., Any], agent: FlowAgent | None = None, *, participant: str = "fluxi", **options: Any
    ) -> AsyncIterator[FlowAgent]:
        """FlowAgent has joined, and stays for the block; then everything on its record is replayed."""
        flowing = agent or FlowAgent(FlowOptions(**{**FORMAL, **options}))
        async with self.host(attend, flowing, participant=participant):
            yield flowing
            await replays(flowing)


def balance(ledger: Ledger, account: str) -> str:
    """What somebody has, in USD."""
    found = (ledger.balance(account, "USD").structured or {})["balances"]
    return str(found[0]["amount"]) if found else "0.00"


async def dialogues(agent: FlowAgent) -> list[Dialogue]:
    """All dialogues, as they stand."""

    def find(connection: Connection) -> list[Dialogue]:
        return [state.read(text) for text in connection.execute(select(flow_dialogues.c.state)).scalars()]

    return await agent.fluxi.database.read(find)


async def replays(agent: FlowAgent) -> int:
    """Plays every dialogue again from its events alone, which must come to the same; how many events there were."""
    library = agent.dialogue_flows.dialogues.library
    played = 0
    for dialogue in await dialogues(agent):
        told = await agent.fluxi.database.read(
            lambda connection, id=dialogue.dialogue_id: lookup.recorded(connection, id)  # type: ignore[misc]
        )
        new = Dialogue(
            dialogue_id=dialogue.dialogue_id,
            account_id=dialogue.account_id,
            conversation_id=dialogue.conversation_id,
            participant=dialogue.participant,
        )
        again = replay(library, new, [one.event for one in told])
        assert again[-1].dialogue == dialogue
        assert [one.effects for one in again] == [one.effects for one in told]
        assert [written(one.delta) for one in again] == [written(one.delta) for one in told]
        played += len(told)
    return played


def texts(person: Person, named: str | None = None) -> list[str]:
    """What the agent has said to them, or to somebody whom they speak for."""
    said = [one for one in person.seen("chat") if one["from"] == person.agent and person.peer.participant in one["to"]]
    return [one["payload"]["text"] for one in said if one["payload"].get("conversation") == named]
