"""The record of each interrupt: what became of it so far, and what it still waits for (docs/protocol.md §5)."""

from __future__ import annotations

from collections.abc import Iterator

from .settings import Step
from .state import Interrupt, Sequence, State
from .turn import Turn
from .visibility import same


def opened(turn: Turn, sequence: Sequence, record: Interrupt) -> None:
    """An interrupt was accepted: it is on record from here on, and with its sequence."""
    sequence.interrupts.append(record.id)
    record.number = turn.state.next_ordinal()
    record.steps.append(("pending", turn.now))
    if turn.members.connections(record.target):
        record.delivered_at = turn.now
    earlier = turn.state.settled.pop(record.id, None)
    if earlier is not None:  # under the same id: whoever takes that does not take it off the record
        turn.state.settled[f"{record.id} {earlier.accepted_at} {turn.state.timers}"] = earlier
    turn.state.interrupts[record.id] = record


def reopened(state: State, sequence: Sequence, record: Interrupt) -> None:
    """A settled record is live again: a late ack promises something."""
    if state.settled.pop(record.id, None) is not None:
        state.interrupts[record.id] = record
        sequence.interrupts.append(record.id)


def settle(state: State, record: Interrupt) -> None:
    """Nothing more is awaited: keep the record among the settled, as many as are remembered."""
    state.interrupts.pop(record.id, None)
    sequence = sequence_of(state, record)
    if sequence is not None and record.id in sequence.interrupts:
        sequence.interrupts.remove(record.id)
    record.data = record.rung_due = None
    state.settled[record.id] = record
    while len(state.settled) > state.settings.bounds.settled_interrupts:
        del state.settled[next(iter(state.settled))]


def target_left(turn: Turn, record: Interrupt) -> None:
    """The target is gone for good: what was still awaited of it never comes, and whoever waits for it is told."""
    if record.status == "pending" or record.conclusion_due is not None or record.stop_by is not None:
        record.move("target_left", turn.now)
        record.deadline = record.conclusion_due = record.stop_by = None
        turn.broadcast_error(
            "interrupt_target_left",
            f"{record.target} was removed from this space: nobody answers the interrupt {record.id}.",
            correlation=(record.id,),
            among=(*same(turn.state, record.number, (record.sender,)), record.target),
            interrupt_id=record.id,
            sequence_id=record.sequence,
            target=record.target,
        )
    settle(turn.state, record)


def redeem(state: State, record: Interrupt, now: int) -> None:
    """The conclusion came: whatever was promised is kept, or kept too late."""
    if record.status != "overrun":
        record.move("honoured", now)
    record.conclusion_due = record.stop_by = None
    settle(state, record)


def sequence_closed(turn: Turn, sequence: Sequence) -> None:
    """A sequence ended: promises are kept, or, when its owner was lost, its open interrupts have no target."""
    for id in list(sequence.interrupts):
        record = turn.state.interrupts[id]
        if sequence.outcome == "lost":
            if record.ack is None and record.status == "pending":
                record.move("target_left", turn.now)
                settle(turn.state, record)
        elif record.ack is not None or record.kind == "reasoning/cancel":
            redeem(turn.state, record, turn.now)


def sequence_of(state: State, record: Interrupt) -> Sequence | None:
    """The sequence that a record is about, open or closed; None once it is forgotten."""
    known = (state.sequences.get(record.sequence), state.closed.get(record.sequence))
    return next((one for one in known if one is not None and one.ordinal == record.ordinal), None)


def open_sequence_of(state: State, record: Interrupt) -> Sequence | None:
    """The sequence that a record is about, while it is open."""
    sequence = sequence_of(state, record)
    return sequence if sequence is not None and sequence.outcome is None else None


def undecided_for(turn: Turn, target: str, *, besides: tuple[str, ...] = ()) -> Iterator[bytes]:
    """The envelopes of the interrupts that the target has not answered, for its new connection."""
    for record in turn.state.interrupts.values():
        if record.target == target and record.status == "pending" and record.data is not None:
            if record.delivered_at is None:
                record.delivered_at = turn.now
            if record.id not in besides:
                yield record.data


def pending_on(state: State, sequence: Sequence) -> list[str]:
    """The ids of a sequence's interrupts that still wait for their ack."""
    return [id for id in sequence.interrupts if state.interrupts[id].status == "pending"]


def ladder_of(state: State, record: Interrupt) -> tuple[Step, ...]:
    """The escalation that a record is under: an emergency has its own."""
    settings = state.settings.interrupts
    return settings.emergency_escalation if record.class_ == "emergency" else settings.escalation
