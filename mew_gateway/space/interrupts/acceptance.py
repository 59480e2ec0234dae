"""Acceptance of interrupts (seed 004; docs/protocol.md §5).

The life of an interrupt:

    interrupt  accepted: a record is opened, the ack deadline starts, an emergency halts its target
    `acks`     acked by the target, or overdue: a promise to stop sets a conclusion deadline
    conclude   the conclusion arrives in `sequences`, which settles the records of its sequence

A `reasoning/cancel` from another participant than the owner is an interrupt without an ack deadline. Deadlines of
absent targets wait for their return after an outage (`outages.due`).

Where to go next: `acks`, `interrupt_records` (the record), `fence`, `escalation`, `emergency_halts`.
"""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.payloads import Interrupt as InterruptPayload
from mew_gateway.protocol.payloads import Reasoned
from mew_gateway.protocol.reasons import REASONS, class_of

from .. import interrupt_records as records
from .. import outages, sequences
from ..deadlines import schedule
from ..handler_context import HandlerContext
from ..sequence_lookup import find, foreign, root
from ..state import Interrupt, remembered
from . import emergency_halts, rates

_LARGEST = 16_384  # bytes of an interrupt: all pending ones are sent to their target again at each reconnect


def interrupt(ctx: HandlerContext, envelope: Envelope, payload: InterruptPayload, data: bytes) -> None:
    """Handle `reasoning/interrupt`: the ack deadline starts at acceptance, and an emergency halts its target."""
    _check_size(data)
    reason = _check_shape(envelope, payload)
    assert envelope.to and envelope.correlation_id
    sequence = find(ctx.state, envelope.correlation_id[0], envelope.sender)
    if sequence.owner != envelope.to[0]:
        raise foreign(sequence)
    record = Interrupt(
        id=envelope.id,
        kind="reasoning/interrupt",
        sequence=sequence.id,
        ordinal=sequence.ordinal,
        target=sequence.owner,
        sender=envelope.sender,
        reason=reason,
        class_=class_of(reason, payload.class_),
        message=remembered(payload.message),
        accepted_at=ctx.now,
        data=data,
    )
    is_emergency = record.class_ == "emergency"
    rates.check_pending(ctx, sequence.owner, len(data), is_emergency=is_emergency)
    if is_emergency:
        rates.spend_emergency(ctx, envelope.sender)
    else:
        rates.spend(ctx, sequence, envelope.sender)
    await_ack(ctx, record)
    records.opened(ctx, sequence, record)
    ctx.forward(envelope, data, also=(record.target,))
    if is_emergency:
        emergency_halts.begin(ctx, record)


def cancel(ctx: HandlerContext, envelope: Envelope, payload: Reasoned, data: bytes) -> None:
    """Handle `reasoning/cancel`: the owner aborts its sequence; from another participant it is an interrupt.

    That interrupt has class `cancel`, and a conclusion deadline instead of an ack deadline (docs/protocol.md §5).
    """
    name = root(envelope)
    sequence = None if name is None else find(ctx.state, name, envelope.sender)
    if sequence is None or sequence.owner == envelope.sender:
        sequences.abort(ctx, envelope, payload, data, sequence)
        return
    _check_size(data)
    rates.check_pending(ctx, sequence.owner, len(data), is_emergency=False)
    rates.spend(ctx, sequence, envelope.sender)
    due = outages.due(ctx, sequence.owner, ctx.now + ctx.state.settings.interrupts.completing_conclusion)
    record = Interrupt(
        id=envelope.id,
        kind="reasoning/cancel",
        sequence=sequence.id,
        ordinal=sequence.ordinal,
        target=sequence.owner,
        sender=envelope.sender,
        reason=remembered(payload.reason),
        class_="cancel",
        message=None,
        accepted_at=ctx.now,
        data=data,
        conclusion_due=due,
    )
    schedule(ctx.state, due, "conclusion", record.id)
    records.opened(ctx, sequence, record)
    ctx.forward(envelope, data, also=(record.target,))


def await_ack(ctx: HandlerContext, record: Interrupt) -> None:
    """Start the ack deadline of an interrupt that is being accepted."""
    settings = ctx.state.settings.interrupts
    is_emergency = record.class_ == "emergency"
    answer = settings.emergency_ack_deadline if is_emergency else settings.ack_deadline
    record.deadline = outages.due(ctx, record.target, ctx.now + answer)
    schedule(ctx.state, record.deadline, "ack", record.id)


def _check_size(data: bytes) -> None:
    if len(data) > _LARGEST:
        raise Rejected("invalid_interrupt", f"An interrupt has at most {_LARGEST} bytes; this one has {len(data)}.")


def _check_shape(envelope: Envelope, payload: InterruptPayload) -> str:
    """Return the reason of an interrupt that names one target, one sequence and a reason; else raise `Rejected`."""
    if len(envelope.to or ()) != 1:
        raise Rejected("invalid_interrupt", "An interrupt has exactly one participant in `to`.")
    if len(envelope.correlation_id or ()) != 1:
        raise Rejected("invalid_interrupt", "An interrupt has exactly one sequence in `correlation_id`.")
    if payload.reason not in REASONS:
        raise Rejected("invalid_interrupt", f"`reason` is one of {', '.join(REASONS)}.")
    if payload.reason == "other" and not payload.message:
        raise Rejected("invalid_interrupt", "The reason `other` needs a `message` that explains it.")
    return payload.reason
