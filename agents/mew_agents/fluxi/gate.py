"""The gate between a proposal and a Work: deterministic, and everything it refuses has a reason (seed 002 §3.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from mew_agents.fluxi.arguments import aggregate_key
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.message import Conversation
from mew_agents.fluxi.records import Records

Reason: TypeAlias = Literal["not_allowed", "no_binding", "busy", "conflict"]


def allowed(definition: Definition | None, account_id: str) -> bool:
    """The definition exists, is current, and the account may use it."""
    return definition is not None and definition.policies.allows(account_id)


def refusal(
    records: Records,
    definition: Definition,
    conversation: Conversation,
    values: Mapping[str, Any],
    bound: bool,
    *,
    itself: str | None = None,
) -> Reason | None:
    """Why no Work may open, or be reopened (`itself`), with these committed values.

    `bound`: the message has evidence for it: a value of a binding attribute, or the words that ask for the operation.
    """
    if not bound:
        return "no_binding"
    if definition.policies.concurrency == "one" and _busy(records, conversation, itself):
        return "busy"
    key = aggregate_key(definition, values)
    if key is not None and records.holder(conversation.account_id, key) not in (None, itself):
        return "conflict"
    return None


def _busy(records: Records, conversation: Conversation, itself: str | None) -> bool:
    """A live Work in the conversation; one in doubt keeps its key but is not active (docs/fluxi.md §2.1)."""
    live = records.live_in(conversation.account_id, conversation.conversation_id)
    return any(work.work_id != itself and work.suspended_reason != "in_doubt" for work in live)
