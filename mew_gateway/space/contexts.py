"""Which sequence an envelope is in, and why it may not be (docs/protocol.md §5)."""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope

from .state import Sequence, State
from .visibility import viewer


def root(envelope: Envelope) -> str | None:
    """The sequence an envelope's `context` is in or below, if it names one."""
    return None if envelope.context is None else envelope.context.partition("/")[0]


def find(state: State, name: str, asking: str) -> Sequence:
    """The open sequence of that id, for somebody who acts on it.

    Raises `Rejected` `sequence_closed` or `sequence_not_found`.
    """
    sequence = state.sequences.get(name)
    if sequence is not None:
        return sequence
    closed = state.closed.get(name)
    if closed is None:
        raise Rejected("sequence_not_found", f"There is no sequence {name!r} here.", sequence_id=name)
    raise ended(state, closed, asking)


def continued(state: State, envelope: Envelope) -> Sequence | None:
    """The sender's open sequence that a thought or conclusion continues; None where it names none that is known.

    Raises `Rejected`: `sequence_closed`, `not_sequence_owner`, or `sequence_interrupted` for one that names none
    while a sequence of the sender's is stopping.
    """
    name = root(envelope)
    sequence = state.sequences.get(name) if name is not None else None
    if sequence is None:
        closed = state.closed.get(name) if name is not None else None
        if closed is not None:
            raise ended(state, closed, envelope.sender)
        if state.fenced.get(envelope.sender):
            raise stopping(state.fenced[envelope.sender][0])
        return None
    if sequence.owner != envelope.sender:
        raise foreign(sequence)
    return sequence


def outcome_for(state: State, sequence: Sequence, asking: str) -> str | None:
    """The conclusion's own word for its outcome, if somebody may see it."""
    among = None if sequence.ended_publicly else (sequence.owner,)
    sees = viewer(state, asking).sees(sequence.ended, sequence.closed_at or 0, among)
    return sequence.said if sees else None


def ended(state: State, sequence: Sequence, asking: str) -> Rejected:
    """The rejection of what somebody sends after a sequence's end; it says how it ended."""
    outcome = outcome_for(state, sequence, asking) or sequence.outcome
    return Rejected(
        "sequence_closed",
        f"The sequence {sequence.id} of {sequence.owner} has ended ({outcome}).",
        sequence_id=sequence.id,
        outcome=outcome,
    )


def foreign(sequence: Sequence) -> Rejected:
    """The rejection of an envelope that treats somebody's sequence as somebody else's."""
    return Rejected(
        "not_sequence_owner",
        f"The sequence {sequence.id} belongs to {sequence.owner}.",
        sequence_id=sequence.id,
        owner=sequence.owner,
    )


def stopping(id: str) -> Rejected:
    """The rejection of a thought after an ack that promised a stop."""
    return Rejected(
        "sequence_interrupted",
        f"The sequence {id} is stopping: send its conclusion, with its id as `context`.",
        sequence_id=id,
    )
