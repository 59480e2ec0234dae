"""The threads of a graph that are at work, or wait to be told something: for people."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection, select

from mew_agents.fluxi.tables import flow_dialogues
from mew_agents.graphs.state import Dialogue

_D = flow_dialogues.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A thread, whom it is with, and what it asks them; `question` None: it is at work. `changed_at` in ms."""

    thread_id: str
    participant: str
    conversation_id: str
    question: str | None
    changed_at: int


def standing(connection: Connection, *, account_id: str, prefix: str, limit: int) -> list[Standing]:
    """The threads of an account, in conversations whose ids begin with `prefix`, the newest first."""
    mine = (_D.account_id == account_id) & _D.conversation_id.startswith(prefix, autoescape=True)
    query = select(flow_dialogues).where(mine, _D.waiting.is_not(None)).order_by(_D.changed_at.desc()).limit(limit)
    return [
        _standing(msgspec.json.decode(row.state, type=Dialogue), row.participant, row.conversation_id, row.changed_at)
        for row in connection.execute(query)
    ]


def _standing(dialogue: Dialogue, participant: str, conversation_id: str, changed_at: int) -> Standing:
    asked = dialogue.open
    return Standing(
        thread_id=dialogue.thread_id,
        participant=participant,
        conversation_id=conversation_id,
        question=None if asked is None else asked.text,
        changed_at=changed_at,
    )
