"""The watchdog: the gateway itself interrupts a sequence that goes on for too long (docs/protocol.md §5)."""

from __future__ import annotations

from typing import Literal

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY

from . import interrupt_records as records
from . import interrupts
from .contexts import root
from .deadlines import schedule, unset
from .handler_context import Turn
from .settings import Watchdog
from .state import Interrupt, Sequence, State


def count(turn: Turn, envelope: Envelope, size: int) -> None:
    """Add an accepted envelope to its sequence, and look whether that was too much."""
    begins = envelope.kind == "reasoning/start"
    name = envelope.id if begins else root(envelope)
    sequence = None if name is None else turn.state.sequences.get(name)
    if sequence is None or sequence.owner != envelope.sender:
        return
    sequence.size += size
    limits = _limits(turn.state, sequence)
    if begins and limits.max_seconds is not None:
        _look_at(turn.state, sequence.opened_at + limits.max_seconds * 1000)
    if limits.max_thoughts is not None and sequence.thoughts > limits.max_thoughts:
        _bark(turn, sequence, "max_thoughts", f"{sequence.thoughts} thoughts, more than {limits.max_thoughts}")
    if limits.max_bytes is not None and sequence.size > limits.max_bytes:
        _bark(turn, sequence, "max_bytes", f"{sequence.size} bytes, more than {limits.max_bytes}")


def look(turn: Turn, _: str, at: int) -> None:
    """Some sequence may have reached its greatest age: one deadline serves all of them."""
    state = turn.state
    if state.watch_due != at:
        return
    for sequence in list(state.sequences.values()):
        due = _due(state, sequence)
        if due is not None and due <= turn.now:
            limit = _limits(state, sequence).max_seconds
            _bark(turn, sequence, "max_seconds", f"open for more than {limit} s")
    reconfigured(turn)


def reconfigured(turn: Turn) -> None:
    """Look again when the next of the open sequences is due: the limits may have changed."""
    state = turn.state
    state.watch_due = None
    unset(state, "watchdog", "")
    due = [due for sequence in state.sequences.values() if (due := _due(state, sequence)) is not None]
    if due:
        _look_at(state, min(due))


def suspended(turn: Turn, milliseconds: int) -> None:
    """For so long nobody could send anything, so no open sequence could end: it does not count."""
    for sequence in turn.state.sequences.values():
        sequence.suspended_ms += min(milliseconds, turn.now - sequence.opened_at)
    reconfigured(turn)


def _look_at(state: State, at: int) -> None:
    if state.watch_due is None or at < state.watch_due:
        unset(state, "watchdog", "")
        state.watch_due = at
        schedule(state, at, "watchdog", "")


def _due(state: State, sequence: Sequence) -> int | None:
    """When the sequence is too old; None: never, or it was interrupted for that already, or is stopping."""
    limit = _limits(state, sequence).max_seconds
    if limit is None or "max_seconds" in sequence.watched or sequence.fence is not None:
        return None
    return sequence.opened_at + sequence.suspended_ms + limit * 1000


def _limits(state: State, sequence: Sequence) -> Watchdog:
    configured = state.settings.participants.get(sequence.owner)
    own = None if configured is None else configured.watchdog
    return state.settings.watchdog if own is None else own


def _bark(turn: Turn, sequence: Sequence, limit: Literal["max_seconds", "max_thoughts", "max_bytes"], why: str) -> None:
    """Interrupt the sequence in the gateway's name, once per limit; not one that is stopping already."""
    if limit in sequence.watched or sequence.fence is not None:
        return
    sequence.watched.append(limit)
    reason = "timeout" if limit == "max_seconds" else "resource_limit"
    message = f"The watchdog: {why}."
    payload = {"reason": reason, "class": "cancel", "message": message}
    id, data = turn.announce("reasoning/interrupt", payload, to=(sequence.owner,), correlation=(sequence.id,))
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
        accepted_at=turn.now,
        data=data,
    )
    interrupts.await_ack(turn, record)
    records.opened(turn, sequence, record)
