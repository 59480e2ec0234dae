"""The statements of Fluxi's records, made once: what is made once is compiled once.

In updates, names that begin with `_` say which row is meant.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, bindparam, func, literal_column, select
from sqlalchemy.sql.expression import Executable

from mew_agents.fluxi import tables
from mew_agents.fluxi.fsm import LIVE


def _where(table: Any, *names: str) -> Any:
    return [table.c[name] == bindparam(f"_{name}") for name in names]


def _is_live(state: Column[str]) -> Any:
    """Written out as in the index of live Works' keys, which is used for nothing else."""
    return state.in_([literal_column(f"'{one}'") for one in LIVE])


_W, _C, _X = tables.works.c, tables.external_effect_claims.c, tables.semantic_contexts.c

INSERT_DIALOGUE = tables.flow_dialogues.insert()
UPDATE_DIALOGUE = tables.flow_dialogues.update().where(*_where(tables.flow_dialogues, "dialogue_id", "revision"))
INSERT_FLOW_EVENT = tables.flow_events.insert()
INSERT_DECISION = tables.decision_events.insert()
INSERT_PROPOSAL = tables.proposed_works.insert()
SETTLE_PROPOSAL = tables.proposed_works.update().where(*_where(tables.proposed_works, "proposal_id", "status"))
INSERT_WORK = tables.works.insert()
UPDATE_WORK = tables.works.update().where(*_where(tables.works, "work_id", "revision"))
INSERT_SLOT = tables.work_slots.insert()
UPDATE_SLOT = tables.work_slots.update().where(*_where(tables.work_slots, "work_id", "path"))
DELETE_SLOT = tables.work_slots.delete().where(*_where(tables.work_slots, "work_id", "path"))
INSERT_EVENT = tables.work_events.insert()
INSERT_CONTEXT = tables.semantic_contexts.insert()
UPDATE_CONTEXT = tables.semantic_contexts.update().where(*_where(tables.semantic_contexts, "context_id", "status"))
INSERT_CLAIM = tables.external_effect_claims.insert()
UPDATE_CLAIM = tables.external_effect_claims.update().where(
    *_where(tables.external_effect_claims, "claim_id", "status", "fence")
)
INSERT_ATTEMPT = tables.effect_attempts.insert()
UPDATE_ATTEMPT = tables.effect_attempts.update().where(*_where(tables.effect_attempts, "claim_id", "attempt"))
INSERT_EFFECT = tables.external_effects.insert()
INSERT_REPLY = tables.outbox.insert()
INSERT_MESSAGE = tables.inbox.insert()
UPDATE_MESSAGE = tables.inbox.update().where(
    *_where(tables.inbox, "account_id", "conversation_id", "sender", "message_id")
)

# Parents before their children, and who lets go of a key before who takes it; and what must change exactly one row, or
# nobody has changed it in between.
ORDER: tuple[Executable, ...] = (
    INSERT_DIALOGUE, UPDATE_DIALOGUE, INSERT_FLOW_EVENT, INSERT_DECISION, INSERT_PROPOSAL, SETTLE_PROPOSAL,
    UPDATE_WORK, INSERT_WORK, INSERT_SLOT, UPDATE_SLOT, DELETE_SLOT, INSERT_EVENT, INSERT_CONTEXT, UPDATE_CONTEXT,
    INSERT_CLAIM, UPDATE_CLAIM, INSERT_ATTEMPT, UPDATE_ATTEMPT, INSERT_EFFECT, INSERT_REPLY, INSERT_MESSAGE,
    UPDATE_MESSAGE,
)  # fmt: skip
EXACTLY_ONE = (UPDATE_DIALOGUE, SETTLE_PROPOSAL, UPDATE_WORK, UPDATE_CONTEXT, UPDATE_CLAIM)

LOCK = (
    select(tables.conversations.c.account_id)
    .where(*_where(tables.conversations, "account_id", "conversation_id"))
    .with_for_update()
)
NEW_CONVERSATION = tables.conversations.insert()
_CONVERSATION_KEY = ("account_id", "conversation_id")
MESSAGE_KEY = (*_CONVERSATION_KEY, "sender", "message_id")
ONE_MESSAGE = select(tables.inbox).where(*_where(tables.inbox, *MESSAGE_KEY))
DECISIONS = select(tables.decision_events).where(*_where(tables.decision_events, *MESSAGE_KEY))
ONE_WORK = select(tables.works).where(*_where(tables.works, "work_id"))
PLACE = select(_W.account_id, _W.conversation_id).where(*_where(tables.works, "work_id"))
# What is a part of a dialogue is its affair: no message finds it.
LIVE_HERE = (
    select(tables.works)
    .where(*_where(tables.works, *_CONVERSATION_KEY), _is_live(_W.state), _W.part_of.is_(None))
    .order_by(_W.opened_at, _W.work_id)
)
_NEWEST_OF = (
    select(tables.works)
    .where(*_where(tables.works, *_CONVERSATION_KEY, "owner"), _W.part_of.is_(None))
    .order_by(_W.opened_at.desc(), _W.work_id.desc())
)
LAST_OF = _NEWEST_OF.limit(1)
RECENT_OF = _NEWEST_OF.limit(10)
SLOTS = select(tables.work_slots).where(*_where(tables.work_slots, "work_id"))
EVENTS = (
    select(tables.work_events).where(*_where(tables.work_events, "work_id")).order_by(tables.work_events.c.revision)
)
HOLDER = select(_W.work_id).where(*_where(tables.works, "account_id", "aggregate_key"), _is_live(_W.state))
PENDING_HERE = select(tables.semantic_contexts).where(
    *_where(tables.semantic_contexts, *_CONVERSATION_KEY),
    _X.participant == bindparam("participant"),
    _X.status == "pending",
    _X.dialogue_id.is_(None),
)
PENDING_OF = select(tables.semantic_contexts).where(_X.work_id == bindparam("work_id"), _X.status == "pending")
CONTEXT_HERE = select(tables.semantic_contexts).where(
    *_where(tables.semantic_contexts, *_CONVERSATION_KEY, "context_id"),
    _X.participant == bindparam("participant"),
    _X.dialogue_id.is_(None),
)
OPEN_OF = (
    select(tables.semantic_contexts)
    .where(*_where(tables.semantic_contexts, "dialogue_id"), _X.settled_at.is_(None))
    .order_by(_X.created_at, _X.context_id)
)
LAST_CLOSED = (
    select(tables.semantic_contexts)
    .where(*_where(tables.semantic_contexts, "dialogue_id"), _X.settled_at.is_not(None))
    .order_by(_X.settled_at.desc(), _X.context_id.desc())
    .limit(1)
)
_ASKING = select(tables.outbox.c.context_id).where(tables.outbox.c.message_id == bindparam("reference"))
QUESTION_OF = select(tables.semantic_contexts).where(
    *_where(tables.semantic_contexts, "dialogue_id"),
    _X.context_id == func.coalesce(_ASKING.scalar_subquery(), bindparam("reference")),
)
ASKED_IN = select(tables.outbox.c.context_id, tables.outbox.c.work_id).where(
    *_where(tables.outbox, *_CONVERSATION_KEY, "message_id")
)
SAID = select(tables.outbox.c.conversation_id, tables.outbox.c.recipient).where(
    *_where(tables.outbox, "account_id", "message_id")
)
ASKED = select(_X.conversation_id, _X.participant).where(*_where(tables.semantic_contexts, "account_id", "context_id"))
CLAIMS = (
    select(tables.external_effect_claims)
    .where(*_where(tables.external_effect_claims, "work_id"))
    .order_by(_C.position, _C.claimed_at)
)
ONE_CLAIM = select(tables.external_effect_claims).where(*_where(tables.external_effect_claims, "claim_id"))
ATTEMPTS = (
    select(tables.effect_attempts)
    .where(*_where(tables.effect_attempts, "claim_id"))
    .order_by(tables.effect_attempts.c.attempt)
)
EFFECTS = select(tables.external_effects).where(*_where(tables.external_effects, "work_id"))
PROPOSED = (
    select(tables.proposed_works)
    .where(
        *_where(tables.proposed_works, *_CONVERSATION_KEY, "sender"),
        tables.proposed_works.c.status == "pending",
        tables.proposed_works.c.part_of.is_(None),
    )
    .order_by(tables.proposed_works.c.proposed_at, tables.proposed_works.c.proposal_id)
)
MESSAGE_OF = (
    select(tables.inbox)
    .join(
        tables.decision_events,
        (tables.decision_events.c.account_id == tables.inbox.c.account_id)
        & (tables.decision_events.c.conversation_id == tables.inbox.c.conversation_id)
        & (tables.decision_events.c.sender == tables.inbox.c.sender)
        & (tables.decision_events.c.message_id == tables.inbox.c.message_id),
    )
    .join(tables.proposed_works, tables.proposed_works.c.decision_id == tables.decision_events.c.decision_id)
    .where(*_where(tables.proposed_works, "proposal_id"))
)
ONE_PROPOSAL = select(tables.proposed_works).where(*_where(tables.proposed_works, "proposal_id"))
_DIALOGUE_KEY = (*_CONVERSATION_KEY, "participant")
ONE_DIALOGUE = select(tables.flow_dialogues).where(*_where(tables.flow_dialogues, *_DIALOGUE_KEY))
DIALOGUE_BY_ID = select(tables.flow_dialogues).where(*_where(tables.flow_dialogues, "dialogue_id"))
DIALOGUE_PLACE = select(tables.flow_dialogues.c.account_id, tables.flow_dialogues.c.conversation_id).where(
    *_where(tables.flow_dialogues, "dialogue_id")
)
FLOW_EVENTS = (
    select(tables.flow_events).where(*_where(tables.flow_events, "dialogue_id")).order_by(tables.flow_events.c.revision)
)
