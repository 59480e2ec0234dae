"""The ids a participant has used: a resend is refused, a reuse after a restart is not (PROTOCOL.md §2)."""

from __future__ import annotations

from .events import Received
from .settings import Bounds
from .state import Memory, State

# While envelopes come faster than the default rate limit allows, ids go before `remembered_for`: memory is bounded.
_GENERATIONS = 8
_ORIGINS = 8  # connections that one id is remembered of


def is_used(state: State, event: Received, id: str) -> bool:
    """Whether the id was used on this connection, or with the same bytes on any of the participant's."""
    memory = state.memories.get(event.participant)
    if memory is None:
        return False
    for seen in (memory.young.get(id), memory.old.get(id)):
        if seen is not None and _matches(seen, event):
            return True
    return False


def _matches(seen: int | list[int], event: Received) -> bool:
    origins = seen if isinstance(seen, list) else [seen]
    return any(
        (event.connection != 0 and origin >> 32 == event.connection) or origin & 0xFFFFFFFF == event.digest
        for origin in origins
    )


def remember(state: State, event: Received, id: str, now: int) -> None:
    """Keep an accepted envelope's id, for at least `remembered_for` and `remembered_ids` envelopes."""
    memory = state.memories.get(event.participant)
    if memory is None:
        memory = state.memories[event.participant] = Memory(since=now)
    young = memory.young
    if len(young) >= state.settings.bounds.remembered_ids and _is_full(memory, state.settings.bounds, now):
        memory.old = young
        young = memory.young = {}
        memory.since = now
    origin = event.connection << 32 | event.digest
    seen = young.get(id)
    if seen is None:
        young[id] = origin
    else:
        young[id] = [*(seen if isinstance(seen, list) else [seen]), origin][-_ORIGINS:]


def _is_full(memory: Memory, bounds: Bounds, now: int) -> bool:
    old_enough = now - memory.since >= bounds.remembered_for
    return old_enough or len(memory.young) >= _GENERATIONS * bounds.remembered_ids
