"""Turns that were left: whoever had them has gone, and they go on where they were (docs/flows.md §3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from sqlalchemy import Connection, func, select

from mew_agents.fluxi.duty import Around, Duty, Key
from mew_agents.fluxi.tables import flow_dialogues as dialogues

GoOn: TypeAlias = Callable[[str], Awaitable[object]]

_NEXT = select(func.min(dialogues.c.due_at)).where(dialogues.c.suspended.is_(None))


class UnfinishedTurns(Duty):
    """Dialogues that wait for nobody. `go_on` does what is left, in the `place` of the conversation's line."""

    def __init__(self, go_on: GoOn) -> None:
        self._go_on = go_on

    def due(self, connection: Connection, *, at: int, limit: int) -> Sequence[Key]:
        query = (
            select(dialogues.c.dialogue_id)
            .where(dialogues.c.due_at <= at, dialogues.c.suspended.is_(None))
            .order_by(dialogues.c.due_at)
            .limit(limit)
        )
        return [tuple(row) for row in connection.execute(query)]

    async def do(self, key: Key, _around: Around, /) -> None:
        await self._go_on(key[0])

    def next_due(self, connection: Connection) -> int | None:
        found: int | None = connection.execute(_NEXT).scalar()
        return found
