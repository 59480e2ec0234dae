"""What goes on with a guest who was removed from the space ends, and is on record with that reason.

Names come again: whoever is called so later answers no question of theirs, and gets no reply (docs/protocol.md §2).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from sqlalchemy import Connection, select, union

from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.desk import Desk, plain_result
from mew_agents.fluxi.fsm import LIVE
from mew_agents.fluxi.message import Conversation, Result
from mew_agents.fluxi.operators import Operators
from mew_agents.fluxi.ports import REMOVED
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.tables import flow_dialogues, inbox, outbox, proposed_works, semantic_contexts, works

_UNSETTLED = (
    (works, works.c.state.in_(LIVE) & works.c.cancel_requested.is_(None)),
    (inbox, inbox.c.status == "received"),
    (proposed_works, proposed_works.c.status == "pending"),
    (semantic_contexts, semantic_contexts.c.status == "pending"),
    (outbox, outbox.c.status == "waiting"),
    (flow_dialogues, flow_dialogues.c.waiting.is_not(None) | flow_dialogues.c.top.is_not(None)),
)


class Removal:
    """Ends what goes on in the conversations of guests who were removed."""

    def __init__(self, desk: Desk, operators: Operators) -> None:
        self._desk = desk
        self._operators = operators

    async def unsettled(self, account_id: str, prefix: str) -> Sequence[str]:
        """The conversations of an account whose ids begin so and where something goes on, waits, or is to be said."""

        def find(connection: Connection) -> Sequence[str]:
            here = [
                select(table.c.conversation_id).where(
                    table.c.account_id == account_id,
                    table.c.conversation_id.startswith(prefix, autoescape=True),
                    goes_on,
                )
                for table, goes_on in _UNSETTLED
            ]
            return sorted(connection.execute(union(*here)).scalars())

        return await self._desk.database.read(find)

    async def part(self, conversation: Conversation) -> None:
        """Ends it: what waits for a person or for another Work never opens, messages that nobody has dealt with are
        done with, questions are void, and the live Works are cancelled; one whose call is out, when it is known what
        came of that."""
        await self._desk.write(lambda connection: self._settle(connection, conversation), point="operator")
        for work_id in await self._desk.database.read(lambda connection: _live(connection, conversation)):
            with suppress(Refused):  # it has ended
                await self._operators.cancel(work_id, by=REMOVED, account_id=conversation.account_id)
        await self._desk.write(lambda connection: self._void(connection, conversation), point="operator")

    def _void(self, connection: Connection, conversation: Conversation) -> None:
        """What is asked about a Work that has ended, too."""
        self._desk.records(connection).lock(conversation.account_id, conversation.conversation_id)
        table = semantic_contexts
        here = (table.c.account_id == conversation.account_id) & (
            table.c.conversation_id == conversation.conversation_id
        )
        over = {"status": "void", "settled_by": REMOVED, "settled_at": self._desk.now}
        connection.execute(table.update().where(here, table.c.status == "pending").values(**over))

    def _settle(self, connection: Connection, conversation: Conversation) -> None:
        place = (conversation.account_id, conversation.conversation_id)
        self._desk.records(connection).lock(*place)
        at = self._desk.now
        nothing = written(plain_result(Result(kind="no_action", text="", reason_code=REMOVED)))
        for table, is_open, over in (
            (inbox, inbox.c.status == "received", {"status": "done", "result": nothing, "done_at": at}),
            (
                proposed_works,
                (proposed_works.c.status == "pending") & proposed_works.c.part_of.is_(None),
                {"status": "discarded", "reason": REMOVED, "settled_at": at},
            ),
        ):
            here = (table.c.account_id == place[0]) & (table.c.conversation_id == place[1])
            connection.execute(table.update().where(here, is_open).values(**over))


def _live(connection: Connection, conversation: Conversation) -> Sequence[str]:
    """Its live Works that are not to be cancelled already. Parts of dialogues are the dialogues' to end."""
    here = (works.c.account_id == conversation.account_id) & (works.c.conversation_id == conversation.conversation_id)
    mine = works.c.part_of.is_(None) & works.c.cancel_requested.is_(None)
    query = select(works.c.work_id).where(here, mine, works.c.state.in_(LIVE)).order_by(works.c.opened_at)
    return connection.execute(query).scalars().all()
