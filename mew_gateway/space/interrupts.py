"""Interrupts: accepted, answered, overdue (seed 004; docs/protocol.md §5). The record of each is state of the space."""

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

from . import emergencies, fence, outages, sequences, visibility
from . import escalation as ladder
from . import interrupt_records as records
from .contexts import find, foreign, root
from .deadlines import schedule
from .handler_context import Turn
from .settings import Rate
from .state import Ack, Interrupt, Sequence, State, remembered

_LARGEST = 16_384  # bytes of an interrupt: all that are pending are given to their target at each reconnect


def interrupt(turn: Turn, envelope: Envelope, payload: InterruptPayload, data: bytes) -> None:
    """`reasoning/interrupt`: on acceptance the ack deadline starts, and an emergency halts its target."""
    _check_size(data)
    reason = _check_shape(envelope, payload)
    assert envelope.to and envelope.correlation_id
    sequence = find(turn.state, envelope.correlation_id[0], envelope.sender)
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
        accepted_at=turn.now,
        data=data,
    )
    is_emergency = record.class_ == "emergency"
    if is_emergency:
        _spend_emergency(turn, envelope.sender)
    else:
        _spend(turn, sequence, envelope.sender)
    await_ack(turn, record)
    records.opened(turn, sequence, record)
    turn.forward(envelope, data, also=(record.target,))
    if is_emergency:
        emergencies.begin(turn, record)


def cancel(turn: Turn, envelope: Envelope, payload: Reasoned, data: bytes) -> None:
    """`reasoning/cancel`: its owner aborts the sequence; from anybody else it is an interrupt of class `cancel`, with a
    conclusion's deadline instead of an ack's (docs/protocol.md §5)."""
    name = root(envelope)
    sequence = None if name is None else find(turn.state, name, envelope.sender)
    if sequence is None or sequence.owner == envelope.sender:
        sequences.abort(turn, envelope, payload, data, sequence)
        return
    _check_size(data)
    _spend(turn, sequence, envelope.sender)
    due = outages.due(turn, sequence.owner, turn.now + turn.state.settings.interrupts.completing_conclusion)
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
        accepted_at=turn.now,
        data=data,
        conclusion_due=due,
    )
    schedule(turn.state, due, "conclusion", record.id)
    records.opened(turn, sequence, record)
    turn.forward(envelope, data, also=(record.target,))


def await_ack(turn: Turn, record: Interrupt) -> None:
    """Start the deadline of an interrupt that is being accepted."""
    settings = turn.state.settings.interrupts
    is_emergency = record.class_ == "emergency"
    answer = settings.emergency_ack_deadline if is_emergency else settings.ack_deadline
    record.deadline = outages.due(turn, record.target, turn.now + answer)
    schedule(turn.state, record.deadline, "ack", record.id)


def stalled(turn: Turn, milliseconds: int) -> None:
    """The gateway stood still: every open record says for how long, as an answer to it may be that much older."""
    for record in turn.state.interrupts.values():
        record.stalled_ms += milliseconds


def acknowledge(turn: Turn, envelope: Envelope, payload: InterruptAck, data: bytes) -> None:
    """`reasoning/interrupt-ack`: once, from the target; one that promises a stop raises the fence."""
    record = _acknowledged(turn.state, envelope)
    message, outcome = remembered(payload.message), remembered(payload.outcome)
    record.ack = Ack(envelope.id, payload.status, turn.now, message, outcome)
    record.data = record.deadline = None
    asking = () if record.sender == GATEWAY else visibility.same(turn.state, record.number, (record.sender,))
    turn.forward(envelope, data, also=asking, among=(*asking, envelope.sender))
    if record.status == "target_left":
        return
    ladder.end(turn, record)
    if record.status != "overrun":  # of a v0.4 cancel, which is overdue whether it was acknowledged or not
        record.move("late" if record.status == "timed_out" else "acked", turn.now)
    sequence = records.sequence_of(turn.state, record)
    if sequence is not None and sequence.outcome == "lost":
        records.settle(turn, record)
    elif sequence is None or sequence.outcome is not None:
        # §5: a conclusion before the ack has kept whatever the ack promises
        records.redeem(turn, record)
    elif payload.status == "stopping" or payload.status == "completing_thought":
        _promise(turn, sequence, record, payload.status)
    elif record.class_ == "emergency":
        emergencies.answered(turn, sequence, record, payload)
    elif record.sender == GATEWAY:  # its limit was passed: nobody agreed that it may go on
        records.reopened(turn, sequence, record)
        ladder.begin(turn, record)
    elif record.kind == "reasoning/interrupt":
        records.settle(turn, record)


def ack_overdue(turn: Turn, id: str, at: int) -> None:
    """The ack deadline passed: everybody is told, the ladder begins."""
    record = turn.state.interrupts.get(id)
    if record is None or record.deadline != at or record.status != "pending":
        return
    record.move("timed_out", turn.now)
    record.data = record.deadline = None
    sequence = records.open_sequence_of(turn.state, record)
    if record.class_ == "emergency" and sequence is not None:
        fence.put_up(turn, sequence, "stopping")
    ladder.begin(turn, record)


def conclusion_overdue(turn: Turn, id: str, at: int) -> None:
    """The promised conclusion did not come: everybody is told, the ladder begins."""
    record = turn.state.interrupts.get(id)
    if record is None or record.conclusion_due != at:
        return
    record.move("overrun", turn.now)
    record.conclusion_due = None
    ladder.begin(turn, record)


def _check_size(data: bytes) -> None:
    if len(data) > _LARGEST:
        raise Rejected("invalid_interrupt", f"An interrupt has at most {_LARGEST} bytes; this one has {len(data)}.")


def _check_shape(envelope: Envelope, payload: InterruptPayload) -> str:
    """The reason, if the interrupt names one target, one sequence and why; else `Rejected`."""
    if len(envelope.to or ()) != 1:
        raise Rejected("invalid_interrupt", "An interrupt has exactly one participant in `to`.")
    if len(envelope.correlation_id or ()) != 1:
        raise Rejected("invalid_interrupt", "An interrupt has exactly one sequence in `correlation_id`.")
    if payload.reason not in REASONS:
        raise Rejected("invalid_interrupt", f"`reason` is one of {', '.join(REASONS)}.")
    if payload.reason == "other" and not payload.message:
        raise Rejected("invalid_interrupt", "The reason `other` needs a `message` that explains it.")
    return payload.reason


def _spend(turn: Turn, sequence: Sequence, sender: str) -> None:
    """Count one more interrupt of the sequence. Raises `Rejected` `rate_limited`."""
    rate = turn.state.settings.interrupts.per_sequence
    asked = sequence.asked.get(sender, ())
    sequence.asked[sender] = _counted(asked, rate, turn.now, what="interrupts of one sequence")


def _spend_emergency(turn: Turn, sender: str) -> None:
    """Count one more emergency of the sender's, whatever else it has asked for. Raises `Rejected` `rate_limited`.

    Whoever sent the latest stands last, so those whose emergencies count no more stand first, and are forgotten.
    """
    rate, alarms = turn.state.settings.interrupts.emergency, turn.state.alarms
    asked = _counted(alarms.get(sender, ()), rate, turn.now, what="emergencies of one sender")
    alarms.pop(sender, None)
    alarms[sender] = asked
    for name in list(takewhile(lambda name: turn.now - alarms[name][-1] >= rate.per, alarms)):
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
    turn: Turn, sequence: Sequence, record: Interrupt, answer: Literal["stopping", "completing_thought"]
) -> None:
    """A stop was promised: fence the owner, and the conclusion is due. The strictest promise governs."""
    state, settings = turn.state, turn.state.settings.interrupts
    records.reopened(turn, sequence, record)
    conclusion = settings.stopping_conclusion if answer == "stopping" else settings.completing_conclusion
    due = outages.due(turn, record.target, turn.now + conclusion)
    record.conclusion_due = due if record.conclusion_due is None else min(due, record.conclusion_due)
    schedule(state, record.conclusion_due, "conclusion", record.id)
    fence.put_up(turn, sequence, answer, thoughts=1)
