"""Reasoning sequences: opened, continued and ended by their owner (docs/protocol.md §5).

A sequence is open from `reasoning/start` to the conclusion, the cancel of its owner, or the loss of its owner. Its id
is the id of the start, and other envelopes name it in `context`. Its end closes everything that hangs on it (`_close`):
the fence, the open proposals, the promises of interrupts.
"""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import MAX_ENVELOPE_ID
from mew_gateway.protocol.payloads import Conclusion, Payload, Reasoned, Start

from . import fence, proposals
from . import interrupt_records as records
from .effects import Interrupted
from .handler_context import HandlerContext
from .sequence_lookup import continued, stopping
from .state import Outcome, Sequence, remembered


def start(ctx: HandlerContext, envelope: Envelope, payload: Start, data: bytes) -> None:
    """Handle `reasoning/start`: open a sequence under the envelope's id."""
    state, owner = ctx.state, envelope.sender
    if "/" in envelope.id:
        raise Rejected("invalid_envelope", "The id of a reasoning/start contains no `/`: it becomes a context.")
    limit = state.settings.bounds.open_sequences
    if sum(sequence.owner == owner for sequence in state.sequences.values()) >= limit:
        raise Rejected("too_many_sequences", f"{owner} has {limit} open sequences, the most allowed.", limit=limit)
    state.sequences[envelope.id] = Sequence(
        id=envelope.id,
        owner=owner,
        ordinal=state.next_ordinal(),
        opened_at=ctx.now,
        message=remembered(payload.message),
        is_public=not envelope.to,
    )
    ctx.forward(envelope, data)
    if not ctx.members.capabilities(owner).allow("reasoning/interrupt-ack", {}, ()):
        ctx.notify(
            owner,
            "cannot_ack",
            "You may not send reasoning/interrupt-ack: an interrupt of this sequence will run into its deadline.",
            correlation=envelope.id,
        )


def think(ctx: HandlerContext, envelope: Envelope, _: Payload, data: bytes) -> None:
    """Handle `reasoning/thought`, and a conclusion or cancel below a sequence.

    Refused once the sequence is stopping.
    """
    sequence = continued(ctx.state, envelope)
    if sequence is not None:
        fence.take_thought(sequence)
        sequence.thoughts += 1
    ctx.forward(envelope, data)


def conclude(ctx: HandlerContext, envelope: Envelope, payload: Conclusion, data: bytes) -> None:
    """Handle `reasoning/conclusion`: close the sequence.

    One below it (`context` is a longer path) counts as a thought.
    """
    if envelope.context is not None and "/" in envelope.context:
        think(ctx, envelope, payload, data)
        return
    sequence = continued(ctx.state, envelope)
    ctx.forward(envelope, data)
    if sequence is not None:
        if payload.interrupted is True:
            ctx.interrupted.append(Interrupted(sequence.owner, sequence.id, _unrecorded(ctx, payload.interrupt_id)))
        _close(ctx, sequence, "concluded", said=payload.outcome, is_public=not envelope.to)


def abort(ctx: HandlerContext, envelope: Envelope, payload: Reasoned, data: bytes, sequence: Sequence | None) -> None:
    """Handle a `reasoning/cancel` of the sender's own sequence, or of none that is tracked."""
    if sequence is None:
        if ctx.state.fenced.get(envelope.sender):
            raise stopping(ctx.state.fenced[envelope.sender][0])
        ctx.forward(envelope, data)
        return
    if envelope.context != sequence.id:  # a cancel below the sequence: the sequence itself goes on
        think(ctx, envelope, payload, data)
        return
    ctx.forward(envelope, data)
    ctx.interrupted.append(Interrupted(sequence.owner, sequence.id))
    _close(ctx, sequence, "cancelled", said=payload.reason, is_public=not envelope.to)


def lose(ctx: HandlerContext, sequence: Sequence) -> None:
    """Close a sequence whose owner is gone, and announce it."""
    ctx.broadcast_error(
        "sequence_lost",
        f"{sequence.owner} left and did not come back: its sequence {sequence.id} is lost.",
        correlation=(sequence.id,),
        sequence_id=sequence.id,
        owner=sequence.owner,
    )
    ctx.interrupted.append(Interrupted(sequence.owner, sequence.id))
    _close(ctx, sequence, "lost", said=None)


def interrupt_all(ctx: HandlerContext, owner: str, *, by: str) -> None:
    """Note that every open sequence of a participant is interrupted by an order to it, or by its kick."""
    for sequence in ctx.state.sequences.values():
        if sequence.owner == owner:
            ctx.interrupted.append(Interrupted(owner, sequence.id, by))


def _unrecorded(ctx: HandlerContext, by: object) -> str | None:
    """Return what a conclusion names as its interrupt, unless it is no id, or an interrupt that is on record."""
    if not isinstance(by, str) or len(by) > MAX_ENVELOPE_ID:
        return None
    return None if by in ctx.state.interrupts or by in ctx.state.settled else by


def _close(
    ctx: HandlerContext, sequence: Sequence, outcome: Outcome, *, said: str | None, is_public: bool = True
) -> None:
    state = ctx.state
    del state.sequences[sequence.id]
    if sequence.fence is not None:
        fenced = state.fenced[sequence.owner]
        fenced.remove(sequence.id)
        if not fenced:
            del state.fenced[sequence.owner]
    sequence.fence = None
    sequence.asked = {}
    sequence.closed_at, sequence.outcome, sequence.said = ctx.now, outcome, remembered(said)
    sequence.ended, sequence.ended_publicly = state.next_ordinal(), is_public
    # Replaces an earlier one of the owner's under the same id.
    ctx.finished.closed.add(sequence.id, sequence, most=state.settings.bounds.closed_sequences)
    proposals.void_of_sequence(ctx, sequence, "ended")
    records.sequence_closed(ctx, sequence)
