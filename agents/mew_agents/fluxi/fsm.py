"""The states of a Work and every transition between them, as one table (docs/fluxi.md §3; seed 002 §3.4).

Documentation and diagram are generated from it. Each row is one event: each event counts the revision up by one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class State(StrEnum):
    """Where a Work stands."""

    CREATED = "CREATED"
    ACTIVE = "ACTIVE"
    WAITING_USER = "WAITING_USER"
    WAITING_CONFIRMATION = "WAITING_CONFIRMATION"
    EXECUTING = "EXECUTING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"
    CANCELLED = "CANCELLED"


class Event(StrEnum):
    """What happened to a Work."""

    WORK_OPENED = "work_opened"
    STATE_CHANGED = "state_changed"
    DELTA_COMMITTED = "delta_committed"
    SLOT_REQUESTED = "slot_requested"
    INPUT_UNRESOLVED = "input_unresolved"
    CONFIRMATION_REQUESTED = "semantic_confirmation_requested"
    SEMANTIC_COMMIT = "semantic_commit"
    SEMANTIC_REJECTED = "semantic_rejected"
    SEMANTIC_SUPERSEDED = "semantic_superseded"
    SEMANTIC_EXPIRED = "semantic_expired"
    EFFECT_CLAIMED = "external_effect_claimed"
    EFFECT_CLAIM_FAILED = "external_effect_claim_failed"
    EFFECT_PROPOSED = "external_effect_proposed"
    EFFECT_RECORDED = "external_effect_recorded"
    EFFECT_IN_DOUBT = "external_effect_in_doubt"
    EFFECT_RECONCILED = "external_effect_reconciled"
    RETRY_SCHEDULED = "retry_scheduled"
    WORK_COMPLETED = "work_completed"
    WORK_FAILED = "work_failed"
    WORK_CANCELLED = "work_cancelled"
    CANCEL_REQUESTED = "cancel_requested"
    WORK_SUSPENDED = "work_suspended"
    WORK_RESUMED = "work_resumed"
    EXPIRED = "expired"
    WORK_REOPENED = "work_reopened"


class Transition(NamedTuple):
    """One row: in `source` (None: there is no Work yet), `event` leads to `target`; `when` says it in words."""

    source: State | None
    event: Event
    target: State
    when: str


class IllegalTransition(Exception):
    """An event that the table does not have in this state: a fault of the program, nothing was written."""

    def __init__(self, source: State | None, event: Event, target: State) -> None:
        super().__init__(f"no transition {source or '∅'} –{event}→ {target}")


_S, _E = State, Event

# A Work in one of these holds its aggregate key and may still have an effect.
LIVE: Final = (_S.CREATED, _S.ACTIVE, _S.WAITING_USER, _S.WAITING_CONFIRMATION, _S.EXECUTING)
# Only a late yes leads out of EXPIRED; nothing leads out of the others.
ENDED: Final = (_S.COMPLETED, _S.FAILED, _S.CANCELLED, _S.EXPIRED)
# In these a Work waits for a person, and its time runs.
WAITING: Final = (_S.WAITING_USER, _S.WAITING_CONFIRMATION)
EXPIRING: Final = (_S.CREATED, _S.ACTIVE, *WAITING)


def _stays(states: tuple[State, ...], event: Event, when: str) -> tuple[Transition, ...]:
    return tuple(Transition(state, event, state, when) for state in states)


def _leads(states: tuple[State, ...], event: Event, target: State, when: str) -> tuple[Transition, ...]:
    return tuple(Transition(state, event, target, when) for state in states)


# What happens to a claim; of an ended Work: its compensation.
_EFFECT_EVENTS = {
    _E.EFFECT_CLAIMED: "an effect is claimed (of an ended Work: its compensation)",
    _E.EFFECT_CLAIM_FAILED: "somebody else holds the claim: no call",
    _E.EFFECT_PROPOSED: "the call was proposed to a person, because the agent may not make it",
    _E.EFFECT_RECORDED: "a definite outcome was recorded",
    _E.RETRY_SCHEDULED: "a recoverable error with attempts left: same claim, same key",
    _E.EFFECT_IN_DOUBT: "the outcome is unknown after a crash or a timeout",
    _E.EFFECT_RECONCILED: "the doubt was resolved: by the history, by asking the tool, by an operator",
}

TABLE: Final[tuple[Transition, ...]] = (
    Transition(None, _E.WORK_OPENED, _S.CREATED, "the gate was passed; the proposal is opened, once"),
    Transition(_S.CREATED, _E.STATE_CHANGED, _S.ACTIVE, "its first slots are stored"),
    Transition(_S.ACTIVE, _E.DELTA_COMMITTED, _S.ACTIVE, "valid slots"),
    Transition(_S.ACTIVE, _E.SLOT_REQUESTED, _S.WAITING_USER, "a required slot is missing: one question"),
    Transition(_S.WAITING_USER, _E.DELTA_COMMITTED, _S.ACTIVE, "the question was answered"),
    *_stays(WAITING, _E.INPUT_UNRESOLVED, "nothing usable was said: asked again"),
    Transition(
        _S.ACTIVE,
        _E.CONFIRMATION_REQUESTED,
        _S.WAITING_CONFIRMATION,
        "a slot is ambiguous or critical, or all are there and the effect wants a yes",
    ),
    Transition(_S.WAITING_CONFIRMATION, _E.SEMANTIC_COMMIT, _S.ACTIVE, "yes to a slot"),
    Transition(_S.WAITING_CONFIRMATION, _E.SEMANTIC_REJECTED, _S.ACTIVE, "no"),
    Transition(_S.WAITING_CONFIRMATION, _E.SEMANTIC_SUPERSEDED, _S.ACTIVE, "a new value"),
    Transition(_S.WAITING_CONFIRMATION, _E.SEMANTIC_EXPIRED, _S.ACTIVE, "the question expired: asked anew"),
    Transition(_S.WAITING_CONFIRMATION, _E.SEMANTIC_COMMIT, _S.EXECUTING, "yes to the execution: claimed with it"),
    Transition(_S.ACTIVE, _E.SEMANTIC_COMMIT, _S.EXECUTING, "no yes is wanted: the engine mints a consumed context"),
    Transition(_S.ACTIVE, _E.SEMANTIC_COMMIT, _S.ACTIVE, "yes to a slot of a reopened Work"),
    Transition(_S.ACTIVE, _E.WORK_COMPLETED, _S.COMPLETED, "no effects, everything is committed"),
    *(row for event, when in _EFFECT_EVENTS.items() for row in _stays((_S.EXECUTING,), event, when)),
    *(row for event, when in _EFFECT_EVENTS.items() for row in _stays(ENDED[:3], event, when)),
    Transition(
        _S.WAITING_CONFIRMATION, _E.EFFECT_CLAIM_FAILED, _S.WAITING_CONFIRMATION, "somebody else holds the claim"
    ),
    Transition(_S.EXECUTING, _E.WORK_COMPLETED, _S.COMPLETED, "all required effects are done"),
    Transition(_S.EXECUTING, _E.WORK_FAILED, _S.FAILED, "fatal, or attempts exhausted and proven not applied"),
    Transition(_S.EXECUTING, _E.CANCEL_REQUESTED, _S.EXECUTING, "a call is out, or a proposal is being withdrawn"),
    *_leads(LIVE, _E.WORK_CANCELLED, _S.CANCELLED, "by the user or an operator; never while a call is out"),
    *_stays(LIVE, _E.WORK_SUSPENDED, "a person must look, an emergency halts it, an effect is in doubt"),
    *_stays(LIVE, _E.WORK_RESUMED, "an operator, the end of the halt, or the end of the doubt"),
    *_leads(EXPIRING, _E.EXPIRED, _S.EXPIRED, "its time is over; EXECUTING never expires"),
    *_stays(ENDED[:3], _E.SEMANTIC_COMMIT, "yes to undoing what was done: it is compensated"),
    Transition(_S.EXPIRED, _E.WORK_REOPENED, _S.ACTIVE, "a late yes while its question is valid; checked again"),
)

_ALLOWED: Final = frozenset((row.source, row.event, row.target) for row in TABLE)


def check(source: State | None, event: Event, target: State) -> None:
    """Raises IllegalTransition for what is not in the table."""
    if (source, event, target) not in _ALLOWED:
        raise IllegalTransition(source, event, target)
