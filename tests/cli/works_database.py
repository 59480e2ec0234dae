"""Databases with Works in every state, made by the library: faster than by talking to the command."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from mew_agents.durable import Database
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.lookup import FoundWork, work, works
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.tables import outbox

from ..fluxi.outside import Doubles, Mood, Outside, Post

T = TypeVar("T")

MONTHS = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio"),
    *("agosto", "septiembre", "octubre", "noviembre", "diciembre"),
)
HERE = Conversation("local", "terminal")


def wednesday() -> str:
    """Return a day in a week or two on which doctors work, in Spanish."""
    day = datetime.now(UTC).date() + timedelta(days=7)
    day += timedelta(days=(2 - day.weekday()) % 7)
    return f"{day.day} de {MONTHS[day.month - 1]}"


def request(hour: str = "10:30") -> str:
    """Return the sentence that asks for an appointment."""
    return f"Quiero agendar un turno con la Dra. Pérez para el {wednesday()} a las {hour}"


class WorksDatabase:
    """A folder with a database of Works; `url` is where `mew fluxi` looks by default."""

    def __init__(self, folder: Path, *, definition: Definition, moods: Sequence[Mood] = ()) -> None:
        (folder / ".mew").mkdir()
        self.url = f"sqlite:///{folder}/.mew/fluxi.db"
        self._outside = Outside(folder / "outside")
        self._definition = definition
        self._moods = moods
        self._numbers = itertools.count(1)

    async def handle(self, *texts: str, sender: str = "ana", where: Conversation = HERE) -> list[Any]:
        """Open Fluxi, handle the messages one after the other, close it. Return the results."""
        fluxi = await self._open()
        try:
            return [await self._say(fluxi, text, sender, where) for text in texts]
        finally:
            fluxi.close()

    async def run_due(self) -> None:
        """Open Fluxi, run what is due, close it."""
        fluxi = await self._open()
        await fluxi.schedule.run_due()
        fluxi.close()

    async def replies(self, where: Conversation = HERE) -> list[dict[str, Any]]:
        """Return every message to a conversation, sent or not."""
        query = select(outbox.c.body).where(outbox.c.conversation_id == where.conversation_id)
        bodies = await self.read(lambda it: it.execute(query.order_by(outbox.c.position)).scalars().all())
        return [read(body) for body in bodies]

    async def newest(self) -> FoundWork:
        """Return the newest Work."""

        def find(connection: Connection) -> FoundWork:
            found = work(connection, works(connection)[-1].work_id)
            assert found is not None
            return found

        return await self.read(find)

    async def read(self, look: Callable[[Connection], T]) -> T:
        """Return what `look` reads from the database."""
        database = Database.open(self.url)
        try:
            return await database.read(look)
        finally:
            database.close()

    @property
    def effects(self) -> list[str]:
        """The tools that had effects, in order."""
        return [line["tool"] for line in self._outside.effects.lines]

    async def _open(self) -> Fluxi:
        tools = Doubles(self._outside, self._moods)
        return await Fluxi.open(self.url, tools=tools, definitions=[self._definition], carrier=Post(self._outside))

    async def _say(self, fluxi: Fluxi, text: str, sender: str, where: Conversation) -> Any:
        message = Message(message_id=f"m-{next(self._numbers)}", sender=sender, text=text)
        result = await fluxi.handle(message, PolicyContext(now=datetime.now(UTC)), where)
        await fluxi.outbox.relay()
        return result
