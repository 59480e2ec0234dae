"""FlowAgent, which says how many tasks it has when it is asked (`bench.probe`)."""

from __future__ import annotations

import asyncio

from bench.probe import answer_with
from mew_agents.flows.agent import FlowAgent


class Counted(FlowAgent):
    """FlowAgent, and nothing else but the count."""

    async def beside(self) -> None:
        answer_with(lambda: len(asyncio.all_tasks()))
        await super().beside()
