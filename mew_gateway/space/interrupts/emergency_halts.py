"""Emergencies: halt the target at acceptance, until the safety role's resume (docs/protocol.md §5).

A halt differs from a pause and from a fence. It begins when the emergency is accepted, not when it is answered. It
keeps the target from starting sequences and from acting outside the interrupted one. Only a resume that names the
emergency ends it, from a participant that may send emergencies and is not the target: a restart, a leave or a plain
resume does not. The answer of the target decides when its sequence is fenced (`answered`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Several
from datetime import datetime
from typing import Any

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import Kind
from mew_gateway.protocol.payloads import InterruptAck

from .. import fence, outages, pauses, proposals
from .. import interrupt_records as records
from ..deadlines import schedule
from ..handler_context import HandlerContext
from ..sequence_lookup import root
from ..state import Halt, Interrupt, Sequence, State
from ..visibility import Viewer
from . import escalation

_MOST = 64  # halts of one participant: beyond it the oldest is dropped; the participant stays halted


def check(state: State, envelope: Envelope, kind: Kind) -> None:
    """Return if the envelope may pass a halt, else raise `Rejected` `halted`.

    A halted participant begins nothing, and acts only inside the sequence that the emergency names.
    """
    halts = state.halted.get(envelope.sender)
    if not halts:
        return
    begins = envelope.kind == "reasoning/start"
    if not begins and not (kind.acting and fence.acts(envelope)):
        return
    if begins or not _is_inside(state, envelope, halts):
        raise _halted(halts[0])


def check_frame(state: State, participant: str) -> None:
    """Return if a stream's frame may pass, else raise `Rejected` `halted` or `fenced`."""
    halts = state.halted.get(participant)
    if halts:
        raise _halted(halts[0])
    if participant in state.fenced:
        raise fence.refusal(state.fenced[participant][0])


def begin(ctx: HandlerContext, record: Interrupt) -> None:
    """Halt the target of an accepted emergency, and void its open proposals."""
    halts = ctx.state.halted.setdefault(record.target, [])
    halts.append(Halt(record.id, record.sequence, ctx.now, record.reason, record.number))
    del halts[:-_MOST]
    proposals.void_of_proposer(ctx, record.target, "halted")


def answered(ctx: HandlerContext, sequence: Sequence, record: Interrupt, payload: InterruptAck) -> None:
    """Handle an ack that does not promise a stop at once.

    `continuing` with `halt_after_span` fences the sequence at the end of the span; a refusal fences it now and
    escalates.
    """
    if payload.status == "continuing" and payload.outcome == "halt_after_span":
        latest = ctx.now + ctx.state.settings.interrupts.completing_conclusion
        records.reopened(ctx, sequence, record)
        record.stop_by = min(_parse_time(payload.stop_by, latest), latest)
        schedule(ctx.state, record.stop_by, "halt", record.id)
        return
    fence.begin(ctx, sequence, "stopping")
    escalation.begin(ctx, record)


def stop_due(ctx: HandlerContext, id: str, at: int) -> None:
    """Fence the sequence if its span had to end by now, and schedule the deadline of its conclusion."""
    record = ctx.state.interrupts.get(id)
    if record is None or record.stop_by != at:
        return
    record.stop_by = None
    sequence = records.open_sequence_of(ctx.state, record)
    if sequence is None:  # its owner was lost
        records.settle(ctx, record)
        return
    fence.begin(ctx, sequence, "stopping")
    due = ctx.now + ctx.state.settings.interrupts.stopping_conclusion
    record.conclusion_due = outages.due(ctx, record.target, due)
    schedule(ctx.state, record.conclusion_due, "conclusion", record.id)


def liftable_halts(ctx: HandlerContext, envelope: Envelope, targets: Several[str], ids: tuple[str, ...]) -> list[Halt]:
    """Return the halts of `targets` that a resume correlates to and its sender may lift.

    A target trusts a resume that reaches it. So any other resume that names an emergency raises `Rejected`:
    `capability_violation`, or `pause_not_found` for an emergency that the sender does not see.
    """
    wanted = dict.fromkeys(ids)
    viewer = ctx.viewer(envelope.sender)
    for id, target, said in _emergencies_named(ctx.state, wanted):
        if not _may_lift(ctx, envelope.sender, target, said):
            if not _is_seen(ctx.state, id, target, viewer):
                raise pauses.unknown(ids)
            raise Rejected(
                "capability_violation",
                f"Only who may send emergencies, and is not halted by it, may lift {id}.",
                attempted_kind=envelope.kind,
                your_capabilities=ctx.members.told(envelope.sender),
            )
    return [halt for name in targets for halt in ctx.state.halted.get(name, ()) if halt.interrupt in wanted]


def lift(ctx: HandlerContext, targets: Several[str], halt: Halt) -> None:
    """End a halt and the escalation steps that are still to come. A fence stays until the conclusion."""
    state = ctx.state
    for name in targets:
        left = [one for one in state.halted.get(name, ()) if one != halt]
        if left:
            state.halted[name] = left
        else:
            state.halted.pop(name, None)
    record = _record(state, halt.interrupt)
    if record is not None:
        was_escalating = record.rung_due is not None
        escalation.end(ctx, record)
        if was_escalating and record.conclusion_due is None:
            records.settle(ctx, record)


def _is_inside(state: State, envelope: Envelope, halts: list[Halt]) -> bool:
    """Return true if the envelope is in the sender's own open sequence, and all halts name that sequence.

    After the end of the named sequence another one may have its id, so the owner is compared too.
    """
    sequence = state.sequences.get(root(envelope) or "")
    return (
        sequence is not None
        and sequence.owner == envelope.sender
        and all(halt.sequence == sequence.id for halt in halts)
    )


def _halted(halt: Halt) -> Rejected:
    return Rejected(
        "halted",
        f"The emergency {halt.interrupt} has halted you: wait for the safety role's resume.",
        interrupt_id=halt.interrupt,
        sequence_id=halt.sequence,
    )


def _record(state: State, id: str) -> Interrupt | None:
    """Return the record of an emergency.

    A settled one's id may have been used again by an interrupt of another class.
    """
    record = state.interrupts.get(id) or state.settled.get(id)
    return record if record is not None and record.class_ == "emergency" else None


def _emergencies_named(state: State, ids: Mapping[str, None]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the emergencies of these ids: id, target, and payload as far as a record or a halt still has it.

    One id may have several: a halt lasts, and the id of its settled record was used again.
    """
    found = {id: record for id in ids if (record := _record(state, id)) is not None}
    for id, record in found.items():
        yield id, record.target, {"reason": record.reason, "message": record.message}
    for target, halts in state.halted.items():
        for halt in halts:
            id = halt.interrupt
            if id in ids and (id not in found or found[id].target != target):
                yield id, target, {"reason": halt.reason}


def _is_seen(state: State, id: str, target: str, viewer: Viewer) -> bool:
    """Return true if the participant sees the emergency, by its record or by a halt that outlives it."""
    record = _record(state, id)
    if record is not None and record.target == target:
        return records.is_seen(record, viewer)
    halts = (halt for halt in state.halted.get(target, ()) if halt.interrupt == id)
    return viewer.name == target or any(viewer.sees_all(halt.ordinal) for halt in halts)


def _may_lift(ctx: HandlerContext, sender: str, target: str, said: dict[str, Any]) -> bool:
    """Return true if the sender holds the capability for this very emergency and is not its target."""
    asked = {"class": "emergency", **said}
    capabilities = ctx.members.capabilities(sender)
    return sender != target and capabilities.allow_emergency("reasoning/interrupt", asked, (target,), ctx.budget)


def _parse_time(text: str | None, otherwise: int) -> int:
    """Return an RFC 3339 time in milliseconds since the epoch; `otherwise` if the text is none or has no offset."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return otherwise
    return otherwise if moment.tzinfo is None else round(moment.timestamp() * 1000)
