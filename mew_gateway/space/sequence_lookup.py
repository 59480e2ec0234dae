"""Find the sequence that an envelope belongs to, and reject one that may not belong to it (docs/protocol.md §5).

An envelope names its sequence in `context`: the sequence's id, or a path below it (`ID/step/...`). Every rejection
about a sequence is made here, so that one sentence and one set of details exists for each code.
"""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope

from .state import Sequence, State
from .visibility import viewer


def root(envelope: Envelope) -> str | None:
    """Return the id of the sequence that the envelope's `context` is in or below; None without a context."""
    return None if envelope.context is None else envelope.context.partition("/")[0]


def find(state: State, name: str, participant: str) -> Sequence:
    """Return the open sequence of that id, for a participant that acts on it.

    Raises `Rejected` `sequence_closed` or `sequence_not_found`.
    """
    sequence = state.sequences.get(name)
    if sequence is not None:
        return sequence
    closed = state.closed.get(name)
    if closed is None:
        raise Rejected("sequence_not_found", f"There is no sequence {name!r} here.", sequence_id=name)
    raise ended(state, closed, participant)


def continued(state: State, envelope: Envelope) -> Sequence | None:
    """Return the sender's open sequence that a thought or conclusion continues; None if it names no known sequence.

    Raises `Rejected`: `sequence_closed`, `not_sequence_owner`, or `sequence_interrupted` for an envelope that names no
    sequence while a sequence of its sender is stopping.
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


def outcome_for(state: State, sequence: Sequence, participant: str) -> str | None:
    """Return the outcome as the conclusion words it; None if the participant may not see the conclusion."""
    among = None if sequence.ended_publicly else (sequence.owner,)
    sees = viewer(state, participant).sees(sequence.ended, among)
    return sequence.said if sees else None


def ended(state: State, sequence: Sequence, participant: str) -> Rejected:
    """Return the rejection of an envelope that comes after the end of its sequence. It says how the sequence ended."""
    outcome = outcome_for(state, sequence, participant) or sequence.outcome
    return Rejected(
        "sequence_closed",
        f"The sequence {sequence.id} of {sequence.owner} has ended ({outcome}).",
        sequence_id=sequence.id,
        outcome=outcome,
    )


def foreign(sequence: Sequence) -> Rejected:
    """Return the rejection of an envelope that treats a sequence as another participant's than its owner's."""
    return Rejected(
        "not_sequence_owner",
        f"The sequence {sequence.id} belongs to {sequence.owner}.",
        sequence_id=sequence.id,
        owner=sequence.owner,
    )


def stopping(id: str) -> Rejected:
    """Return the rejection of a thought after an ack that promised a stop."""
    return Rejected(
        "sequence_interrupted",
        f"The sequence {id} is stopping: send its conclusion, with its id as `context`.",
        sequence_id=id,
    )
