"""The deadlines of a space: a heap in its state.

A deadline is never edited. A handler that changes its mind schedules another one, and when the old one passes, its
handler finds that it no longer holds and does nothing. Only `machine` takes deadlines off the heap, and only for a
`DeadlinePassed` event: time passes at its place in the journal.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

from .state import DeadlineKind, State


class Deadline(NamedTuple):
    """A deadline of the thing named `id`, `at` a time in milliseconds since the epoch.

    `machine` has a handler for each kind.
    """

    at: int
    kind: DeadlineKind
    id: str


def schedule(state: State, at: int, kind: DeadlineKind, id: str) -> None:
    """Set a deadline.

    One that no longer holds when it passes has no effect, so only those that may be far in the future need `unset`.
    """
    state.timers += 1
    heapq.heappush(state.deadlines, (at, state.timers, kind, id))


def unset(state: State, kind: DeadlineKind, id: str) -> None:
    """Remove all deadlines of this kind and id."""
    state.deadlines = [deadline for deadline in state.deadlines if deadline[2:] != (kind, id)]
    heapq.heapify(state.deadlines)


def earliest(state: State) -> int | None:
    """Return the time of the next deadline, or None."""
    return state.deadlines[0][0] if state.deadlines else None


def due(state: State, now: int) -> Deadline | None:
    """Take the earliest deadline off the heap and return it if it has passed by `now`, else None."""
    if not state.deadlines or state.deadlines[0][0] > now:
        return None
    at, _, kind, id = heapq.heappop(state.deadlines)
    return Deadline(at, kind, id)
