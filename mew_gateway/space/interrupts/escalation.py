"""Escalation: the configured steps that follow an interrupt without a satisfying answer (docs/protocol.md §5).

An interrupt escalates when its ack is late, when it is refused (an emergency, or one of the watchdog), or when the
promised conclusion is late. `begin` reports it to the space and runs all steps that are due at once. Each later step
has a deadline of its own (`step_due`). A step may wait for an absent target to come back (`outages.due`). The record
keeps the number of steps taken (`rung`) and their names (`escalated`). `end` stops the escalation when an answer comes.
"""

from __future__ import annotations

from typing import assert_never

from mew_gateway.protocol.ids import GATEWAY

from .. import interrupt_records as records
from .. import outages, pauses
from ..deadlines import schedule
from ..effects import Terminate
from ..handler_context import HandlerContext
from ..participants import grants, invitations, joining
from ..settings import Step
from ..state import Interrupt


def begin(ctx: HandlerContext, record: Interrupt) -> None:
    """Report what is wrong, and run every step that is due at once."""
    record.rung = 0
    _report(ctx, record, escalation=records.escalation_of(ctx.state, record))
    _run_due_steps(ctx, record)


def step_due(ctx: HandlerContext, id: str, at: int) -> None:
    """Run the step whose deadline passed, and those that follow at once."""
    record = ctx.state.interrupts.get(id)
    if record is None or record.rung_due != at:
        return
    steps = records.escalation_of(ctx.state, record)
    if record.rung < len(steps):  # a new configuration may have fewer steps
        _run_step(ctx, record, steps[record.rung])
    _run_due_steps(ctx, record)


def end(ctx: HandlerContext, record: Interrupt) -> None:
    """Run no further step, and lift the pause if a step set one."""
    records.end_escalation(ctx, record)


def _run_due_steps(ctx: HandlerContext, record: Interrupt) -> None:
    """Run every step that is due at once, then schedule the next one. Settle the record after the last."""
    steps = records.escalation_of(ctx.state, record)
    record.rung_due = None
    while record.rung < len(steps):
        step = steps[record.rung]
        if step.after > 0:
            record.rung_due = outages.due(ctx, record.target, ctx.now + step.after)
            schedule(ctx.state, record.rung_due, "escalation", record.id)
            return
        _run_step(ctx, record, step)
    if record.conclusion_due is None and record.stop_by is None:
        records.settle(ctx, record)


def _run_step(ctx: HandlerContext, record: Interrupt, step: Step) -> None:
    record.rung += 1
    record.escalated.append(step.name)
    match step.name:
        case "notify":
            if step.after > 0:  # an immediate one is part of the first report
                _report(ctx, record, escalation=(step,), again=True)
        case "pause":
            _pause(ctx, record)
        case "revoke":
            _revoke(ctx, record)
        case "kick":
            _kick(ctx, record)
        case "terminate":
            _terminate(ctx, record, step)
        case _:
            assert_never(step.name)


def _pause(ctx: HandlerContext, record: Interrupt) -> None:
    reason = _code(record)
    id, _ = ctx.announce("participant/pause", {"reason": reason}, to=(record.target,), correlation=(record.id,))
    pauses.add(ctx, record.target, id, GATEWAY)
    record.pause = id


def _revoke(ctx: HandlerContext, record: Interrupt) -> None:
    dropped = grants.drop_all(ctx, record.target)
    payload = {"recipient": record.target, "grant_ids": dropped, "reason": _code(record)}
    ctx.announce("capability/revoke", payload, to=(record.target,), correlation=(record.id,))
    if dropped:
        joining.capabilities_changed(ctx, record.target)


def _kick(ctx: HandlerContext, record: Interrupt) -> None:
    if ctx.members.knows(record.target) and record.target not in ctx.state.kicked:
        payload = {"participant_id": record.target, "reason": _code(record)}
        ctx.announce("space/kick", payload, to=(record.target,), correlation=(record.id,))
        invitations.expel(ctx, record.target)


def _terminate(ctx: HandlerContext, record: Interrupt, step: Step) -> None:
    """End the process that the gateway hosts for the target. It has as long as an irreversible thought may take."""
    _report(ctx, record, escalation=(step,), again=True)
    ctx.effects.append(Terminate(record.target, ctx.state.settings.interrupts.completing_conclusion))


def _code(record: Interrupt) -> str:
    """Return the error code of the failure: overrun, not acknowledged, or refused."""
    if record.status == "overrun":
        return "interrupt_overrun"
    return "interrupt_ack_timeout" if record.ack is None else "interrupt_refused"


_SENTENCES = {
    "interrupt_ack_timeout": ("did not acknowledge the interrupt of {sender} in time", "still has not answered"),
    "interrupt_refused": ("answered the interrupt of {sender} with `{answer}`", "still goes on"),
    "interrupt_overrun": ("did not conclude {sequence} in time", "still has not concluded"),
}


def _report(ctx: HandlerContext, record: Interrupt, *, escalation: tuple[Step, ...], again: bool = False) -> None:
    """Report to the space what is wrong, since when, and which steps follow. With `again`: which step is taken now."""
    since = record.accepted_at
    if record.status == "overrun" and record.ack is not None and record.kind == "reasoning/interrupt":
        since = record.ack.at  # but a cancel asks for the conclusion itself
    first, later = _SENTENCES[_code(record)]
    answer = "" if record.ack is None else record.ack.answer
    text = (
        f"{later}: {record.sequence}"
        if again
        else first.format(sender=record.sender, sequence=record.sequence, answer=answer)
    )
    ctx.broadcast_error(
        _code(record),
        f"{record.target} {text}.",
        correlation=(record.id,),
        among=records.audience(ctx.state, record),
        interrupt_id=record.id,
        sequence_id=record.sequence,
        target=record.target,
        waited_ms=ctx.now - since,
        escalation=[step.name for step in escalation],
    )
