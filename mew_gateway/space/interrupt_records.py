"""The record of each interrupt: what became of it so far, and what it still waits for (docs/protocol.md §5)."""

from __future__ import annotations

from collections.abc import Iterator

from .handler_context import Turn
from .settings import Step
from .state import Interrupt, Sequence, State
from .visibility import Viewer, same


def opened(turn: Turn, sequence: Sequence, record: Interrupt) -> None:
    """An interrupt was accepted: it is on record from here on, and with its sequence."""
    sequence.interrupts.append(record.id)
    record.number = turn.state.next_ordinal()
    record.steps.append(("pending", turn.now))
    if turn.members.connections(record.target):
        record.delivered_at = turn.now
    earlier = turn.shares.settled.drop(record.id)
    if earlier is not None:  # the sender's own under the same id stays on record; participants' ids never begin so
        _keep(turn, f"gw-earlier-{earlier.number}", earlier)
    turn.state.interrupts[record.id] = record


def reopened(turn: Turn, sequence: Sequence, record: Interrupt) -> None:
    """A settled record is live again: a late ack promises something."""
    if turn.shares.settled.drop(record.id) is not None:
        turn.state.interrupts[record.id] = record
        sequence.interrupts.append(record.id)


def is_unanswered(record: Interrupt) -> bool:
    """Whether a late ack of a settled record would still change something: it lifts the ladder's pause."""
    return record.ack is None and record.status in ("timed_out", "overrun")


def settle(turn: Turn, record: Interrupt) -> None:
    """Nothing more is awaited: keep the record among the settled, as many as are remembered."""
    state = turn.state
    state.interrupts.pop(record.id, None)
    sequence = sequence_of(state, record)
    if sequence is not None and record.id in sequence.interrupts:
        sequence.interrupts.remove(record.id)
    record.data = record.rung_due = None
    _keep(turn, record.id, record)


def target_left(turn: Turn, record: Interrupt) -> None:
    """The target is gone for good: what was still awaited of it never comes, and whoever waits for it is told."""
    if record.status == "pending" or record.conclusion_due is not None or record.stop_by is not None:
        _give_up(record, turn.now)
        turn.broadcast_error(
            "interrupt_target_left",
            f"{record.target} was removed from this space: nobody answers the interrupt {record.id}.",
            correlation=(record.id,),
            among=concerned(turn.state, record),
            interrupt_id=record.id,
            sequence_id=record.sequence,
            target=record.target,
        )
    settle(turn, record)


def redeem(turn: Turn, record: Interrupt) -> None:
    """The conclusion came: whatever was promised is kept, or kept too late."""
    if record.status != "overrun":
        record.move("honoured", turn.now)
    record.conclusion_due = record.stop_by = None
    settle(turn, record)


def sequence_closed(turn: Turn, sequence: Sequence) -> None:
    """A sequence ended: promises are kept, or, when its owner was lost, its open interrupts have no target."""
    for id in list(sequence.interrupts):
        record = turn.state.interrupts[id]
        if sequence.outcome == "lost":
            if record.ack is None and record.status == "pending":
                _give_up(record, turn.now)
                settle(turn, record)
        elif record.ack is not None or record.kind == "reasoning/cancel":
            redeem(turn, record)


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


def is_seen(record: Interrupt, viewer: Viewer) -> bool:
    """Whether the participant sees the interrupt."""
    return viewer.sees(record.number, record.accepted_at, (record.sender, record.target))


def pending_on(state: State, sequence: Sequence, viewer: Viewer) -> list[str]:
    """The ids of a sequence's interrupts that still wait for their ack, as far as the participant sees them."""
    waiting = (state.interrupts[id] for id in sequence.interrupts)
    return [record.id for record in waiting if record.status == "pending" and is_seen(record, viewer)]


def concerned(state: State, record: Interrupt) -> tuple[str, ...]:
    """The participants whom the gateway tells what becomes of it, with `routing: addressed`."""
    return (*same(state, record.number, (record.sender,)), record.target)


def ladder_of(state: State, record: Interrupt) -> tuple[Step, ...]:
    """The escalation that a record is under: an emergency has its own."""
    settings = state.settings.interrupts
    return settings.emergency_escalation if record.class_ == "emergency" else settings.escalation


def _give_up(record: Interrupt, now: int) -> None:
    """The target does not answer any more, and no deadline runs."""
    record.move("target_left", now)
    record.deadline = record.conclusion_due = record.stop_by = None


def _keep(turn: Turn, key: str, record: Interrupt) -> None:
    turn.shares.settled.add(key, record, most=turn.state.settings.bounds.settled_interrupts)
