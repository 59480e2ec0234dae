"""What people may do to flows, as tools of the agent: only those of its account are found (docs/flows.md §7)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from mew_agents.flows import lookup
from mew_agents.flows.engine import Flows
from mew_agents.flows.lookup import DialogueSheet, FlowLine
from mew_agents.flows.participant.flow_engine import FLOW
from mew_agents.fluxi.participant.operations import Limit, Operations, Reason, refused_result
from mew_agents.fluxi.participant.runs import RunWitness
from mew_agents.fluxi.refused import Refused
from mew_gateway.sdk import Envelope, ToolResult, tool
from mew_gateway.sdk.exchange.mcp import texts

FlowId = Annotated[str, Meta(min_length=1, max_length=100, description="or its beginning, where only one fits")]


class FlowOperations(Operations):
    """An agent with these tools besides those about Works. Whoever may call them may act; who acts is on record."""

    @property
    @abstractmethod
    def dialogue_flows(self) -> Flows:
        """The flows that these tools are about."""

    @tool
    async def flows(self, limit: Limit = 50) -> ToolResult:
        """Lists the flows that are under way: with whom, at which step, and what each waits for."""
        found = await self.fluxi.database.read(
            lambda connection: lookup.flows(connection, account_id=self.account, limit=limit)
        )
        lines = [_told(one) for one in found]
        return ToolResult(texts(["\n".join(lines) or "There are none."]), {"flows": [_plain(one) for one in found]})

    @tool
    async def flow(self, flow_id: FlowId) -> ToolResult:
        """Tells everything about a flow and the dialogue that it is in: its values, its events, what was said."""
        try:
            found = await self._dialogue_meant(flow_id)
        except Refused as refused:
            return refused_result(refused)
        text = "\n".join(_told(one) for one in found.flows) or "No flow is under way there."
        return ToolResult(texts([text]), _plain(found))

    @tool
    async def flow_cancel(self, request: Envelope, flow_id: FlowId, reason: Reason | None = None) -> ToolResult:
        """Cancels a flow while it waits and voids its question; during a call, as soon as its outcome is known."""
        act = self.dialogue_flows.operators.cancel
        return await self._act_on_flow(
            request,
            flow_id,
            lambda id, by, seen: act(id, by=by, reason=reason, account_id=self.account, witness=seen),
        )

    @tool
    async def flow_resume(self, request: Envelope, flow_id: FlowId) -> ToolResult:
        """Lets a dialogue go on that somebody wanted a person for: what was asked is asked again."""
        act = self.dialogue_flows.operators.release
        return await self._act_on_flow(
            request, flow_id, lambda id, by, seen: act(id, by=by, account_id=self.account, witness=seen)
        )

    async def _act_on_flow(
        self, request: Envelope, typed: str, do: Callable[[str, str, RunWitness], Awaitable[None]]
    ) -> ToolResult:
        try:
            flow_id = _flow_meant(await self._dialogue_meant(typed), typed)
            await self.seen_acting(request, {flow_id: FLOW}, partial(do, flow_id))
        except Refused as refused:
            return refused_result(refused)
        found = await self._sheet(flow_id)
        line = None if found is None else next((one for one in found.flows if one.flow_id == flow_id), None)
        if line is None:
            return ToolResult(texts([f"The flow {flow_id} has ended."]), {"flow_id": flow_id, "status": "ended"})
        told = f"A call of the flow {flow_id} is out: it ends as soon as the outcome is known."
        text = told if line.work_id is not None else _told(line)
        return ToolResult(texts([text]), {"flow_id": flow_id, "status": "under_way", **_plain(line)})

    async def _dialogue_meant(self, typed: str) -> DialogueSheet:
        """The dialogue that is meant by the beginning of its id, or of a flow's in it. Raises Refused."""
        fits = await self.fluxi.database.read(
            lambda connection: lookup.fitting(connection, typed, account_id=self.account)
        )
        if len(fits) > 1:
            raise Refused("ambiguous", f"{typed} fits several dialogues: {', '.join(fits)}. `flows` lists their flows.")
        found = await self._sheet(fits[0]) if fits else None
        if found is None:
            raise Refused("not_found", f"There is no dialogue with a flow {typed}: `flows` lists them.")
        return found

    async def _sheet(self, flow_id: str) -> DialogueSheet | None:
        return await self.fluxi.database.read(
            lambda connection: lookup.dialogue(connection, flow_id, account_id=self.account)
        )


def _flow_meant(found: DialogueSheet, typed: str) -> str:
    """The flow that is meant in a dialogue: by its id, or as the only one. Raises Refused."""
    rest = typed.partition(".")[2]
    if rest:
        return f"{found.dialogue.dialogue_id}.{rest}"
    if len(found.flows) == 1:
        return found.flows[0].flow_id
    if found.flows:
        fits = ", ".join(f"{one.flow_id} ({one.name})" for one in found.flows)
        raise Refused("ambiguous", f"{typed} fits several flows: {fits}. `flows` lists them.")
    raise Refused("not_found", f"There is no flow {typed} under way: `flows` lists them.")


def _told(line: FlowLine) -> str:
    waits = f"waits for {line.asked or line.waits}" if line.waits is not None else "waits below another flow"
    suspended = "" if line.suspended is None else f" ({line.suspended})"
    return f"{line.flow_id} {line.name} with {line.participant}, at {line.step}: {waits}{suspended}"


def _plain(found: Any) -> dict[str, Any]:
    """JSON, as deep as it goes."""
    plain: dict[str, Any] = msgspec.to_builtins(asdict(found))
    return plain
