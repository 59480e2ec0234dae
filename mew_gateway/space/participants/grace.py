"""Grace period of an absent owner: how long its open sequences, streams and proposals wait (docs/protocol.md §5)."""

from __future__ import annotations

from .. import outages, proposals, sequences, streams
from ..deadlines import schedule
from ..handler_context import HandlerContext


def begin(ctx: HandlerContext, name: str) -> None:
    """Begin the grace period of a participant without a connection, if it owns something open."""
    state = ctx.state
    owns_sequence = any(sequence.owner == name for sequence in state.sequences.values())
    if owns_sequence or streams.owns(state, name) or ctx.members.proposals.number_of(name):
        outages.await_owner(ctx, name)


def ended(ctx: HandlerContext, name: str, at: int) -> None:
    """Give up on an owner that did not come back: its sequences are lost, its streams closed, its proposals void."""
    ends = ctx.state.absent.get(name)
    if ends is None:
        return
    if ends > at:  # it has posted since
        schedule(ctx.state, ends, "owner", name)
        return
    del ctx.state.absent[name]
    streams.participant_left(ctx, name)
    proposals.void_of_proposer(ctx, name, "left")
    for sequence in [open for open in ctx.state.sequences.values() if open.owner == name]:
        sequences.lose(ctx, sequence)
