"""Flows that are under way, for people: read only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, select

from mew_agents.flows import effects, events, state
from mew_agents.flows.effects import AnyEffect
from mew_agents.flows.events import AnyEvent
from mew_agents.flows.state import Dialogue, Ended, FlowDelta, Frame, Line, read_delta
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.tables import flow_dialogues, flow_events

Waiting = Literal["question", "action", "effect", "turn"]

# Dialogues that a part of an id is looked for among, and the shortest part that is one.
_FITTING, _LEAST = 5, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowLine:
    """A flow that is under way. `waits`: for what, None of one that waits below another; times in ms."""

    flow_id: str
    name: str
    version: str
    step: str | None
    participant: str
    conversation_id: str
    account_id: str
    waits: Waiting | None
    asked: str | None
    suspended: str | None
    work_id: str | None
    values: Mapping[str, Any]
    changed_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDialogue:
    """A dialogue, with its flows that are under way, the one at hand first, and the one that ended last.

    `question`: what the agent asked last, if an answer to it is waited for; times in ms.
    """

    dialogue_id: str
    participant: str
    conversation_id: str
    account_id: str
    flows: tuple[FlowLine, ...]
    last: Ended | None
    suspended: str | None
    question: str | None
    revision: int
    opened_at: int
    changed_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One event of a dialogue as it is on record."""

    revision: int
    type: str
    at: int
    cause: Mapping[str, Any]
    event: AnyEvent
    delta: FlowDelta
    effects: tuple[AnyEffect, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueSheet:
    """A dialogue with everything that happened in it, in order, and its flows, the one at hand first."""

    dialogue: Dialogue
    flows: tuple[FlowLine, ...]
    events: tuple[Recorded, ...]
    history: tuple[Line, ...]


def flows(
    connection: Connection, *, account_id: str | None = None, conversation_id: str | None = None, limit: int = 100
) -> list[FlowLine]:
    """The flows that are under way, what changed last first."""
    query = _narrowed(select(flow_dialogues), account_id, conversation_id).where(flow_dialogues.c.top.is_not(None))
    rows = connection.execute(query.order_by(flow_dialogues.c.changed_at.desc()).limit(limit)).all()
    return [line for row in rows for line in _lines(row)][:limit]


def dialogues(
    connection: Connection,
    *,
    under_way: bool,
    account_id: str | None = None,
    conversation_id: str | None = None,
    participant: str | None = None,
    limit: int = 100,
) -> list[ListedDialogue]:
    """The dialogues, what changed last first. `under_way`: only those in which a flow is."""
    query = _narrowed(select(flow_dialogues), account_id, conversation_id)
    if under_way:
        query = query.where(flow_dialogues.c.top.is_not(None))
    if participant is not None:
        query = query.where(flow_dialogues.c.participant == participant)
    rows = connection.execute(query.order_by(flow_dialogues.c.changed_at.desc()).limit(limit)).all()
    return [_listed(row) for row in rows]


def fitting(connection: Connection, typed: str, *, account_id: str | None = None) -> list[str]:
    """The ids of dialogues that somebody who typed the beginning of one can mean, a few at most; of a flow's id, too.

    An id that is typed whole is meant itself.
    """
    part, column = typed.partition(".")[0], flow_dialogues.c.dialogue_id
    query = _narrowed(select(column), account_id, None)
    if connection.execute(query.where(column == part)).first() is not None:
        return [part]
    if len(part) < _LEAST:
        return []
    query = query.where(column.startswith(part, autoescape=True)).order_by(column).limit(_FITTING)
    return list(connection.execute(query).scalars())


def dialogue(connection: Connection, id: str, *, account_id: str | None = None) -> DialogueSheet | None:
    """A dialogue by its id or by that of a flow in it."""
    dialogue_id = id.partition(".")[0]
    row = connection.execute(select(flow_dialogues).where(flow_dialogues.c.dialogue_id == dialogue_id)).first()
    if row is None or account_id not in (None, row.account_id):
        return None
    found = state.read(row.state)
    return DialogueSheet(
        dialogue=found,
        flows=tuple(_lines(row)),
        events=tuple(recorded(connection, dialogue_id)),
        history=found.history,
    )


def recorded(connection: Connection, dialogue_id: str) -> list[Recorded]:
    """Everything that happened in a dialogue, in order."""
    query = select(flow_events).where(flow_events.c.dialogue_id == dialogue_id).order_by(flow_events.c.revision)
    return [
        Recorded(
            revision=row.revision,
            type=row.type,
            at=row.at,
            cause=read(row.cause),
            event=events.read(row.event),
            delta=read_delta(row.delta),
            effects=effects.read(row.effects),
        )
        for row in connection.execute(query)
    ]


def _narrowed(query: Select[Any], account_id: str | None, conversation_id: str | None) -> Select[Any]:
    if account_id is not None:
        query = query.where(flow_dialogues.c.account_id == account_id)
    if conversation_id is not None:
        query = query.where(flow_dialogues.c.conversation_id == conversation_id)
    return query


def _listed(row: Row[Any]) -> ListedDialogue:
    found = state.read(row.state)
    said = found.history[-1].text if found.history and found.history[-1].who == "agent" else None
    return ListedDialogue(
        dialogue_id=row.dialogue_id,
        participant=row.participant,
        conversation_id=row.conversation_id,
        account_id=row.account_id,
        flows=tuple(_lines(row)),
        last=found.last,
        suspended=row.suspended,
        question=_question(said) if found.top is not None and found.top.asked is not None else None,
        revision=row.revision,
        opened_at=row.opened_at,
        changed_at=row.changed_at,
    )


def _question(said: str | None) -> str | None:
    """What was asked: in a message that tells several things, that is the last of them."""
    return None if said is None else said.rstrip().rpartition("\n")[2]


def _lines(row: Row[Any]) -> list[FlowLine]:
    found = state.read(row.state)
    return [_line(row, frame, at_hand=frame is found.top) for frame in reversed(found.stack)]


def _line(row: Row[Any], frame: Frame, *, at_hand: bool) -> FlowLine:
    return FlowLine(
        flow_id=frame.flow_id,
        name=frame.name,
        version=frame.version,
        step=frame.step,
        participant=row.participant,
        conversation_id=row.conversation_id,
        account_id=row.account_id,
        waits=row.waiting if at_hand else None if frame.acting is None else "effect",
        asked=None if frame.asked is None else frame.asked.path or frame.asked.wants,
        suspended=row.suspended,
        work_id=None if frame.acting is None else frame.acting.work_id,
        values=frame.values,
        changed_at=row.changed_at,
    )
