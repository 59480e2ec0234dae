"""The rows of conversations with a graph: one transaction's view of one of them."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Row

from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.context import ContextStatus, SemanticContext
from mew_agents.fluxi.message import Conversation
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.statements import INSERT_DIALOGUE, INSERT_FLOW_EVENT, UPDATE_DIALOGUE
from mew_agents.fluxi.transaction import bound
from mew_agents.graphs.state import Asked, Dialogue, named

# A graph says nothing of when a question is over: it waits as long as it takes. The end of the year 9999, ms.
NEVER = 253_402_300_799_000


class Opened:
    """The dialogue of a participant, as a transaction has it. `save` writes it, once, with what came of it."""

    def __init__(self, records: Records, conversation: Conversation, participant: str, row: Row[Any] | None) -> None:
        self.records = records
        self.conversation = conversation
        self.participant = participant
        self._row = row
        stored = None if row is None else msgspec.json.decode(row.state, type=Dialogue)
        self.dialogue = stored or Dialogue(dialogue_id=named(conversation, participant))

    @classmethod
    def of(cls, records: Records, conversation: Conversation, participant: str) -> Opened:
        """The dialogue in a conversation whose turn is taken; a new one if there is none."""
        row = records.dialogue(conversation.account_id, conversation.conversation_id, participant)
        return cls(records, conversation, participant, row)

    @classmethod
    def known(cls, records: Records, dialogue_id: str) -> Opened | None:
        """The dialogue of an id, with the turn of its conversation."""
        row = records.take_dialogue(dialogue_id)
        if row is None:
            return None
        return cls(records, Conversation(row.account_id, row.conversation_id), row.participant, row)

    def change(self, **changes: Any) -> Dialogue:
        """The dialogue with other fields, from now on."""
        self.dialogue = msgspec.structs.replace(self.dialogue, **changes)
        return self.dialogue

    def ask(self, asked: Asked, *, at: int) -> str:
        """A question about what a node waits for; its id."""
        question_id = self.records.new_id()
        self.records.ask(
            SemanticContext(
                context_id=question_id,
                account_id=self.conversation.account_id,
                conversation_id=self.conversation.conversation_id,
                participant=self.participant,
                dialogue_id=self.dialogue.dialogue_id,
                kind="slot",
                path=asked.interrupt_id,
                proposed=asked.text,
                sent_at=None,
                expires_at=NEVER,
                created_at=at,
            )
        )
        self.change(
            asked=tuple(
                msgspec.structs.replace(one, question_id=question_id) if one is asked else one
                for one in self.dialogue.asked
            )
        )
        return question_id

    def start_over(self) -> None:
        """Whatever comes next begins where the thread has last come to an end, or anew if it never has."""
        dialogue = self.dialogue
        anew = 0 if dialogue.kept else 1
        self.change(asked=(), turn=None, back=not anew, generation=dialogue.generation + anew)

    def close(self, status: ContextStatus, *, by: str, at: int) -> None:
        """No question of it is open any more."""
        for question in self.records.open_of(self.dialogue.dialogue_id):
            self.records.settle(question, status, by=by, at=at)

    def save(self, type: str, *, cause: dict[str, Any], at: int, **effects: Any) -> None:
        """Writes it with the event that changed it: `type` and `cause`, and the ids of what came of it."""
        revision = 1 if self._row is None else self._row.revision + 1
        dialogue, turn = self.dialogue, self.dialogue.turn
        state = written(dialogue)
        row = {
            "revision": revision,
            "state": state,
            "top": None,
            "waiting": "question" if dialogue.open else "action" if turn else None,
            "suspended": None,
            "due_at": turn.received_at if turn else None,
            "changed_at": at,
        }
        key = {"dialogue_id": dialogue.dialogue_id}
        if self._row is None:
            place = {
                "account_id": self.conversation.account_id,
                "conversation_id": self.conversation.conversation_id,
                "participant": self.participant,
            }
            self.records.write(INSERT_DIALOGUE, {**key, **place, **row, "opened_at": at})
        else:
            self.records.write(UPDATE_DIALOGUE, {**bound(**key, revision=self._row.revision), **row})
        event = {"type": type, "cause": written(cause), "event": "{}", "delta": state, "effects": written(effects)}
        self.records.write(INSERT_FLOW_EVENT, {**key, "revision": revision, **event, "at": at})
