"""The escalation ladder: what follows, rung by rung, when an interrupt is not answered (docs/protocol.md §5)."""

from __future__ import annotations

from typing import assert_never

from mew_gateway.protocol.ids import GATEWAY

from . import grants, invitations, membership, outages, pauses
from . import interrupt_records as records
from .deadlines import schedule
from .effects import Terminate
from .handler_context import Turn
from .settings import Step
from .state import Interrupt


def begin(turn: Turn, record: Interrupt) -> None:
    """Tell everybody what is wrong, and take every rung that is due at once."""
    record.rung = 0
    _report(turn, record, escalation=records.ladder_of(turn.state, record))
    _climb(turn, record)


def rung_due(turn: Turn, id: str, at: int) -> None:
    """A rung that was waited for is due."""
    record = turn.state.interrupts.get(id)
    if record is None or record.rung_due != at:
        return
    ladder = records.ladder_of(turn.state, record)
    if record.rung < len(ladder):  # it may be shorter than when it was begun
        _take(turn, record, ladder[record.rung])
    _climb(turn, record)


def end(turn: Turn, record: Interrupt) -> None:
    """Take no further rung, and lift the pause that one of them was."""
    record.rung_due = None
    if record.pause is not None:
        pauses.lift(turn, record.target, (record.pause,))
        record.pause = None


def _climb(turn: Turn, record: Interrupt) -> None:
    """Take every rung that is due at once; set the deadline of the next one; settle at the top."""
    ladder = records.ladder_of(turn.state, record)
    record.rung_due = None
    while record.rung < len(ladder):
        step = ladder[record.rung]
        if step.after > 0:
            record.rung_due = outages.due(turn, record.target, turn.now + step.after)
            schedule(turn.state, record.rung_due, "escalation", record.id)
            return
        _take(turn, record, step)
    if record.conclusion_due is None and record.stop_by is None:
        records.settle(turn, record)


def _take(turn: Turn, record: Interrupt, step: Step) -> None:
    record.rung += 1
    record.escalated.append(step.name)
    match step.name:
        case "notify":
            if step.after > 0:  # at once: the report said it
                _report(turn, record, escalation=(step,), again=True)
        case "pause":
            _pause(turn, record)
        case "revoke":
            _revoke(turn, record)
        case "kick":
            _kick(turn, record)
        case "terminate":
            _terminate(turn, record, step)
        case _:
            assert_never(step.name)


def _pause(turn: Turn, record: Interrupt) -> None:
    reason = _code(record)
    id, _ = turn.announce("participant/pause", {"reason": reason}, to=(record.target,), correlation=(record.id,))
    pauses.add(turn, record.target, id, GATEWAY)
    record.pause = id


def _revoke(turn: Turn, record: Interrupt) -> None:
    dropped = grants.drop_all(turn, record.target)
    payload = {"recipient": record.target, "grant_ids": dropped, "reason": _code(record)}
    turn.announce("capability/revoke", payload, to=(record.target,), correlation=(record.id,))
    if dropped:
        membership.renewed(turn, record.target)


def _kick(turn: Turn, record: Interrupt) -> None:
    if turn.members.knows(record.target) and record.target not in turn.state.kicked:
        payload = {"participant_id": record.target, "reason": _code(record)}
        turn.announce("space/kick", payload, to=(record.target,), correlation=(record.id,))
        invitations.expel(turn, record.target)


def _terminate(turn: Turn, record: Interrupt, step: Step) -> None:
    """End the process that the gateway hosts for the target; what is irreversible there may finish first."""
    _report(turn, record, escalation=(step,), again=True)
    turn.effects.append(Terminate(record.target, turn.state.settings.interrupts.completing_conclusion))


def _code(record: Interrupt) -> str:
    """What is wrong: overdue, refused, or not acknowledged."""
    if record.status == "overrun":
        return "interrupt_overrun"
    return "interrupt_ack_timeout" if record.ack is None else "interrupt_refused"


_SENTENCES = {
    "interrupt_ack_timeout": ("did not acknowledge the interrupt of {sender} in time", "still has not answered"),
    "interrupt_refused": ("answered the interrupt of {sender} with `{answer}`", "still goes on"),
    "interrupt_overrun": ("did not conclude {sequence} in time", "still has not concluded"),
}


def _report(turn: Turn, record: Interrupt, *, escalation: tuple[Step, ...], again: bool = False) -> None:
    """Tell everybody what is wrong, since when, and which rungs follow (or, waited for, which is this)."""
    since = record.accepted_at
    if record.status == "overrun" and record.ack is not None and record.kind == "reasoning/interrupt":
        since = record.ack.at  # but a cancel asks for the conclusion itself
    first, later = _SENTENCES[_code(record)]
    answer = "" if record.ack is None else record.ack.answer
    told = (
        f"{later}: {record.sequence}"
        if again
        else first.format(sender=record.sender, sequence=record.sequence, answer=answer)
    )
    turn.broadcast_error(
        _code(record),
        f"{record.target} {told}.",
        correlation=(record.id,),
        among=records.concerned(turn.state, record),
        interrupt_id=record.id,
        sequence_id=record.sequence,
        target=record.target,
        waited_ms=turn.now - since,
        escalation=[step.name for step in escalation],
    )
