"""The fence: from an ack that promises a stop to the conclusion, its owner may not act (docs/protocol.md §5)."""

from __future__ import annotations

from typing import Literal

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import KINDS, Kind

from . import proposals
from .contexts import ended, root
from .handler_context import Turn
from .state import Fence, Sequence, State


def check(state: State, envelope: Envelope, kind: Kind) -> None:
    """Let an envelope pass or raise `Rejected` `sequence_closed` or `fenced`."""
    if not kind.acting or not acts(envelope):
        return
    name = root(envelope)
    if name is not None and name not in state.sequences and name in state.closed:
        raise ended(state, state.closed[name], envelope.sender)
    fenced = state.fenced.get(envelope.sender)
    if not fenced or _opened_before(state, envelope.sender, name, fenced):
        return
    raise refusal(fenced[0])


def put_up(
    turn: Turn, sequence: Sequence, answer: Literal["stopping", "completing_thought"], *, thoughts: int = 0
) -> None:
    """Fence a sequence's owner until its conclusion, and void what the sequence proposes. The strictest stands.

    `thoughts` more are let through: the current one of who has answered, none of who has not.
    """
    state = turn.state
    if sequence.fence is None:
        sequence.fence = Fence(answer, thoughts_left=thoughts, ordinal=state.next_ordinal())
        state.fenced.setdefault(sequence.owner, []).append(sequence.id)
        proposals.void_of_sequence(turn, sequence, "interrupted")
    else:
        if answer == "stopping":
            sequence.fence.answer = answer
        sequence.fence.thoughts_left = min(sequence.fence.thoughts_left, thoughts)


def refusal(sequence: str) -> Rejected:
    """The rejection of whatever acts under the fence of that sequence."""
    return Rejected("fenced", f"{sequence} is to stop: send its conclusion before you act.", sequence_id=sequence)


def acts(envelope: Envelope) -> bool:
    """Whether this envelope of an acting kind really does: two exceptions need a look inside."""
    if envelope.kind == "mcp/request":
        return (envelope.payload or {}).get("method") != "notifications/cancelled"
    if envelope.kind in KINDS and envelope.kind.startswith("participant/"):
        return any(name != envelope.sender for name in envelope.to or ("everybody",))
    return True


def _opened_before(state: State, sender: str, name: str | None, fenced: list[str]) -> bool:
    """Whether the context is another of the sender's sequences, open before each fence and itself not fenced."""
    sequence = state.sequences.get(name) if name is not None else None
    if sequence is None or sequence.owner != sender or sequence.fence is not None:
        return False
    fences = [state.sequences[id].fence for id in fenced]
    return all(fence is None or sequence.ordinal < fence.ordinal for fence in fences)
