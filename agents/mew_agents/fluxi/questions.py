"""The questions of one transaction, of Works and of dialogues: whose they are, and how each is closed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Connection, Row

from mew_agents.fluxi import statements
from mew_agents.fluxi.context import ContextStatus, SemanticContext
from mew_agents.fluxi.rows import context_of, context_row
from mew_agents.fluxi.transaction import Transaction, bound


class Questions(Transaction):
    """What was asked of whom. A question that this transaction has closed is open to none of its later reads.

    What a transaction asks itself is found by the next one.
    """

    def __init__(self, connection: Connection, *, new_id: Callable[[], str]) -> None:
        super().__init__(connection, new_id=new_id)
        self._closed: set[str] = set()

    def ask(self, question: SemanticContext) -> None:
        """A new question, of a Work or of a dialogue."""
        self.write(statements.INSERT_CONTEXT, context_row(question))

    def pending(self, account_id: str, conversation_id: str, participant: str) -> list[SemanticContext]:
        """The open questions to a participant in a conversation, oldest first."""
        key = bound(account_id=account_id, conversation_id=conversation_id)
        rows = self._all(statements.PENDING_HERE, {**key, "participant": participant})
        return sorted(self._open(rows), key=lambda one: (one.created_at, one.context_id))

    def pending_of(self, work_id: str) -> list[SemanticContext]:
        """The open questions of a Work."""
        return self._open(self._all(statements.PENDING_OF, {"work_id": work_id}))

    def question(
        self, account_id: str, conversation_id: str, participant: str, reference: str
    ) -> SemanticContext | None:
        """The question with this id, or asked in the message with this id; of others there is none."""
        key = bound(account_id=account_id, conversation_id=conversation_id)
        asked = self._first(statements.ASKED_IN, {**key, "_message_id": reference})
        context_id = asked.context_id if asked is not None and asked.context_id else reference
        row = self._first(statements.CONTEXT_HERE, {**key, "_context_id": context_id, "participant": participant})
        return None if row is None else context_of(row)

    def said_to_another(self, account_id: str, conversation_id: str, participant: str, reference: str) -> bool:
        """Whether this is the id of a message, or of a question, to somebody else, or in another conversation."""
        said = self._first(statements.SAID, bound(account_id=account_id, message_id=reference))
        said = said or self._first(statements.ASKED, bound(account_id=account_id, context_id=reference))
        return said is not None and tuple(said) != (conversation_id, participant)

    def said_about(self, account_id: str, conversation_id: str, message_id: str) -> str | None:
        """The Work that an outgoing message was about."""
        key = bound(account_id=account_id, conversation_id=conversation_id, message_id=message_id)
        row = self._first(statements.ASKED_IN, key)
        return None if row is None else row.work_id

    def settle(self, context: SemanticContext, status: ContextStatus, *, by: str, at: int) -> None:
        """Closes an open question, once."""
        self.close(context.context_id, status, by=by, at=at)

    def close(self, context_id: str, status: ContextStatus, *, by: str, at: int) -> None:
        """Closes the open question of an id, once."""
        change = {"status": status, "settled_by": by, "settled_at": at}
        self._closed.add(context_id)
        self.write(statements.UPDATE_CONTEXT, {**bound(context_id=context_id, status="pending"), **change})

    def _open(self, rows: Iterable[Row[Any]]) -> list[SemanticContext]:
        """The questions of these rows that this transaction has not closed: its writes are not in the database yet."""
        return [context_of(row) for row in rows if row.context_id not in self._closed]

    # Of dialogues

    def open_of(self, dialogue_id: str) -> list[SemanticContext]:
        """The open questions of a dialogue, oldest first."""
        return self._open(self._all(statements.OPEN_OF, bound(dialogue_id=dialogue_id)))

    def question_of(self, dialogue_id: str, reference: str) -> SemanticContext | None:
        """The question of a dialogue with this id, or asked in the message with this id; of others there is none."""
        row = self._first(statements.QUESTION_OF, {**bound(dialogue_id=dialogue_id), "reference": reference})
        return None if row is None else context_of(row)

    def last_closed(self, dialogue_id: str) -> SemanticContext | None:
        """The question of a dialogue that was closed last: its `status`, `settled_by` and `settled_at` say how."""
        row = self._first(statements.LAST_CLOSED, bound(dialogue_id=dialogue_id))
        return None if row is None else context_of(row)
