"""Interrupts: acceptance, ack and overdue answers (seed 004; docs/protocol.md §5).

The life of an interrupt:

    interrupt           accepted: a record is opened, the ack deadline starts, an emergency halts its target
    acknowledge         acked once, by the target. A promise to stop fences the owner and sets a conclusion deadline
    ack_overdue         no ack in time: reported, and escalated
    conclusion_overdue  no conclusion in time: reported, and escalated

The conclusion itself arrives in `sequences`, which settles the records of its sequence. A `reasoning/cancel` from
another participant than the owner is an interrupt without an ack deadline. Deadlines of absent targets wait for their
return after an outage (`outages.due`).

Where to go next: `interrupt_records` (the record), `fence`, `escalation`, `emergencies`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Literal

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.payloads import Interrupt as InterruptPayload
from mew_gateway.protocol.payloads import InterruptAck, Reasoned
from mew_gateway.protocol.reasons import REASONS, class_of

from . import emergencies, escalation, fence, outages, sequences, visibility
from . import interrupt_records as records
from .contexts import find, foreign, root
from .deadlines import schedule
from .handler_context import HandlerContext
from .settings import Rate
from .state import Ack, Interrupt, Sequence, State, remembered

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
    _check_pending(ctx, sequence.owner, len(data), is_emergency=is_emergency)
    if is_emergency:
        _spend_emergency(ctx, envelope.sender)
    else:
        _spend(ctx, sequence, envelope.sender)
    await_ack(ctx, record)
    records.opened(ctx, sequence, record)
    ctx.forward(envelope, data, also=(record.target,))
    if is_emergency:
        emergencies.begin(ctx, record)


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
    _check_pending(ctx, sequence.owner, len(data), is_emergency=False)
    _spend(ctx, sequence, envelope.sender)
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
        emergencies.answered(ctx, sequence, record, payload)
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


def _check_size(data: bytes) -> None:
    if len(data) > _LARGEST:
        raise Rejected("invalid_interrupt", f"An interrupt has at most {_LARGEST} bytes; this one has {len(data)}.")


def _check_pending(ctx: HandlerContext, target: str, size: int, *, is_emergency: bool) -> None:
    """Check that the unanswered interrupts of a target fit its outbox with this one: all are sent at each join.

    Emergencies have a share of their own, so that nothing else keeps one out. One interrupt alone always fits. Raises
    `Rejected` `rate_limited`.
    """
    waiting = [
        record
        for record in ctx.state.interrupts.values()
        if record.target == target and record.data is not None and (record.class_ == "emergency") == is_emergency
    ]
    most = ctx.state.settings.bounds.pending_bytes
    if not waiting or sum(len(record.data or b"") for record in waiting) + size <= most:
        return
    wait = max(1, min(record.deadline or record.conclusion_due or 0 for record in waiting) - ctx.now)
    raise Rejected(
        "rate_limited",
        f"{target} has not answered {len(waiting)} interrupts, and at most {most} bytes of them wait: wait {wait} ms.",
        retry_after_ms=wait,
        limit_bytes=most,
    )


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


def _spend(ctx: HandlerContext, sequence: Sequence, sender: str) -> None:
    """Count one more interrupt of the sequence. Raises `Rejected` `rate_limited`."""
    rate = ctx.state.settings.interrupts.per_sequence
    asked = sequence.asked.get(sender, ())
    sequence.asked[sender] = _counted(asked, rate, ctx.now, what="interrupts of one sequence")


def _spend_emergency(ctx: HandlerContext, sender: str) -> None:
    """Count one more emergency of the sender, apart from its other interrupts. Raises `Rejected` `rate_limited`.

    Senders are ordered by their latest emergency, so those whose emergencies no longer count are first and are
    forgotten.
    """
    rate, alarms = ctx.state.settings.interrupts.emergency, ctx.state.alarms
    asked = _counted(alarms.get(sender, ()), rate, ctx.now, what="emergencies of one sender")
    alarms.pop(sender, None)
    alarms[sender] = asked
    for name in list(takewhile(lambda name: ctx.now - alarms[name][-1] >= rate.per, alarms)):
        del alarms[name]


def _counted(asked: Iterable[int], rate: Rate, now: int, *, what: str) -> list[int]:
    recent = [at for at in asked if now - at < rate.per]
    if len(recent) >= rate.count:
        wait = recent[-rate.count] + rate.per - now
        raise Rejected(
            "rate_limited",
            f"At most {rate.count} {what} in {rate.per / 1000:g} s: wait {wait} ms.",
            retry_after_ms=wait,
        )
    return [*recent, now]


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
