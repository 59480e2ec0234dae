"""Everything that must hold of the rows of dialogues whenever nobody is writing (docs/flows.md §3, §6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from mew_agents.durable import Database
from mew_agents.flows import effects, events, state
from mew_agents.flows.advance import advance
from mew_agents.flows.definitions.library import Library
from mew_agents.flows.effects import Finished, Open, Started
from mew_agents.flows.events import AnyEvent, EffectDone
from mew_agents.flows.state import Dialogue, applied, read_delta
from mew_agents.flows.versions import register
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.tables import flow_dialogues, flow_events

from ..fluxi.ledger import Ledger, broken


@dataclass(frozen=True, slots=True)
class Record:
    """A dialogue with its events, and the rows of Fluxi's tables that are about it."""

    row: Row[Any]
    dialogue: Dialogue
    events: list[Row[Any]]
    questions: dict[str, Row[Any]]
    ledger: Ledger

    @property
    def happened(self) -> list[AnyEvent]:
        return [events.read(one.event) for one in self.events]

    @property
    def effects(self) -> list[effects.AnyEffect]:
        return [effect for one in self.events for effect in effects.read(one.effects)]

    @property
    def beginning(self) -> Dialogue:
        """As it was before anything happened in it."""
        now = self.dialogue
        return Dialogue(
            dialogue_id=now.dialogue_id,
            account_id=now.account_id,
            conversation_id=now.conversation_id,
            participant=now.participant,
        )


def records(connection: Connection) -> list[Record]:
    """All dialogues, in the order of their ids."""
    ledger = Ledger.of(connection)
    found = []
    for row in connection.execute(select(flow_dialogues).order_by(flow_dialogues.c.dialogue_id)).all():
        own = flow_events.c.dialogue_id == row.dialogue_id
        happened = connection.execute(select(flow_events).where(own).order_by(flow_events.c.revision)).all()
        asked = {id: one for id, one in ledger.contexts.items() if one.dialogue_id == row.dialogue_id}
        found.append(Record(row, state.read(row.state), list(happened), asked, ledger))
    return found


Rule = Callable[[Record, Library], Iterator[str]]
RULES: list[Rule] = []


def rule(check: Rule) -> Rule:
    RULES.append(check)
    return check


@rule
def faultless(record: Record, _: Library) -> Iterator[str]:
    """No flow ended because the program did not know what to do: `advance` catches what is raised."""
    for effect in record.effects:
        if isinstance(effect, Finished) and effect.code == "fault":
            yield f"{effect.flow_id} ended with a fault: {effect.why}"


@rule
def gapless(record: Record, _: Library) -> Iterator[str]:
    """Every revision has its event."""
    revisions = [one.revision for one in record.events]
    if revisions != list(range(1, record.dialogue.revision + 1)):
        yield f"revisions {revisions}, and the dialogue has {record.dialogue.revision}"


@rule
def folded(record: Record, _: Library) -> Iterator[str]:
    """What is stored is what the deltas make of nothing."""
    dialogue = record.beginning
    for one in record.events:
        dialogue = applied(dialogue, read_delta(one.delta))
    if dialogue != record.dialogue:
        yield f"stored {record.dialogue}, folded {dialogue}"


@rule
def replayed(record: Record, library: Library) -> Iterator[str]:
    """The same events give the same state, and the same deltas and effects byte for byte (case 12)."""
    dialogue = record.beginning
    for one, event in zip(record.events, record.happened, strict=True):
        done = advance(library, dialogue, event)
        dialogue = done.dialogue
        if written(done.delta) != one.delta or effects.written(done.effects) != one.effects:
            yield f"{one.revision} {one.type}: stored {one.effects} {one.delta}, replayed {done}"
    if state.written(dialogue) != record.row.state:
        yield f"stored {record.row.state}, replayed {dialogue}"


@rule
def its_own(record: Record, _: Library) -> Iterator[str]:
    """What happens in a dialogue happens to its own flows; its row says where it is and where it stands."""
    now, row = record.dialogue, record.row
    place = (now.dialogue_id, now.account_id, now.conversation_id, now.participant, now.revision, now.suspended)
    if place != (row.dialogue_id, row.account_id, row.conversation_id, row.participant, row.revision, row.suspended):
        yield f"{place} is in the row {row}"
    if row.top != (now.top.name if now.top else None):
        yield f"at hand is {now.top}, and the row says {row.top}"
    for effect in record.effects:
        if (flow_id := getattr(effect, "flow_id", None)) and not flow_id.startswith(f"{now.dialogue_id}."):
            yield f"{effect} is about another dialogue's flow"


@rule
def one_question(record: Record, _: Library) -> Iterator[str]:
    """At most one question is open, and it is that of the flow at hand."""
    pending = [id for id, one in record.questions.items() if one.status == "pending"]
    asked = [frame.asked.question_id for frame in record.dialogue.stack if frame.asked is not None]
    top = record.dialogue.top
    own = [top.asked.question_id] if top is not None and top.asked is not None else []
    if not pending == asked == own:
        yield f"open {pending}, asked {asked}, by the flow at hand {own}"


@rule
def confirmed(record: Record, _: Library) -> Iterator[str]:
    """Every effect's Work follows exactly one yes to a confirmation in this dialogue, and is told of once."""
    opened = [effect for effect in record.effects if isinstance(effect, Open)]
    if len({one.question_id for one in opened}) != len(opened):
        yield f"two Works of one yes: {opened}"
    works = {id: one for id, one in record.ledger.stored.items() if one.part_of == record.dialogue.dialogue_id}
    if sorted(works) != sorted(one.work_id for one in opened):
        yield f"opened {opened}, and the Works are {list(works)}"
    for one in opened:
        question = record.questions.get(one.question_id)
        if question is None or (question.status, question.kind) != ("consumed", "execution"):
            yield f"{one.work_id} was opened by {question}"
    done = [one.work_id for one in record.happened if isinstance(one, EffectDone)]
    if len(set(done)) != len(done):
        yield f"told more than once: {done}"


@rule
def proposed(record: Record, _: Library) -> Iterator[str]:
    """A flow that may come to an effect has its proposal as long as it runs and has not come to it."""
    held = {one.proposed.proposal_id for one in record.dialogue.stack} - {None}
    mine = [one for one in record.ledger.proposals.values() if one.part_of == record.dialogue.dialogue_id]
    pending = {one.proposal_id for one in mine if one.status == "pending"}
    if held != pending:
        yield f"the flows hold {held}, and pending are {pending}"


@rule
def ended_once(record: Record, _: Library) -> Iterator[str]:
    """Every flow that began has ended once, or is under way. A link ends one and begins another in its place."""
    begun = [one.flow_id for one in record.effects if isinstance(one, Started)]
    ended = [one.flow_id for one in record.effects if isinstance(one, Finished)]
    running = [frame.flow_id for frame in record.dialogue.stack]
    if sorted(begun) != sorted(ended + running):
        yield f"begun {begun}, ended {ended}, under way {running}"


def wrong(connection: Connection, library: Library) -> list[str]:
    """What does not hold, of the dialogues and of Fluxi's ledger, in words."""
    found = [
        f"{check.__name__}: {problem}"
        for record in records(connection)
        for check in RULES
        for problem in check(record, library)
    ]
    return [*broken(connection), *found]


async def records_at(url: str, library: Library) -> list[Record]:
    """The dialogues of the database at a URL, of which everything holds that must."""
    database = Database.open(url)
    try:
        known = await database.write(lambda connection: register(connection, library, 0), point="register")
        assert await database.read(lambda connection: wrong(connection, known)) == []
        return await database.read(records)
    finally:
        database.close()
