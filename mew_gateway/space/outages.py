"""Deadlines after an outage or a stall of the gateway: nobody is late because of the gateway (decisions/0056).

While the journal cannot be written, the gateway refuses every ack, every conclusion and every join. That time does not
count for the participants:

- A deadline moves by the length of the outage. It never passes within `FAIR` of its end, as a client learns of the end
  only when it sends again.
- An absent participant, and after a start every participant, has `RETURN` to come back (`State.returning`). No deadline
  of its own passes before, even of a record that is made in that time.
- A participant that comes back has its whole deadline from then on, if that is over earlier.

While the gateway stands still, it takes nothing either, but what a participant sends is kept by the system and read
before a deadline passes. So a stall moves only the deadlines of those who could send nothing:

- An absent participant could not join (`stalled`).
- A participant was written its interrupt, or its shutdown, only after the stall (`delivered_late`). It has the whole
  length from then on.

The watchdog does not count that time either (`watchdog.suspended`). Not moved is what is no participant's failure: the
end of a pause, a grant or a proposal, and the moment at which an agent itself promised to stop.
"""

from __future__ import annotations

from .deadlines import schedule
from .events import DeliveredLate
from .handler_context import HandlerContext
from .interrupt_records import escalation_of
from .state import Interrupt, State

FAIR = 3_000  # ms: the gateway tries the journal each second, and our client sends again one second later
RETURN = 10_000  # ms: our client tries to connect at least every 5 s


def ended(ctx: HandlerContext, milliseconds: int) -> None:
    """Move every deadline by the length of the outage: the journal can be written again."""
    ctx.state.returning = ctx.now + RETURN
    _move(ctx, milliseconds)


def stalled(ctx: HandlerContext, milliseconds: int) -> None:
    """Move the deadlines of the absent by the length of a stall: they could not join."""
    for record in ctx.state.interrupts.values():
        if not ctx.members.connections(record.target):
            _put_off(ctx, record, milliseconds)
    for name in ctx.state.absent:
        ctx.state.absent[name] += milliseconds  # the scheduled deadline finds the later time


def is_late(state: State, now: int, *, first: int, last: int, most: int) -> bool:
    """Return true if a deadline began with an entry from `first` to `last`, more than `most` milliseconds ago."""
    began = [
        *((one.delivered_by, one.delivered_at or 0) for one in state.interrupts.values()),
        *((one.position, one.at) for one in state.shutdowns.values()),
    ]
    return any(first <= position <= last and now - at > most for position, at in began)


def delivered_late(ctx: HandlerContext, event: DeliveredLate) -> None:
    """Move the deadlines that began with these entries: what began them was written only now."""
    for record in ctx.state.interrupts.values():
        if record.delivered_at is not None and event.first <= record.delivered_by <= event.last:
            late, record.delivered_at = ctx.now - record.delivered_at, ctx.now
            if record.ack is None:
                _put_off(ctx, record, late)
    for name, shutdown in ctx.state.shutdowns.items():
        if event.first <= shutdown.position <= event.last:
            late, shutdown.at = ctx.now - shutdown.at, ctx.now
            shutdown.ends += late
            shutdown.connections = {connection: ends + late for connection, ends in shutdown.connections.items()}
            schedule(ctx.state, min([*shutdown.connections.values(), shutdown.ends]), "shutdown", name)


def restarted(ctx: HandlerContext) -> None:
    """Let no deadline pass before every participant had time to come back: the gateway started."""
    ctx.state.returning = ctx.now + RETURN
    _move(ctx, 0)


def due(ctx: HandlerContext, name: str, at: int) -> int:
    """Return the time of a participant's deadline `at`, or later if an absent one has time to come back."""
    return at if ctx.members.connections(name) else max(at, ctx.state.returning)


def await_owner(ctx: HandlerContext, name: str) -> None:
    """Give an owner without a connection its grace period to come back, from now on (`grace`)."""
    state = ctx.state
    ends = due(ctx, name, ctx.now + state.settings.owner_grace)
    if name not in state.absent:
        schedule(state, ends, "owner", name)
    state.absent[name] = ends


def joined(ctx: HandlerContext, name: str) -> None:
    """Give the deadlines that waited for a participant's return their own length from now on."""
    state, settings = ctx.state, ctx.state.settings.interrupts

    def earlier(at: int, milliseconds: int) -> int:
        return min(at, ctx.now + milliseconds) if at <= state.returning else at

    if ctx.now >= state.returning:
        return
    for record in _records_of(ctx, name):
        is_emergency = record.class_ == "emergency"
        answer = settings.emergency_ack_deadline if is_emergency else settings.ack_deadline
        is_stopping = record.ack is not None and record.ack.answer in ("stopping", "continuing")
        conclusion = settings.stopping_conclusion if is_stopping else settings.completing_conclusion
        steps = escalation_of(state, record)
        rung = steps[record.rung].after if record.rung < len(steps) else 0
        _set(
            ctx,
            record,
            deadline=None if record.deadline is None else earlier(record.deadline, answer),
            conclusion_due=None if record.conclusion_due is None else earlier(record.conclusion_due, conclusion),
            rung_due=None if record.rung_due is None else earlier(record.rung_due, rung),
        )


def participant_left(ctx: HandlerContext, name: str) -> None:
    """Give a participant that leaves during the time to come back that time, too."""
    if ctx.now < ctx.state.returning:
        for record in _records_of(ctx, name):
            _put_off(ctx, record, 0)


def _records_of(ctx: HandlerContext, name: str) -> list[Interrupt]:
    return [record for record in ctx.state.interrupts.values() if record.target == name]


def _move(ctx: HandlerContext, milliseconds: int) -> None:
    """Move every deadline by which a participant has to send something, or to be back."""
    state, fair = ctx.state, ctx.now + FAIR

    def later(at: int, name: str) -> int:
        return due(ctx, name, max(at + milliseconds, fair))

    for record in state.interrupts.values():
        _put_off(ctx, record, milliseconds, earliest=fair)
    for name, ends in state.absent.items():
        state.absent[name] = later(ends, name)  # the scheduled deadline finds the later time (`grace.ended`)
    for name, shutdown in state.shutdowns.items():
        shutdown.ends = later(shutdown.ends, name)
        shutdown.connections = {connection: later(ends, name) for connection, ends in shutdown.connections.items()}
        schedule(state, due(ctx, name, fair), "shutdown", name)


def _put_off(ctx: HandlerContext, record: Interrupt, milliseconds: int, *, earliest: int = 0) -> None:
    """Move the deadlines of a record by `milliseconds`, and not before `earliest` and the return of its target."""

    def later(at: int | None) -> int | None:
        return None if at is None else due(ctx, record.target, max(at + milliseconds, earliest))

    _set(
        ctx,
        record,
        deadline=later(record.deadline),
        conclusion_due=later(record.conclusion_due),
        rung_due=later(record.rung_due),
    )


def _set(
    ctx: HandlerContext, record: Interrupt, *, deadline: int | None, conclusion_due: int | None, rung_due: int | None
) -> None:
    """Set the deadlines of a record. Those that were scheduled before no longer hold, and pass without effect."""
    if deadline is not None and deadline != record.deadline:
        schedule(ctx.state, deadline, "ack", record.id)
    if conclusion_due is not None and conclusion_due != record.conclusion_due:
        schedule(ctx.state, conclusion_due, "conclusion", record.id)
    if rung_due is not None and rung_due != record.rung_due:
        schedule(ctx.state, rung_due, "escalation", record.id)
    record.deadline, record.conclusion_due, record.rung_due = deadline, conclusion_due, rung_due
