"""A dialogue done again from its events: whether it comes to the same state, deltas and effects (docs/flows.md §3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from mew_agents.flows import effects, events, state
from mew_agents.flows.advance import Advance, advance
from mew_agents.flows.definitions.library import UnknownFlow
from mew_agents.flows.events import AnyEvent
from mew_agents.flows.state import Dialogue, applied, difference, read_delta
from mew_agents.flows.thoughts import Happened
from mew_agents.flows.versions import Versions
from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.tables import flow_dialogues, flow_events


@dataclass(frozen=True, slots=True, kw_only=True)
class Retold:
    """An event of the record, done again. `differences` from the record are phrases; none: it is the same.

    `happened` None: it cannot be done again. `cause`: by whom, and by what.
    """

    revision: int
    event: AnyEvent
    cause: dict[str, Any]
    happened: Happened | None
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A dialogue as it is stored, its events done again, and how what they come to differs from that."""

    stored: Dialogue
    retold: tuple[Retold, ...]
    differences: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether the record and the replay agree in everything."""
        return not self.differences and not any(one.differences for one in self.retold)


def replay(connection: Connection, dialogue_id: str, versions: Versions) -> Replay | None:
    """Does a dialogue again, with the flows that each event happened with; None: there is none."""
    row = connection.execute(select(flow_dialogues).where(flow_dialogues.c.dialogue_id == dialogue_id)).first()
    if row is None:
        return None
    stored = state.read(row.state)
    now = Dialogue(
        dialogue_id=row.dialogue_id,
        account_id=row.account_id,
        conversation_id=row.conversation_id,
        participant=row.participant,
    )
    retold: list[Retold] = []
    query = select(flow_events).where(flow_events.c.dialogue_id == dialogue_id).order_by(flow_events.c.revision)
    for recorded in connection.execute(query):
        one = _again(recorded, now, versions)
        retold.append(one)
        if one.happened is None:
            break
        now = one.happened.after
    return Replay(stored=stored, retold=tuple(retold), differences=tuple(_of_states(stored, now)))


def _again(row: Row[Any], before: Dialogue, versions: Versions) -> Retold:
    event, cause = events.read(row.event), read(row.cause)
    try:
        done = advance(versions.library(str(cause.get("library"))), before, event)
        differences = tuple(_of_events(row, before, done))
    except UnknownFlow as error:
        why = (f"the version {error} is not stored",)
        return Retold(revision=row.revision, event=event, cause=cause, happened=None, differences=why)
    except Exception as error:  # a fault of the program that the record was not made with
        why = (f"it cannot be done again ({type(error).__name__}: {error})",)
        return Retold(revision=row.revision, event=event, cause=cause, happened=None, differences=why)
    return Retold(
        revision=row.revision,
        event=event,
        cause=cause,
        happened=Happened(event, done.effects, before, done.dialogue),
        differences=differences,
    )


def _of_events(row: Row[Any], before: Dialogue, done: Advance) -> Iterator[str]:
    if row.revision != done.dialogue.revision:
        yield f"it is revision {row.revision} on record, and {done.dialogue.revision} in its place"
    recorded = applied(before, read_delta(row.delta))
    if recorded != done.dialogue or row.delta != written(done.delta):
        told = _named(difference(recorded, done.dialogue)) or "its form"
        yield f"the delta differs in {told}"
    if row.effects != effects.written(done.effects):
        was, now = ([_name(one) for one in found] for found in (effects.read(row.effects), done.effects))
        yield f"the effects were {', '.join(was) or 'none'}, and are {', '.join(now) or 'none'}" + (
            " with other content" if was == now else ""
        )


def _of_states(stored: Dialogue, now: Dialogue) -> Iterator[str]:
    if state.written(stored) != state.written(now):
        told = _named(difference(stored, now))
        behind = "" if stored.revision == now.revision else f"its revision ({stored.revision}, not {now.revision})"
        yield f"the state differs in {', '.join(filter(None, (behind, told)))}"


def _named(delta: state.FlowDelta) -> str:
    """What a delta changes, by name."""
    frames = [f"{flow_id}: {', '.join(told)}" for flow_id, told in delta.frames.items()]
    return ", ".join([*delta.fields, *(["stack"] if delta.stack is not None else []), *frames])


def _name(effect: effects.AnyEffect) -> str:
    return str(type(effect).__struct_config__.tag)
