"""A guest of the same name is somebody else: it answers no node of the earlier one's thread (docs/protocol.md §2)."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from sqlalchemy import select

from mew_agents.fluxi.tables import flow_dialogues, semantic_contexts
from mew_agents.graphs.agent import LangGraphAgent
from mew_agents.graphs.options import GraphOptions

from ...kit.agents import AgentSpace, Person
from ...kit.guests import MOMENTS, succession
from .test_langgraph import ONBOARDING


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_successor_answers_nothing(space: AgentSpace, attend: Any, moment: str) -> None:
    def serve() -> AbstractAsyncContextManager[LangGraphAgent]:
        return space.host(attend, LangGraphAgent(GraphOptions(**ONBOARDING)))

    async def named(old: Person) -> None:
        await old.ask("hola")
        assert (await old.ask("Ana"))["payload"]["text"] == "¿Edad?"

    async with succession(space, serve, moment, before=named, words="25") as found:
        assert found.reply["payload"]["text"] == "¿Cómo se llama?"
        read = found.agent.fluxi.database.read
        waiting = await read(
            lambda connection: connection.execute(
                select(flow_dialogues.c.waiting).order_by(flow_dialogues.c.opened_at)
            ).all()
        )
        assert sorted(str(row[0]) for row in waiting) == ["None", "question"]
        settled = await read(
            lambda connection: connection.execute(select(semantic_contexts.c.settled_by)).scalars().all()
        )
        assert "removed" in settled
        assert len([one for one in found.new.seen("chat") if one["from"] == "fluxi"]) == 1
