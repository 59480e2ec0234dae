"""The watchdog: the gateway interrupts a sequence that is too old, too long or too large (docs/protocol.md §5).

Its interrupt is an ordinary record with the gateway as sender, so deadlines, fence and escalation follow as usual. Each
limit is applied once to a sequence. One deadline serves all ages (`State.watch_due`). Time in which no participant
could send does not count (`suspended`).
"""

from __future__ import annotations

from typing import Literal

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY

from .. import interrupt_records as records
from ..deadlines import schedule, unset
from ..handler_context import HandlerContext
from ..sequence_lookup import root
from ..settings import Watchdog
from ..state import Interrupt, Sequence, State
from . import acceptance


def count(ctx: HandlerContext, envelope: Envelope, size: int) -> None:
    """Add an accepted envelope to its sequence, and interrupt the sequence if a limit is passed."""
    begins = envelope.kind == "reasoning/start"
    name = envelope.id if begins else root(envelope)
    sequence = None if name is None else ctx.state.sequences.get(name)
    if sequence is None or sequence.owner != envelope.sender:
        return
    sequence.size += size
    limits = _limits(ctx.state, sequence)
    if begins and limits.max_seconds is not None:
        _schedule_check(ctx.state, sequence.opened_at + limits.max_seconds * 1000)
    if limits.max_thoughts is not None and sequence.thoughts > limits.max_thoughts:
        _interrupt(ctx, sequence, "max_thoughts", f"{sequence.thoughts} thoughts, more than {limits.max_thoughts}")
    if limits.max_bytes is not None and sequence.size > limits.max_bytes:
        _interrupt(ctx, sequence, "max_bytes", f"{sequence.size} bytes, more than {limits.max_bytes}")


def check_ages(ctx: HandlerContext, _: str, at: int) -> None:
    """Interrupt the sequences that have reached their greatest age."""
    state = ctx.state
    if state.watch_due != at:
        return
    for sequence in list(state.sequences.values()):
        due = _due(state, sequence)
        if due is not None and due <= ctx.now:
            limit = _limits(state, sequence).max_seconds
            _interrupt(ctx, sequence, "max_seconds", f"open for more than {limit} s")
    reconfigured(ctx)


def reconfigured(ctx: HandlerContext) -> None:
    """Schedule the check of the next sequence that comes of age: the limits may have changed."""
    state = ctx.state
    state.watch_due = None
    unset(state, "watchdog", "")
    due = [due for sequence in state.sequences.values() if (due := _due(state, sequence)) is not None]
    if due:
        _schedule_check(state, min(due))


def suspended(ctx: HandlerContext, milliseconds: int) -> None:
    """Leave `milliseconds` out of the ages of all open sequences: nobody could send anything."""
    for sequence in ctx.state.sequences.values():
        sequence.suspended_ms += min(milliseconds, ctx.now - sequence.opened_at)
    reconfigured(ctx)


def _schedule_check(state: State, at: int) -> None:
    if state.watch_due is None or at < state.watch_due:
        state.watch_due = at
        schedule(state, at, "watchdog", "")


def _due(state: State, sequence: Sequence) -> int | None:
    """Return when the sequence is too old; None: never, or it was interrupted for that already, or is stopping."""
    limit = _limits(state, sequence).max_seconds
    if limit is None or "max_seconds" in sequence.watched or sequence.fence is not None:
        return None
    return sequence.opened_at + sequence.suspended_ms + limit * 1000


def _limits(state: State, sequence: Sequence) -> Watchdog:
    configured = state.settings.participants.get(sequence.owner)
    own = None if configured is None else configured.watchdog
    return state.settings.watchdog if own is None else own


def _interrupt(
    ctx: HandlerContext, sequence: Sequence, limit: Literal["max_seconds", "max_thoughts", "max_bytes"], why: str
) -> None:
    """Interrupt the sequence as the gateway, once for each limit, unless it is stopping already."""
    if limit in sequence.watched or sequence.fence is not None:
        return
    sequence.watched.append(limit)
    reason = "timeout" if limit == "max_seconds" else "resource_limit"
    message = f"The watchdog: {why}."
    payload = {"reason": reason, "class": "cancel", "message": message}
    id, data = ctx.announce("reasoning/interrupt", payload, to=(sequence.owner,), correlation=(sequence.id,))
    record = Interrupt(
        id=id,
        kind="reasoning/interrupt",
        sequence=sequence.id,
        ordinal=sequence.ordinal,
        target=sequence.owner,
        sender=GATEWAY,
        reason=reason,
        class_="cancel",
        message=message,
        accepted_at=ctx.now,
        data=data,
    )
    acceptance.await_ack(ctx, record)
    records.opened(ctx, sequence, record)
