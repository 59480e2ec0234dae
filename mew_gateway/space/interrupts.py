"""Interrupts: accepted, answered, overdue (seed 004; docs/protocol.md §5). The record of each is state of the space."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.payloads import Interrupt as InterruptPayload
from mew_gateway.protocol.payloads import InterruptAck, Reasoned
from mew_gateway.protocol.reasons import REASONS, class_of

from .contexts import find, foreign
from .deadlines import schedule
from .settings import Rate, Step
from .state import Ack, Fence, Interrupt, Sequence, State
from .turn import Turn


def interrupt(turn: Turn, envelope: Envelope, payload: InterruptPayload, data: bytes) -> None:
    """`reasoning/interrupt`: on acceptance the ack deadline starts."""
    reason = _check_shape(envelope, payload)
    assert envelope.to and envelope.correlation_id
    sequence = find(turn.state, envelope.correlation_id[0])
    if sequence.owner != envelope.to[0]:
        raise foreign(sequence)
    settings = turn.state.settings.interrupts
    _check_rate(sequence, envelope.sender, settings.per_sequence, turn.now)
    record = Interrupt(
        id=envelope.id,
        kind="reasoning/interrupt",
        sequence=sequence.id,
        ordinal=sequence.ordinal,
        target=sequence.owner,
        sender=envelope.sender,
        reason=reason,
        class_=class_of(reason, payload.class_),
        message=payload.message,
        accepted_at=turn.now,
        data=data,
        deadline=turn.now + settings.ack_deadline,
    )
    schedule(turn.state, turn.now + settings.ack_deadline, "ack", record.id)
    _accept(turn, envelope, sequence, record, data)


def cancel(turn: Turn, envelope: Envelope, payload: Reasoned, data: bytes, sequence: Sequence) -> None:
    """v0.4 `reasoning/cancel` of somebody else's sequence: class `cancel`, no ack deadline, a conclusion's."""
    settings = turn.state.settings.interrupts
    _check_rate(sequence, envelope.sender, settings.per_sequence, turn.now)
    record = Interrupt(
        id=envelope.id,
        kind="reasoning/cancel",
        sequence=sequence.id,
        ordinal=sequence.ordinal,
        target=sequence.owner,
        sender=envelope.sender,
        reason=payload.reason,
        class_="cancel",
        message=None,
        accepted_at=turn.now,
        data=data,
        conclusion_due=turn.now + settings.completing_conclusion,
    )
    schedule(turn.state, turn.now + settings.completing_conclusion, "conclusion", record.id)
    _accept(turn, envelope, sequence, record, data)


def acknowledge(turn: Turn, envelope: Envelope, payload: InterruptAck, data: bytes) -> None:
    """`reasoning/interrupt-ack`: once, from the target; one that promises a stop raises the fence."""
    record = _acknowledged(turn.state, envelope)
    record.ack = Ack(envelope.id, payload.status, turn.now, payload.message, payload.outcome)
    record.data = record.deadline = None
    turn.forward(envelope, data, also=record.sender)
    if record.status == "target_left":
        return
    if record.status != "overrun":  # of a v0.4 cancel, which is overdue whether it was acknowledged or not
        record.move("late" if record.status == "timed_out" else "acked", turn.now)
    sequence = _interrupted(turn.state, record)
    if sequence is not None and sequence.outcome == "lost":
        _settle(turn.state, record)
    elif sequence is None or sequence.outcome is not None:
        # §5: a conclusion before the ack has kept whatever the ack promises
        _redeem(turn.state, record, turn.now)
    elif payload.status == "stopping" or payload.status == "completing_thought":
        _promise(turn, sequence, record, payload.status)
    elif record.kind == "reasoning/interrupt":
        _settle(turn.state, record)


def undecided_for(turn: Turn, target: str) -> Iterator[bytes]:
    """The envelopes of the interrupts that the target has not answered, for its new connection."""
    for record in turn.state.interrupts.values():
        if record.target == target and record.status == "pending" and record.data is not None:
            if record.delivered_at is None:
                record.delivered_at = turn.now
            yield record.data


def pending_on(state: State, sequence: Sequence) -> list[str]:
    """The ids of a sequence's interrupts that still wait for their ack."""
    return [id for id in sequence.interrupts if state.interrupts[id].status == "pending"]


def sequence_closed(turn: Turn, sequence: Sequence) -> None:
    """A sequence ended: promises are kept, or, when its owner was lost, its open interrupts have no target."""
    for id in list(sequence.interrupts):
        record = turn.state.interrupts[id]
        if sequence.outcome == "lost":
            if record.ack is None and record.status == "pending":
                record.move("target_left", turn.now)
                _settle(turn.state, record)
        elif record.ack is not None or record.kind == "reasoning/cancel":
            _redeem(turn.state, record, turn.now)


def ack_overdue(turn: Turn, id: str, at: int) -> None:
    """The ack deadline passed: everybody is told, the ladder begins."""
    record = turn.state.interrupts.get(id)
    if record is None or record.deadline != at or record.status != "pending":
        return
    record.move("timed_out", turn.now)
    record.deadline = None
    _report(
        turn,
        record,
        f"{record.target} did not acknowledge the interrupt of {record.sender} in time.",
        escalation=turn.state.settings.interrupts.escalation,
    )
    _climb(turn, record)


def conclusion_overdue(turn: Turn, id: str, at: int) -> None:
    """The promised conclusion did not come: everybody is told, the ladder begins."""
    record = turn.state.interrupts.get(id)
    if record is None or record.conclusion_due != at:
        return
    record.move("overrun", turn.now)
    record.conclusion_due = None
    record.rung = 0
    _report(
        turn,
        record,
        f"{record.target} did not conclude {record.sequence} in time.",
        escalation=turn.state.settings.interrupts.escalation,
    )
    _climb(turn, record)


def escalation_due(turn: Turn, id: str, at: int) -> None:
    """The next rung of an interrupt's ladder is due."""
    record = turn.state.interrupts.get(id)
    if record is None or record.rung_due != at:
        return
    if record.rung < len(turn.state.settings.interrupts.escalation):  # it may be shorter than when it was begun
        _take_step(turn, record)
    _climb(turn, record)


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
    if payload.class_ == "emergency":
        raise Rejected(
            "unsupported_class",
            "This gateway version does not enforce emergencies: interrupt with `cancel` or `override`.",
        )
    return payload.reason


def _check_rate(sequence: Sequence, sender: str, rate: Rate, now: int) -> None:
    recent = [at for at in sequence.asked.get(sender, ()) if now - at < rate.per]
    if len(recent) >= rate.count:
        wait = recent[-rate.count] + rate.per - now
        raise Rejected(
            "rate_limited",
            f"At most {rate.count} interrupts of one sequence in {rate.per / 1000:g} s: wait {wait} ms.",
            retry_after_ms=wait,
        )


def _accept(turn: Turn, envelope: Envelope, sequence: Sequence, record: Interrupt, data: bytes) -> None:
    per = turn.state.settings.interrupts.per_sequence.per
    recent = [at for at in sequence.asked.get(record.sender, ()) if turn.now - at < per]
    sequence.asked[record.sender] = [*recent, turn.now]
    sequence.interrupts.append(record.id)
    record.steps.append(("pending", turn.now))
    if turn.members.connections(record.target):
        record.delivered_at = turn.now
    turn.state.settled.pop(record.id, None)  # an earlier one under the same id
    turn.state.interrupts[record.id] = record
    turn.forward(envelope, data, also=record.target)


def _acknowledged(state: State, envelope: Envelope) -> Interrupt:
    ids = envelope.correlation_id or ()
    if len(ids) != 1:
        raise Rejected("unknown_interrupt", "An ack names exactly one interrupt in `correlation_id`.")
    record = state.interrupts.get(ids[0]) or state.settled.get(ids[0])
    if record is None:
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


def _interrupted(state: State, record: Interrupt) -> Sequence | None:
    """The sequence that a record is about, open or closed; None once it is forgotten."""
    known = (state.sequences.get(record.sequence), state.closed.get(record.sequence))
    return next((one for one in known if one is not None and one.ordinal == record.ordinal), None)


def _promise(turn: Turn, sequence: Sequence, record: Interrupt, answer: Any) -> None:
    """A stop was promised: fence the owner, and the conclusion is due. The strictest promise governs."""
    state, settings = turn.state, turn.state.settings.interrupts
    if state.settled.pop(record.id, None) is not None:  # a late ack: the record is live again
        state.interrupts[record.id] = record
        sequence.interrupts.append(record.id)
    record.rung_due = None
    stopping = answer == "stopping"
    due = turn.now + (settings.stopping_conclusion if stopping else settings.completing_conclusion)
    record.conclusion_due = due if record.conclusion_due is None else min(due, record.conclusion_due)
    schedule(state, record.conclusion_due, "conclusion", record.id)
    if sequence.fence is None:
        state.ordinal += 1
        sequence.fence = Fence(answer, thoughts_left=0 if stopping else 1, ordinal=state.ordinal)
        state.fenced.setdefault(sequence.owner, []).append(sequence.id)
    elif stopping:
        sequence.fence.answer, sequence.fence.thoughts_left = "stopping", 0


def _redeem(state: State, record: Interrupt, now: int) -> None:
    if record.status != "overrun":
        record.move("honoured", now)
    record.conclusion_due = None
    _settle(state, record)


def _climb(turn: Turn, record: Interrupt) -> None:
    """Take every rung that is due at once; set the deadline of the next one; settle at the top."""
    ladder = turn.state.settings.interrupts.escalation
    record.rung_due = None
    while record.rung < len(ladder):
        step = ladder[record.rung]
        if step.after > 0:
            record.rung_due = turn.now + step.after
            schedule(turn.state, record.rung_due, "escalation", record.id)
            return
        _leave_rung(record, step)
    _settle(turn.state, record)


def _take_step(turn: Turn, record: Interrupt) -> None:
    """A rung that was waited for: `notify` tells everybody again (the other rungs are not served yet)."""
    step = turn.state.settings.interrupts.escalation[record.rung]
    _leave_rung(record, step)
    what = "concluded" if record.status == "overrun" else "answered"
    _report(turn, record, f"{record.target} still has not {what}: {record.sequence}.", escalation=(step,))


def _report(turn: Turn, record: Interrupt, sentence: str, *, escalation: tuple[Step, ...]) -> None:
    """Tell everybody what is overdue, since when, and which rungs follow (or, waited for, which is this)."""
    overrun, since = record.status == "overrun", record.accepted_at
    if overrun and record.ack is not None and record.kind == "reasoning/interrupt":
        since = record.ack.at  # but a cancel asks for the conclusion itself
    turn.broadcast_error(
        "interrupt_overrun" if overrun else "interrupt_ack_timeout",
        sentence,
        correlation=(record.id,),
        interrupt_id=record.id,
        sequence_id=record.sequence,
        target=record.target,
        waited_ms=turn.now - since,
        escalation=[step.name for step in escalation],
    )


def _leave_rung(record: Interrupt, step: Step) -> None:
    record.escalated.append(step.name)
    record.rung += 1


def _settle(state: State, record: Interrupt) -> None:
    """Nothing more is awaited: keep the record among the settled, as many as are remembered."""
    state.interrupts.pop(record.id, None)
    sequence = _interrupted(state, record)
    if sequence is not None and record.id in sequence.interrupts:
        sequence.interrupts.remove(record.id)
    record.data = record.rung_due = None
    state.settled[record.id] = record
    while len(state.settled) > state.settings.bounds.settled_interrupts:
        del state.settled[next(iter(state.settled))]
