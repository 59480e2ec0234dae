"""Acks of interrupts, and answers that are overdue (seed 004; docs/protocol.md §5).

    acknowledge         acked once, by the target. A promise to stop fences the owner and sets a conclusion deadline
    ack_overdue         no ack in time: reported, and escalated
    conclusion_overdue  no conclusion in time: reported, and escalated

The conclusion itself arrives in `sequences`, which settles the records of its sequence.
"""

from __future__ import annotations

from typing import Literal

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.payloads import InterruptAck

from .. import fence, outages, visibility
from .. import interrupt_records as records
from ..deadlines import schedule
from ..handler_context import HandlerContext
from ..state import Ack, Interrupt, Sequence, State, remembered
from . import emergency_halts, escalation


def stalled(ctx: HandlerContext, milliseconds: int) -> None:
    """Add a stall of the gateway to every open record: an answer to it may be that much older."""
    for record in ctx.state.interrupts.values():
        record.stalled_ms += milliseconds


def acknowledge(ctx: HandlerContext, envelope: Envelope, payload: InterruptAck, data: bytes) -> None:
    """Handle `reasoning/interrupt-ack`: once, from the target. One that promises a stop fences the owner."""
    record = _acknowledged(ctx.state, envelope)
    message, outcome = remembered(payload.message), remembered(payload.outcome)
    record.ack = Ack(envelope.id, payload.status, ctx.now, message, outcome)
    record.data = record.deadline = None
    asking = () if record.sender == GATEWAY else visibility.still_same(ctx.state, record.number, (record.sender,))
    ctx.forward(envelope, data, also=asking, among=(*asking, envelope.sender))
    if record.status == "target_left":
        return
    escalation.end(ctx, record)
    if record.status != "overrun":  # a v0.4 cancel is overdue whether it was acknowledged or not
        record.move("late" if record.status == "timed_out" else "acked", ctx.now)
    sequence = records.sequence_of(ctx.state, record)
    if sequence is not None and sequence.outcome == "lost":
        records.settle(ctx, record)
    elif sequence is None or sequence.outcome is not None:
        # §5: a conclusion before the ack has kept whatever the ack promises
        records.honour(ctx, record)
    elif payload.status == "stopping" or payload.status == "completing_thought":
        _promise(ctx, sequence, record, payload.status)
    elif record.class_ == "emergency":
        emergency_halts.answered(ctx, sequence, record, payload)
    elif record.sender == GATEWAY:  # the watchdog's: nobody agreed that the sequence may go on beyond its limit
        records.reopened(ctx, sequence, record)
        escalation.begin(ctx, record)
    elif record.kind == "reasoning/interrupt":
        records.settle(ctx, record)


def ack_overdue(ctx: HandlerContext, id: str, at: int) -> None:
    """Report an ack that did not come in time, and escalate."""
    record = ctx.state.interrupts.get(id)
    if record is None or record.deadline != at or record.status != "pending":
        return
    record.move("timed_out", ctx.now)
    record.data = record.deadline = None
    sequence = records.open_sequence_of(ctx.state, record)
    if record.class_ == "emergency" and sequence is not None:
        fence.begin(ctx, sequence, "stopping")
    escalation.begin(ctx, record)


def conclusion_overdue(ctx: HandlerContext, id: str, at: int) -> None:
    """Report a promised conclusion that did not come in time, and escalate."""
    record = ctx.state.interrupts.get(id)
    if record is None or record.conclusion_due != at:
        return
    record.move("overrun", ctx.now)
    record.conclusion_due = None
    escalation.begin(ctx, record)


def _acknowledged(state: State, envelope: Envelope) -> Interrupt:
    ids = envelope.correlation_id or ()
    if len(ids) != 1:
        raise Rejected("unknown_interrupt", "An ack names exactly one interrupt in `correlation_id`.")
    record = state.interrupts.get(ids[0]) or state.settled.get(ids[0])
    if record is None or not records.is_seen(record, visibility.viewer(state, envelope.sender)):
        raise Rejected("unknown_interrupt", f"There is no interrupt {ids[0]!r} here.")
    if record.target != envelope.sender:
        raise Rejected("not_target", f"The interrupt {record.id} was addressed to {record.target}.")
    if record.ack is not None:
        raise Rejected(
            "already_acked",
            f"The interrupt {record.id} was acknowledged as {record.ack.answer}.",
            status=record.ack.answer,
        )
    return record


def _promise(
    ctx: HandlerContext, sequence: Sequence, record: Interrupt, answer: Literal["stopping", "completing_thought"]
) -> None:
    """Fence the owner that promised a stop, and set the deadline of its conclusion. The strictest promise holds."""
    state, settings = ctx.state, ctx.state.settings.interrupts
    records.reopened(ctx, sequence, record)
    conclusion = settings.stopping_conclusion if answer == "stopping" else settings.completing_conclusion
    due = outages.due(ctx, record.target, ctx.now + conclusion)
    record.conclusion_due = due if record.conclusion_due is None else min(due, record.conclusion_due)
    schedule(state, record.conclusion_due, "conclusion", record.id)
    fence.begin(ctx, sequence, answer, thoughts=1)
