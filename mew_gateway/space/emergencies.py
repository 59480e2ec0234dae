"""Emergencies: they halt their target at acceptance, until the safety role's resume (docs/protocol.md §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Several
from datetime import datetime
from typing import Any

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import Kind
from mew_gateway.protocol.payloads import InterruptAck

from . import escalation as ladder
from . import fence, outages, pauses, proposals
from . import interrupt_records as records
from .contexts import root
from .deadlines import schedule
from .handler_context import Turn
from .state import Halt, Interrupt, Sequence, State
from .visibility import Viewer

_MOST = 64  # halts of one participant: the oldest goes, and it stays halted


def check(state: State, envelope: Envelope, kind: Kind) -> None:
    """Let an envelope pass or raise `Rejected` `halted`: nothing begins, nothing acts outside the named sequence."""
    halts = state.halted.get(envelope.sender)
    if not halts:
        return
    begins = envelope.kind == "reasoning/start"
    if not begins and not (kind.acting and fence.acts(envelope)):
        return
    if begins or not _is_inside(state, envelope, halts):
        raise _halted(halts[0])


def check_frame(state: State, participant: str) -> None:
    """Let a stream's frame pass or raise `Rejected` `halted` or `fenced`."""
    halts = state.halted.get(participant)
    if halts:
        raise _halted(halts[0])
    if participant in state.fenced:
        raise fence.refusal(state.fenced[participant][0])


def begin(turn: Turn, record: Interrupt) -> None:
    """Halt the target: its emergency was accepted. What it has proposed is void."""
    halts = turn.state.halted.setdefault(record.target, [])
    halts.append(Halt(record.id, record.sequence, turn.now, record.reason))
    del halts[:-_MOST]
    proposals.void_of_proposer(turn, record.target, "halted")


def answered(turn: Turn, sequence: Sequence, record: Interrupt, payload: InterruptAck) -> None:
    """The target goes on: until its span ends, or, refusing, at once, the named sequence is fenced."""
    if payload.status == "continuing" and payload.outcome == "halt_after_span":
        latest = turn.now + turn.state.settings.interrupts.completing_conclusion
        records.reopened(turn, sequence, record)
        record.stop_by = min(_moment(payload.stop_by, latest), latest)
        schedule(turn.state, record.stop_by, "halt", record.id)
        return
    fence.put_up(turn, sequence, "stopping")
    ladder.begin(turn, record)


def stop_is_due(turn: Turn, id: str, at: int) -> None:
    """The span had to end by now: the sequence is fenced, and its conclusion is due."""
    record = turn.state.interrupts.get(id)
    if record is None or record.stop_by != at:
        return
    record.stop_by = None
    sequence = records.open_sequence_of(turn.state, record)
    if sequence is None:  # its owner was lost
        records.settle(turn, record)
        return
    fence.put_up(turn, sequence, "stopping")
    due = turn.now + turn.state.settings.interrupts.stopping_conclusion
    record.conclusion_due = outages.due(turn, record.target, due)
    schedule(turn.state, record.conclusion_due, "conclusion", record.id)


def named(turn: Turn, envelope: Envelope, targets: Several[str], ids: tuple[str, ...]) -> list[Halt]:
    """The halts of `targets` that a resume correlates to, if its sender may lift them.

    Raises `Rejected` for any other resume that names an emergency, for a target trusts what it gets:
    `capability_violation`, or `pause_not_found` of one that the sender does not see.
    """
    wanted = dict.fromkeys(ids)
    viewer = turn.viewer(envelope.sender)
    for id, target, said in _called(turn.state, wanted):
        if not _may_lift(turn, envelope.sender, target, said):
            if not _is_seen(turn.state, id, target, viewer):
                raise pauses.unknown(ids)
            raise Rejected(
                "capability_violation",
                f"Only who may send emergencies, and is not halted by it, may lift {id}.",
                attempted_kind=envelope.kind,
                your_capabilities=turn.members.capabilities(envelope.sender).sources,
            )
    return [halt for name in targets for halt in turn.state.halted.get(name, ()) if halt.interrupt in wanted]


def lift(turn: Turn, targets: Several[str], halt: Halt) -> None:
    """End a halt, and what its ladder has still in store. A fence stays until the conclusion."""
    state = turn.state
    for name in targets:
        left = [one for one in state.halted.get(name, ()) if one != halt]
        if left:
            state.halted[name] = left
        else:
            state.halted.pop(name, None)
    record = _record(state, halt.interrupt)
    if record is not None:
        climbing = record.rung_due is not None
        ladder.end(turn, record)
        if climbing and record.conclusion_due is None:
            records.settle(turn, record)


def _is_inside(state: State, envelope: Envelope, halts: list[Halt]) -> bool:
    """Whether it is in the sender's sequence that all of these name: once that has ended, somebody else's may be
    called so."""
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
    """The record of an emergency: once it is settled, an interrupt of another class may be called so."""
    record = state.interrupts.get(id) or state.settled.get(id)
    return record if record is not None and record.class_ == "emergency" else None


def _called(state: State, ids: Mapping[str, None]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The emergencies of these ids: the id of each, whom it is about, and what it said, as far as a record or a halt
    still tells. There may be several of one id: a halt stands, and its settled record's id was used again."""
    found = {id: record for id in ids if (record := _record(state, id)) is not None}
    for id, record in found.items():
        yield id, record.target, {"reason": record.reason, "message": record.message}
    for target, halts in state.halted.items():
        for halt in halts:
            id = halt.interrupt
            if id in ids and (id not in found or found[id].target != target):
                yield id, target, {"reason": halt.reason}


def _is_seen(state: State, id: str, target: str, viewer: Viewer) -> bool:
    """Whether the participant sees the emergency. A halt, all that is left of a forgotten one, tells its time."""
    record = _record(state, id)
    if record is not None and record.target == target:
        return records.is_seen(record, viewer)
    halts = (halt for halt in state.halted.get(target, ()) if halt.interrupt == id)
    return viewer.name == target or any(viewer.sees_all(halt.at) for halt in halts)


def _may_lift(turn: Turn, sender: str, target: str, said: dict[str, Any]) -> bool:
    """Whether the sender holds the capability for this very emergency, and is not its target."""
    asked = {"class": "emergency", **said}
    capabilities = turn.members.capabilities(sender)
    return sender != target and capabilities.allow_emergency("reasoning/interrupt", asked, (target,), turn.budget)


def _moment(text: str | None, otherwise: int) -> int:
    """RFC 3339 as milliseconds since the epoch; what cannot be read promises nothing earlier."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return otherwise
    return otherwise if moment.tzinfo is None else round(moment.timestamp() * 1000)
