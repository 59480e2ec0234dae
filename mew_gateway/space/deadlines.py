"""The deadlines of a space: a heap in its state. Whoever set one checks that it still holds when it passes."""

from __future__ import annotations

import heapq
from typing import NamedTuple

from .state import State, What


class Deadline(NamedTuple):
    """`what` of `id` is due `at` (milliseconds since the epoch)."""

    at: int
    what: What
    id: str


def schedule(state: State, at: int, what: What, id: str) -> None:
    """Set a deadline. When it passes and no longer holds, nothing happens: only one that may be far away is unset."""
    state.timers += 1
    heapq.heappush(state.deadlines, (at, state.timers, what, id))


def unset(state: State, what: What, id: str) -> None:
    """Forget the deadlines of `what` of `id`."""
    state.deadlines = [deadline for deadline in state.deadlines if deadline[2:] != (what, id)]
    heapq.heapify(state.deadlines)


def earliest(state: State) -> int | None:
    """When the next deadline passes, or None."""
    return state.deadlines[0][0] if state.deadlines else None


def due(state: State, now: int) -> Deadline | None:
    """Take the earliest deadline that has passed by `now`, or None."""
    if not state.deadlines or state.deadlines[0][0] > now:
        return None
    at, _, what, id = heapq.heappop(state.deadlines)
    return Deadline(at, what, id)
