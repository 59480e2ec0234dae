"""The fence: between an ack that promises a stop and the conclusion, the owner may not act (docs/protocol.md §5).

"Acting" is a property of the kind (`Kind.acting`), with two exceptions that `acts` knows. A fenced owner may still
finish its current thought, answer, and conclude. In other sequences it may act only if they were open before the fence:
else it would go on under another id. A fence ends with the conclusion of its sequence (`sequences._close`).
"""

from __future__ import annotations

from typing import Literal

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import KINDS, Kind

from . import proposals
from .handler_context import HandlerContext
from .sequence_lookup import ended, root, stopping
from .state import Fence, Sequence, State


def check(state: State, envelope: Envelope, kind: Kind) -> None:
    """Return if the envelope may pass, else raise `Rejected` `sequence_closed` or `fenced`."""
    if not kind.acting or not acts(envelope):
        return
    name = root(envelope)
    if name is not None and name not in state.sequences and name in state.closed:
        raise ended(state, state.closed[name], envelope.sender)
    fenced = state.fenced.get(envelope.sender)
    if not fenced or _opened_before(state, envelope.sender, name, fenced):
        return
    raise refusal(fenced[0])


def begin(
    ctx: HandlerContext, sequence: Sequence, answer: Literal["stopping", "completing_thought"], *, thoughts: int = 0
) -> None:
    """Fence a sequence's owner until its conclusion, and void the proposals of the sequence.

    `thoughts` is how many more thoughts pass: one after an ack, for the current thought; none without an ack. If the
    sequence is fenced already, the stricter of both promises holds.
    """
    state = ctx.state
    if sequence.fence is None:
        sequence.fence = Fence(answer, thoughts_left=thoughts, ordinal=state.next_ordinal())
        state.fenced.setdefault(sequence.owner, []).append(sequence.id)
        proposals.void_of_sequence(ctx, sequence, "interrupted")
    else:
        if answer == "stopping":
            sequence.fence.answer = answer
        sequence.fence.thoughts_left = min(sequence.fence.thoughts_left, thoughts)


def take_thought(sequence: Sequence) -> None:
    """Count a thought of a fenced sequence. Raises `Rejected` `sequence_interrupted` once none is left.

    After an ack that promises a stop one thought passes: it was on its way.
    """
    if sequence.fence is not None:
        if sequence.fence.thoughts_left == 0:
            raise stopping(sequence.id)
        sequence.fence.thoughts_left -= 1


def refusal(sequence: str) -> Rejected:
    """Return the rejection of an envelope that acts while that sequence is fenced."""
    return Rejected("fenced", f"{sequence} is to stop: send its conclusion before you act.", sequence_id=sequence)


def acts(envelope: Envelope) -> bool:
    """Return true if an envelope of an acting kind really acts: cancelling a request and controlling oneself do not."""
    if envelope.kind == "mcp/request":
        return (envelope.payload or {}).get("method") != "notifications/cancelled"
    if envelope.kind in KINDS and envelope.kind.startswith("participant/"):
        return any(name != envelope.sender for name in envelope.to or ("everybody",))
    return True


def _opened_before(state: State, sender: str, name: str | None, fenced: list[str]) -> bool:
    """Return true if the named sequence is the sender's, not fenced, and was open before each of the fences."""
    sequence = state.sequences.get(name) if name is not None else None
    if sequence is None or sequence.owner != sender or sequence.fence is not None:
        return False
    fences = [state.sequences[id].fence for id in fenced]
    return all(fence is None or sequence.ordinal < fence.ordinal for fence in fences)
