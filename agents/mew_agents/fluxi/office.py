"""The office: people's acts on Works from a process that runs none of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Self

from sqlalchemy import Connection, select
from uuid_utils import uuid7

from mew_agents.durable import NONE, Database
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.catalogue import Catalogue
from mew_agents.fluxi.definitions.version import restore
from mew_agents.fluxi.desk import Desk, utc_now
from mew_agents.fluxi.effects import Effects
from mew_agents.fluxi.message import Result
from mew_agents.fluxi.operators import Operators
from mew_agents.fluxi.ports import Answer, Call, Carried, Carrier, Prepared, Reply, ToolPort, Witness
from mew_agents.fluxi.reviews import Reviews
from mew_agents.fluxi.tables import work_definitions


class Office:
    """Acts on a database that somebody else may run Fluxi on: safe, because each act is one transaction (§5).

    It calls no tool and carries no reply, because it does not know whose they are: what an act leads to is put on
    record as due, and is done by whoever runs Fluxi on this database.
    """

    def __init__(
        self,
        database: Database,
        catalogue: Catalogue,
        *,
        clock: Callable[[], datetime] = utc_now,
        tools: ToolPort | None = None,
    ) -> None:
        """`tools`: what is said of a call that an act would lead to here."""
        desk = Desk(
            database=database,
            catalogue=catalogue,
            tools=tools or NoTools(),
            carrier=Unsent(),
            clock=clock,
            new_id=lambda: str(uuid7()),
        )
        self.desk = desk
        self.operators = Operators(desk, _Left(desk, desk.tools, NONE))
        self.reviews = Reviews(desk)

    @classmethod
    async def open(cls, database: Database, *, clock: Callable[[], datetime] = utc_now) -> Self:
        """The office of a database, with the definitions that are current there."""
        return cls(database, await database.read(stored), clock=clock)


def stored(connection: Connection) -> Catalogue:
    """The definitions as whoever runs Fluxi on a database has registered them."""
    current = select(work_definitions.c.document).where(work_definitions.c.is_current == 1)
    catalogue = Catalogue(restore(text) for text in connection.execute(current).scalars())
    catalogue.learn(connection)
    return catalogue


class Unsent(Carrier):
    """Queues replies as they are, for whoever relays them: that one's carrier composes them."""

    def compose(self, reply: Reply) -> str:
        return written(reply)

    async def carry(self, body: str) -> Carried:
        return Carried(status="wait")


class _Left(Effects):
    """Effects that are left to whoever runs Fluxi here."""

    async def carry_out(self, work_id: str, witness: Witness, **how: object) -> Result | None:
        return None


class NoTools(ToolPort):
    """No tool at all: nothing is ever prepared, and so nothing sent."""

    def prepare(self, call: Call) -> Prepared:
        raise LookupError(call.tool)

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        raise LookupError(prepared.request)

    async def look_back(self, prepared: Prepared) -> Answer | None:
        return None

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        raise LookupError(tool)
