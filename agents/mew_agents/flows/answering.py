"""Whether a message may answer what is asked: a question is its participant's own, and is answered after it went out.

The rules are those of Fluxi's confirmations (docs/fluxi.md §3); the rows are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from mew_agents.flows.commands import Affirm, AnyCommand, Deny
from mew_agents.flows.state import Asked, Dialogue
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.message import Message
from mew_agents.fluxi.records import Records


def closed(records: Records, dialogue: Dialogue, message: Message) -> bool:
    """Whether the message correlates to a question that is open no longer.

    A slot that is asked for again is asked for with the newer question: whoever answers the older one means the same.
    """
    question = _meant(records, dialogue, message)
    if question is None or question.status == "pending":
        return False
    asked = _asked(dialogue)
    again = asked is not None and asked.wants == "value" and asked.path == question.path
    return not (again and question.status in ("superseded", "void"))


def refusal(
    records: Records, dialogue: Dialogue, message: Message, commands: Sequence[AnyCommand], *, at: int
) -> str | None:
    """Why a yes or a no is no answer to the open question, if it is one; a code."""
    if not any(isinstance(one, Affirm | Deny) for one in commands) or _asked(dialogue) is None:
        return None
    meant = _meant(records, dialogue, message)
    if meant is not None:
        return None
    place = dialogue.account_id, dialogue.conversation_id, dialogue.participant
    if message.answers is not None and records.said_to_another(*place, message.answers):
        return "not_yours"
    asked = _asked(dialogue)
    for question in records.open_of(dialogue.dialogue_id):
        if asked is not None and question.context_id == asked.question_id:
            return None if _came_after(message, question, at=at) else "question_not_out"
    return None


def _came_after(message: Message, question: SemanticContext, *, at: int) -> bool:
    """A yes that was on its way before the question went out is no answer to it."""
    arrived = at if message.arrived is None else message.arrived
    return at >= question.created_at and question.sent_at is not None and arrived > question.sent_at


def _meant(records: Records, dialogue: Dialogue, message: Message) -> SemanticContext | None:
    if message.answers is None:
        return None
    return records.question_of(dialogue.dialogue_id, message.answers)


def _asked(dialogue: Dialogue) -> Asked | None:
    return None if dialogue.top is None else dialogue.top.asked
