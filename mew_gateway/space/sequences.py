"""Reasoning sequences: opened, continued and ended by their owner (docs/protocol.md §5)."""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.payloads import Conclusion, Payload, Reasoned, Start

from . import interrupt_records as records
from . import proposals
from .contexts import continued, stopping
from .handler_context import Turn
from .state import Outcome, Sequence, remembered


def start(turn: Turn, envelope: Envelope, payload: Start, data: bytes) -> None:
    """`reasoning/start`: open a sequence under the envelope's id."""
    state, owner = turn.state, envelope.sender
    if "/" in envelope.id:
        raise Rejected("invalid_envelope", "The id of a reasoning/start contains no `/`: it becomes a context.")
    limit = state.settings.bounds.open_sequences
    if sum(sequence.owner == owner for sequence in state.sequences.values()) >= limit:
        raise Rejected("too_many_sequences", f"{owner} has {limit} open sequences, the most allowed.", limit=limit)
    state.sequences[envelope.id] = Sequence(
        id=envelope.id,
        owner=owner,
        ordinal=state.next_ordinal(),
        opened_at=turn.now,
        message=remembered(payload.message),
        is_public=not envelope.to,
    )
    turn.forward(envelope, data)
    if not turn.members.capabilities(owner).allow("reasoning/interrupt-ack", {}, ()):
        turn.notify(
            owner,
            "cannot_ack",
            "You may not send reasoning/interrupt-ack: an interrupt of this sequence will run into its deadline.",
            correlation=envelope.id,
        )


def think(turn: Turn, envelope: Envelope, _: Payload, data: bytes) -> None:
    """`reasoning/thought`, and a conclusion or cancel below a sequence: refused once the sequence is stopping."""
    sequence = continued(turn.state, envelope)
    if sequence is not None:
        if sequence.fence is not None:
            if sequence.fence.thoughts_left == 0:
                raise stopping(sequence.id)
            sequence.fence.thoughts_left -= 1
        sequence.thoughts += 1
    turn.forward(envelope, data)


def conclude(turn: Turn, envelope: Envelope, payload: Conclusion, data: bytes) -> None:
    """`reasoning/conclusion`: close the sequence. One below it (`context` a longer path) is one more thought."""
    if envelope.context is not None and "/" in envelope.context:
        think(turn, envelope, payload, data)
        return
    sequence = continued(turn.state, envelope)
    turn.forward(envelope, data)
    if sequence is not None:
        _close(turn, sequence, "concluded", said=payload.outcome, is_public=not envelope.to)


def abort(turn: Turn, envelope: Envelope, payload: Reasoned, data: bytes, sequence: Sequence | None) -> None:
    """`reasoning/cancel` of the sender's own sequence, or of none that is tracked."""
    if sequence is None:
        if turn.state.fenced.get(envelope.sender):
            raise stopping(turn.state.fenced[envelope.sender][0])
        turn.forward(envelope, data)
        return
    if envelope.context != sequence.id:  # of something below: the sequence itself goes on
        think(turn, envelope, payload, data)
        return
    turn.forward(envelope, data)
    _close(turn, sequence, "cancelled", said=payload.reason, is_public=not envelope.to)


def lose(turn: Turn, sequence: Sequence) -> None:
    """Close a sequence whose owner is gone, and tell everybody."""
    turn.broadcast_error(
        "sequence_lost",
        f"{sequence.owner} left and did not come back: its sequence {sequence.id} is lost.",
        correlation=(sequence.id,),
        sequence_id=sequence.id,
        owner=sequence.owner,
    )
    _close(turn, sequence, "lost", said=None)


def _close(turn: Turn, sequence: Sequence, outcome: Outcome, *, said: str | None, is_public: bool = True) -> None:
    state = turn.state
    del state.sequences[sequence.id]
    if sequence.fence is not None:
        fenced = state.fenced[sequence.owner]
        fenced.remove(sequence.id)
        if not fenced:
            del state.fenced[sequence.owner]
    sequence.fence = None
    sequence.asked = {}
    sequence.closed_at, sequence.outcome, sequence.said = turn.now, outcome, remembered(said)
    sequence.ended, sequence.ended_publicly = state.next_ordinal(), is_public
    # An earlier one of the owner's under the same id goes.
    turn.shares.closed.add(sequence.id, sequence, most=state.settings.bounds.closed_sequences)
    proposals.void_of_sequence(turn, sequence, "ended")
    records.sequence_closed(turn, sequence)
