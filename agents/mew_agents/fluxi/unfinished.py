"""Messages that were received and never finished: after a minute they are taken up again (docs/fluxi.md §2.0)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from sqlalchemy import Connection, func, select

from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.desk import Desk
from mew_agents.fluxi.duty import LEFT, Around, Duty, Key
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.tables import inbox

# A message, its policy as it was when it was said, and where that was.
Again: TypeAlias = Callable[[Message, PolicyContext, Conversation], Awaitable[None]]

_KEY = (inbox.c.account_id, inbox.c.conversation_id, inbox.c.sender, inbox.c.message_id)
_RECEIVED = inbox.c.status == "received"
_NEXT = select(func.min(inbox.c.received_at)).where(_RECEIVED)


class Unfinished(Duty):
    """Takes up what whoever received it has left; `again` is the engine that hears messages on this database."""

    def __init__(self, desk: Desk, again: Again) -> None:
        self._desk = desk
        self._again = again

    def due(self, connection: Connection, *, at: int, limit: int) -> Sequence[Key]:
        query = select(*_KEY).where(_RECEIVED, inbox.c.received_at <= at - LEFT).limit(limit)
        return [tuple(row) for row in connection.execute(query)]

    async def do(self, key: Key, _around: Around, /) -> None:
        found = await self._desk.database.read(lambda connection: received(self._desk, connection, key))
        if found is not None:
            await self._again(*found)

    def next_due(self, connection: Connection) -> int | None:
        received_at = connection.execute(_NEXT).scalar()
        return None if received_at is None else received_at + LEFT


def received(desk: Desk, connection: Connection, key: Key) -> tuple[Message, PolicyContext, Conversation] | None:
    """A message that was received and is not done, as it was meant when it was said: “tomorrow” is the day after that.

    `key` is (account, conversation, sender, message id). None: there is none that is left.
    """
    row = desk.records(connection).message(*key)
    if row is None or row.status == "done":
        return None
    account_id, conversation_id, sender, message_id = key
    message = Message(message_id=message_id, sender=sender, **read(row.message))
    policy = replace(desk.policy(row.policy), now=datetime.fromtimestamp(row.received_at / 1000, UTC))
    return message, policy, Conversation(account_id, conversation_id)
