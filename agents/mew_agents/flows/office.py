"""The office of a database that has dialogues: people's acts from a process that talks with nobody."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Self

from sqlalchemy import Connection

from mew_agents.durable import Database
from mew_agents.flows.definitions.library import Library
from mew_agents.flows.dialogues import Dialogues
from mew_agents.flows.operators import FlowOperators
from mew_agents.flows.versions import Versions
from mew_agents.fluxi.catalogue import Catalogue
from mew_agents.fluxi.desk import utc_now
from mew_agents.fluxi.office import NoTools, Office, stored
from mew_agents.fluxi.ports import Call, Prepared
from mew_agents.fluxi.refused import Refused


class FlowOffice(Office):
    """Acts on flows, and on Works, of which some are their effects: what happens to such a one, its flow is told.

    As every office, it calls nothing. Where a flow would go on with a call, the act is refused (`needs_agent`): only
    whoever runs the flows knows how that is made.
    """

    def __init__(
        self, database: Database, catalogue: Catalogue, library: Library, *, clock: Callable[[], datetime] = utc_now
    ) -> None:
        super().__init__(database, catalogue, clock=clock, tools=_NotHere())
        dialogues = Dialogues(self.desk, library)
        self.desk.parts = dialogues.part
        self.flows = FlowOperators(dialogues)

    @classmethod
    async def open(cls, database: Database, *, clock: Callable[[], datetime] = utc_now) -> Self:
        """The office of a database, with the flows and the definitions that were used there last."""

        def look(connection: Connection) -> tuple[Catalogue, Library]:
            return stored(connection), Versions(connection).newest

        return cls(database, *await database.read(look), clock=clock)


class _NotHere(NoTools):
    def prepare(self, call: Call) -> Prepared:
        raise Refused("needs_agent", f"The flow would go on with a call of {call.tool}: only its agent can do this.")
