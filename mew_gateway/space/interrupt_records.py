"""The record of each interrupt: its state so far, and what is still awaited (docs/protocol.md §5).

A record is opened when the interrupt is accepted and moves through the statuses of `state.Status`. It is live
(`State.interrupts`) while an ack, a conclusion or an escalation step is awaited. Then it is settled: kept among the
finished ones for questions and late acks. A late ack may reopen it. `interrupts.acks` decides about acks and deadlines,
`interrupts.escalation` about steps; both change records through the functions here.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import pauses
from .effects import Interrupted
from .handler_context import HandlerContext
from .settings import Step
from .state import Interrupt, Sequence, State
from .visibility import Viewer, still_same


def opened(ctx: HandlerContext, sequence: Sequence, record: Interrupt) -> None:
    """Put an accepted interrupt on record, and on the list of its sequence."""
    sequence.interrupts.append(record.id)
    record.number = ctx.state.next_ordinal()
    record.steps.append(("pending", ctx.now))
    if ctx.members.connections(record.target):
        _delivered(ctx, record)
    earlier = ctx.finished.settled.drop(record.id)
    if earlier is not None:  # stays on record under an id that no participant may use
        _keep_settled(ctx, f"gw-earlier-{earlier.number}", earlier)
    ctx.state.interrupts[record.id] = record
    ctx.interrupted.append(Interrupted(record.target, record.sequence, record.id, is_recorded=True))


def reopened(ctx: HandlerContext, sequence: Sequence, record: Interrupt) -> None:
    """Make a settled record live again: a late ack promises something."""
    if ctx.finished.settled.drop(record.id) is not None:
        ctx.state.interrupts[record.id] = record
        sequence.interrupts.append(record.id)


def is_unanswered(record: Interrupt) -> bool:
    """Return true if a late ack of a settled record would still lift the pause of its escalation."""
    return record.ack is None and record.status in ("timed_out", "overrun")


def settle(ctx: HandlerContext, record: Interrupt) -> None:
    """Move a record to the settled ones: nothing more is awaited."""
    state = ctx.state
    state.interrupts.pop(record.id, None)
    sequence = sequence_of(state, record)
    if sequence is not None and record.id in sequence.interrupts:
        sequence.interrupts.remove(record.id)
    record.data = record.rung_due = None
    _keep_settled(ctx, record.id, record)


def target_left(ctx: HandlerContext, record: Interrupt) -> None:
    """Settle the record of a target that is gone for good, and notify those that wait for its answer."""
    if record.status == "pending" or record.conclusion_due is not None or record.stop_by is not None:
        _mark_target_left(record, ctx.now)
        ctx.broadcast_error(
            "interrupt_target_left",
            f"{record.target} was removed from this space: nobody answers the interrupt {record.id}.",
            correlation=(record.id,),
            among=audience(ctx.state, record),
            interrupt_id=record.id,
            sequence_id=record.sequence,
            target=record.target,
        )
    settle(ctx, record)


def honour(ctx: HandlerContext, record: Interrupt) -> None:
    """Settle a record whose conclusion came. An overrun stays an overrun."""
    if record.status != "overrun":
        record.move("honoured", ctx.now)
    record.conclusion_due = record.stop_by = None
    settle(ctx, record)


def sequence_closed(ctx: HandlerContext, sequence: Sequence) -> None:
    """Settle the interrupts of a sequence that ended: promises are kept, or its owner was lost (`_lost`)."""
    for id in list(sequence.interrupts):
        record = ctx.state.interrupts[id]
        if sequence.outcome == "lost":
            _lost(ctx, record)
        elif record.ack is not None or record.kind == "reasoning/cancel":
            honour(ctx, record)


def end_escalation(ctx: HandlerContext, record: Interrupt) -> None:
    """Run no further step, and lift the pause if a step set one."""
    record.rung_due = None
    if record.pause is not None:
        pauses.lift(ctx, record.target, (record.pause,))
        record.pause = None


def sequence_of(state: State, record: Interrupt) -> Sequence | None:
    """Return the sequence that a record is about, open or closed; None once it is forgotten."""
    known = (state.sequences.get(record.sequence), state.closed.get(record.sequence))
    return next((one for one in known if one is not None and one.ordinal == record.ordinal), None)


def open_sequence_of(state: State, record: Interrupt) -> Sequence | None:
    """Return the sequence that a record is about if it is open, else None."""
    sequence = sequence_of(state, record)
    return sequence if sequence is not None and sequence.outcome is None else None


def unanswered_envelopes(ctx: HandlerContext, target: str, *, besides: tuple[str, ...] = ()) -> Iterator[bytes]:
    """Yield the envelopes of the interrupts that the target has not answered, for its new connection."""
    for record in ctx.state.interrupts.values():
        if record.target == target and record.status == "pending" and record.data is not None:
            if record.delivered_at is None:
                _delivered(ctx, record)
            if record.id not in besides:
                yield record.data


def is_seen(record: Interrupt, viewer: Viewer) -> bool:
    """Return true if the participant sees the interrupt."""
    return viewer.sees(record.number, (record.sender, record.target))


def pending_on(state: State, sequence: Sequence, viewer: Viewer) -> list[str]:
    """Return the ids of a sequence's interrupts that wait for their ack, as far as the participant sees them."""
    waiting = (state.interrupts[id] for id in sequence.interrupts)
    return [record.id for record in waiting if record.status == "pending" and is_seen(record, viewer)]


def audience(state: State, record: Interrupt) -> tuple[str, ...]:
    """Return the participants that are informed about the interrupt with `routing: addressed`."""
    return (*still_same(state, record.number, (record.sender,)), record.target)


def escalation_of(state: State, record: Interrupt) -> tuple[Step, ...]:
    """Return the escalation steps of a record: an emergency has its own."""
    settings = state.settings.interrupts
    return settings.emergency_escalation if record.class_ == "emergency" else settings.escalation


def _delivered(ctx: HandlerContext, record: Interrupt) -> None:
    record.delivered_at, record.delivered_by = ctx.now, ctx.position


def _lost(ctx: HandlerContext, record: Interrupt) -> None:
    """Settle an interrupt of a sequence whose owner was lost: nobody can conclude it any more, and nothing goes on.

    What was awaited becomes `target_left`, an ack as well as a promised conclusion. What was late before stays late,
    and its escalation ends. Only an emergency that was refused, or not answered in time, escalates on: it is about the
    target.
    """
    if record.class_ == "emergency" and record.rung_due is not None and record.status != "overrun":
        return
    if record.status == "pending" or record.conclusion_due is not None or record.stop_by is not None:
        _mark_target_left(record, ctx.now)
    end_escalation(ctx, record)
    settle(ctx, record)


def _mark_target_left(record: Interrupt, now: int) -> None:
    """Record that the target no longer answers, and drop all deadlines."""
    record.move("target_left", now)
    record.deadline = record.conclusion_due = record.stop_by = None


def _keep_settled(ctx: HandlerContext, key: str, record: Interrupt) -> None:
    ctx.finished.settled.add(key, record, most=ctx.state.settings.bounds.settled_interrupts)
