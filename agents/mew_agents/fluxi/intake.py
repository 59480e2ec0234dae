"""The inbox: each message is taken once, and its result is kept with it (docs/fluxi.md §2.0)."""

from __future__ import annotations

import hashlib
from typing import Any

from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.catalogue import Catalogue
from mew_agents.fluxi.desk import plain_result
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.records import Records, message_key
from mew_agents.fluxi.replies import say
from mew_agents.fluxi.statements import INSERT_MESSAGE, UPDATE_MESSAGE


class Intake:
    """One message in one transaction, which has the turn of its conversation from here on.

    `key` is (account, conversation, sender, message id). What it writes goes out with the records' `flush`. No row is
    written under the policy's mode `suggest`: whoever only suggests does not call `file`.
    """

    def __init__(
        self,
        records: Records,
        catalogue: Catalogue,
        message: Message,
        policy: PolicyContext,
        conversation: Conversation,
    ) -> None:
        self._records = records
        self._catalogue = catalogue
        self._message = message
        self._policy = policy
        records.lock(conversation.account_id, conversation.conversation_id)
        self.key = (conversation.account_id, conversation.conversation_id, message.sender, message.message_id)
        self._known = records.message(*self.key)

    @property
    def received(self) -> bool:
        """It came before, and may have been left there."""
        return self._known is not None

    @property
    def done(self) -> bool:
        """It came before, and its result is kept."""
        return self._known is not None and self._known.status == "done"

    def result(self) -> Result | None:
        """The result of a message that came before, or that its id was another one's; None: it is to be taken now."""
        if self._known is None:
            return None
        if self._known.content_hash != _content(self._message):
            return Result(kind="failed", text=say("duplicate", self._policy), reason_code="message_id_reused")
        return Result(**read(self._known.result)) if self.done else None

    def receive(self) -> None:
        """Puts it on record before its turn, which takes time; whoever finds it so for long takes it up again."""
        if self._policy.mode == "auto" and not self.received:
            self._insert({"status": "received", "result": None, "done_at": None}, at=self._policy.at)

    def file(self, result: Result, *, at: int) -> None:
        """It is done, and this came of it."""
        done = {"status": "done", "result": written(plain_result(result)), "done_at": at}
        if self.received:
            self._records.write(UPDATE_MESSAGE, {**message_key(*self.key), **done})
        else:
            self._insert(done, at=at)

    def discard(self, reason_code: str) -> None:
        """It is done with, and nothing comes of it; unless something has."""
        if not self.done:
            self.file(Result(kind="no_action", text="", reason_code=reason_code), at=self._policy.at)

    def _insert(self, standing: dict[str, Any], *, at: int) -> None:
        message = self._message
        account_id, conversation_id, sender, message_id = self.key
        row = {
            "account_id": account_id,
            "conversation_id": conversation_id,
            "sender": sender,
            "message_id": message_id,
            "content_hash": _content(message),
            "message": written({"text": message.text, "answers": message.answers, "arrived": message.arrived}),
            "policy": self._catalogue.manner(self._policy),
            "received_at": at,
        }
        self._records.write(INSERT_MESSAGE, {**row, **standing})


def _content(message: Message) -> str:
    return hashlib.sha256(written([message.text, message.answers]).encode()).hexdigest()
