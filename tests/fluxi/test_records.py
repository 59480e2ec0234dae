"""What a transaction reads of Works: the live ones as they are by now, and whom a key belongs to."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from sqlalchemy import Connection

from mew_agents.durable import Database
from mew_agents.fluxi import statements
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.local_port import LocalPort
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.tools.local import LocalTools

WHERE = Conversation("clinic", "desk")
START = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


class Story:
    """A conversation with Fluxi whose time is told."""

    def __init__(self, fluxi: Fluxi) -> None:
        self._fluxi = fluxi
        self._numbers = count()
        self.now = START

    async def say(self, text: str) -> Result:
        policy = PolicyContext(now=self.now, language="es", timezone="America/Argentina/Buenos_Aires")
        message = Message(message_id=f"m{next(self._numbers)}", sender="ana", text=text)
        return await self._fluxi.handle(message, policy, WHERE)


async def test_a_work_that_expires_with_a_message_takes_nothing_of_it(database_url: str) -> None:
    with LocalTools.shipped() as tools:
        fluxi = await Fluxi.open(database_url, tools=LocalPort(tools), clock=lambda: START)
        with closing(fluxi.database):
            story = Story(fluxi)
            first = await story.say("quiero agendar un turno con el Dr. Souza")
            story.now += timedelta(days=2)
            second = await story.say("quiero agendar un turno con la Dra. Clark")
    assert first.work_id is not None and second.kind == "request_slot"
    assert second.work_id not in (None, first.work_id)


async def test_whom_a_key_belongs_to_is_looked_up_in_the_index_of_live_works(made_file: Path) -> None:
    """SQLite uses a partial index only for a condition that is written as the index's own."""

    def plan(connection: Connection) -> str:
        statement = statements.HOLDER.compile(dialect=connection.dialect)
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", ("clinic", "key")).all()
        return "; ".join(row.detail for row in rows)

    with closing(Database.open(f"sqlite:///{made_file}")) as database:
        assert "uq_fluxcore_works_aggregate (account_id=? AND aggregate_key=?)" in await database.read(plan)
