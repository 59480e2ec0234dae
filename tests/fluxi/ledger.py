"""Everything that must hold of the rows of Fluxi whenever nobody is writing (seed 002 §5; docs/fluxi.md §3, §4, §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Row, Table, select

from mew_agents.durable import Database
from mew_agents.fluxi import tables
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.claim import OPEN, undone_by
from mew_agents.fluxi.fsm import ENDED, LIVE, Event, State
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.rows import event_of
from mew_agents.fluxi.undoing import UNDOABLE
from mew_agents.fluxi.work import Work, WorkEvent, replay


@dataclass(frozen=True, slots=True)
class Ledger:
    """All rows, as they are at one moment."""

    stored: dict[str, Work]
    events: dict[str, list[WorkEvent]]
    proposals: dict[str, Row[Any]]
    decisions: dict[str, Row[Any]]
    contexts: dict[str, Row[Any]]
    claims: dict[str, Row[Any]]
    attempts: list[Row[Any]]
    effects: list[Row[Any]]
    inbox: list[Row[Any]]
    outbox: list[Row[Any]]

    @classmethod
    def of(cls, connection: Connection) -> Ledger:
        def all_of(table: Table) -> list[Row[Any]]:
            return list(connection.execute(select(table).order_by(*table.primary_key)).all())

        records = Records(connection, new_id=str)
        stored = {row.work_id: records.work(row.work_id) for row in all_of(tables.works)}
        events: dict[str, list[WorkEvent]] = {}
        for row in all_of(tables.work_events):
            events.setdefault(row.work_id, []).append(event_of(row))
        return cls(
            stored={work_id: work for work_id, work in stored.items() if work is not None},
            events=events,
            proposals={row.proposal_id: row for row in all_of(tables.proposed_works)},
            decisions={row.decision_id: row for row in all_of(tables.decision_events)},
            contexts={row.context_id: row for row in all_of(tables.semantic_contexts)},
            claims={row.claim_id: row for row in all_of(tables.external_effect_claims)},
            attempts=all_of(tables.effect_attempts),
            effects=all_of(tables.external_effects),
            inbox=all_of(tables.inbox),
            outbox=all_of(tables.outbox),
        )

    def of_work(self, rows: dict[str, Row[Any]], work_id: str) -> list[Row[Any]]:
        return [row for row in rows.values() if row.work_id == work_id]


Rule = Callable[[Ledger], Iterator[str]]
RULES: list[Rule] = []


def rule(check: Rule) -> Rule:
    RULES.append(check)
    return check


@rule
def rebuilt_from_events(ledger: Ledger) -> Iterator[str]:
    """Invariant 6: what is stored of a Work is what its events make of it, one after the other without a gap."""
    if ledger.stored.keys() != ledger.events.keys():
        yield "a Work without events, or events without a Work"
    for work_id, work in ledger.stored.items():
        revisions = [event.revision for event in ledger.events[work_id]]
        if revisions != list(range(1, work.revision + 1)):
            yield f"{work_id}: revisions {revisions}, and the Work has {work.revision}"
            continue
        if replay(ledger.events[work_id]) != work:
            yield f"{work_id}: stored {work}, replayed {replay(ledger.events[work_id])}"
        for before, after in pairwise(ledger.events[work_id]):
            if before.target != after.source:
                yield f"{work_id}: {after.type} begins where {before.type} did not end"


@rule
def proposed_before(ledger: Ledger) -> Iterator[str]:
    """Invariant 2: every Work has a proposal that was opened, and that a decision was made for; no two have one. A
    decision may have a second wish, which has a proposal of its own.
    """
    opened = [row.proposal_id for row in ledger.proposals.values() if row.status == "opened"]
    if sorted(opened) != sorted(work.proposal_id for work in ledger.stored.values()):
        yield f"opened proposals {opened}, Works {list(ledger.stored)}"
    for row in ledger.proposals.values():
        decision = ledger.decisions.get(row.decision_id)
        answer = read(decision.answer) if decision is not None and row.part_of is None else None
        wishes = [] if answer is None else [one["type_id"] for one in (answer, answer.get("second")) if one]
        if decision is None or (row.part_of is None and row.type_id not in wishes):
            yield f"the proposal {row.proposal_id} is not what was decided"


@rule
def decided_once(ledger: Ledger) -> Iterator[str]:
    """Invariant 4: of a message and a Work there is one decision."""
    for key, times in Counter((*row[1:6],) for row in ledger.decisions.values()).items():
        if times > 1:
            yield f"{key}: decided {times} times"


@rule
def nothing_half_done(ledger: Ledger) -> Iterator[str]:
    """A turn is one transaction: a Work rests where it waits for somebody, executes, or has ended."""
    for work_id, work in ledger.stored.items():
        pending = [one for one in ledger.of_work(ledger.contexts, work_id) if one.status == "pending"]
        claims = ledger.of_work(ledger.claims, work_id)
        open_claims = [one for one in claims if one.status in OPEN and undone_by(one.effect_id) is None]
        if work.state in (State.CREATED, State.ACTIVE):
            yield f"{work_id} rests in {work.state}"
        if work.state is State.WAITING_CONFIRMATION and len(pending) != 1:
            yield f"{work_id} waits for a yes with {len(pending)} questions"
        undoing = work.state in UNDOABLE and all("undo" in str(one.proposed) for one in pending)
        if work.state not in (State.WAITING_CONFIRMATION, State.EXPIRED) and pending and not undoing:
            yield f"{work_id} is {work.state} with an open question"
        if (work.state is State.EXECUTING) != bool(open_claims) and work.state is not State.CANCELLED:
            yield f"{work_id} is {work.state} with {len(open_claims)} open claims"
        if work.live and work.state is not State.EXECUTING:
            if (work.expires_at is None) == (work.suspended_reason is None):
                yield f"{work_id} is {work.state}, {work.suspended_reason}, and expires at {work.expires_at}"
        elif work.expires_at is not None:
            yield f"{work_id} is {work.state} and expires"


@rule
def consumed_once(ledger: Ledger) -> Iterator[str]:
    """Invariant 7: a question is settled by one event; what is consumed says who did it, what is open does not."""
    closing = (Event.SEMANTIC_COMMIT, Event.SEMANTIC_REJECTED, Event.SEMANTIC_EXPIRED)
    settled: Counter[tuple[str, Event]] = Counter()
    for events in ledger.events.values():
        for event in events:
            if event.type in closing:
                settled[event.delta["note"]["semantic_context_id"], event.type] += 1
    for context_id, row in ledger.contexts.items():
        commits = settled[context_id, Event.SEMANTIC_COMMIT]
        # A dialogue has questions of its own, whose answers no Work hears of.
        uncommitted = (row.kind == "minted" or row.dialogue_id is not None) and not commits
        if commits != (row.status == "consumed") and not uncommitted:
            yield f"{context_id} is {row.status}, with {commits} commits"
        if sum(settled[context_id, event] for event in closing) > 1:
            yield f"{context_id} was settled more than once"
        if (row.status == "pending") != (row.settled_at is None):
            yield f"{context_id} is {row.status}, settled at {row.settled_at}"


@rule
def claimed_before(ledger: Ledger) -> Iterator[str]:
    """Invariant 3: no attempt and no effect without a claim, no claim without a consumed yes to this very Work, or in
    the dialogue that it is a part of."""
    for claim in ledger.claims.values():
        context = ledger.contexts[claim.semantic_context_id]
        whose = (context.work_id, context.dialogue_id)
        itself = whose in ((claim.work_id, None), (None, ledger.stored[claim.work_id].part_of))
        if context.status != "consumed" or not itself or context.kind == "slot":
            yield f"{claim.claim_id}: claimed under a {context.kind} question that is {context.status}"
        tried = [one for one in ledger.attempts if one.claim_id == claim.claim_id]
        if [one.attempt for one in tried] != list(range(1, claim.attempts + 1)):
            yield f"{claim.claim_id}: {claim.attempts} attempts, on record {len(tried)}"
        if any(one.fence > claim.fence for one in tried):
            yield f"{claim.claim_id}: an attempt has a higher fence"
        if claim.status == "invoking" and claim.lease_until is None:
            yield f"{claim.claim_id}: nobody's attempt"
    for row in [*ledger.attempts, *ledger.effects]:
        if row.claim_id not in ledger.claims:
            yield f"{row.claim_id}: called without a claim"


@rule
def one_effect_each(ledger: Ledger) -> Iterator[str]:
    """An effect of a Work is recorded once, and the claim says the same."""
    for key, times in Counter((row.work_id, row.effect_id) for row in ledger.effects).items():
        if times > 1:
            yield f"{key}: recorded {times} times"
    applied = {row.claim_id for row in ledger.effects if row.outcome == "applied"}
    completed = {claim.claim_id for claim in ledger.claims.values() if claim.status == "completed"}
    if applied != completed:
        yield f"applied {applied}, completed {completed}"
    for work_id, work in ledger.stored.items():
        required = [one for one in ledger.of_work(ledger.claims, work_id) if one.required]
        if work.state is State.COMPLETED and any(one.status != "completed" for one in required):
            yield f"{work_id} is COMPLETED, and its claims are {[one.status for one in required]}"
        doubtful = any(one.status == "in_doubt" for one in ledger.of_work(ledger.claims, work_id))
        halted = work.suspended_reason == "halted"  # lies over a doubt
        if work.state in LIVE and not halted and doubtful != (work.suspended_reason == "in_doubt"):
            yield f"{work_id}: in doubt {doubtful}, suspended {work.suspended_reason}"


@rule
def one_of_a_kind(ledger: Ledger) -> Iterator[str]:
    """Of what is the same business there is one live Work in an account."""
    live = [one for one in ledger.stored.values() if one.state in LIVE and one.aggregate_key is not None]
    for key, times in Counter((one.account_id, one.aggregate_key) for one in live).items():
        if times > 1:
            yield f"{key}: {times} live Works"
    for work in ledger.stored.values():
        if work.state in ENDED and work.suspended_reason is not None and work.state is not State.CANCELLED:
            yield f"{work.work_id} is {work.state} and suspended"


@rule
def answered(ledger: Ledger) -> Iterator[str]:
    """A message that is done has its result, and no reply is queued twice."""
    for row in ledger.inbox:
        if (row.status == "done") != (row.result is not None):
            yield f"the message {row.message_id} is {row.status}: {row.result}"
    for message_id, times in Counter(read(row.body).get("message_id") for row in ledger.outbox).items():
        if times > 1:
            yield f"the reply {message_id} is queued {times} times"


def broken(connection: Connection) -> list[str]:
    """What does not hold, in words."""
    ledger = Ledger.of(connection)
    return [f"{check.__name__}: {problem}" for check in RULES for problem in check(ledger)]


async def ledger_at(url: str) -> Ledger:
    """The rows of the database at a URL, of which everything holds that must."""
    database = Database.open(url)
    try:
        assert await database.read(broken) == []
        return await database.read(Ledger.of)
    finally:
        database.close()
