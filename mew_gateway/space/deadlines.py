"""The deadlines of a space: a heap in its state.

A deadline is never edited. A handler that changes its mind schedules another one, and when the old one passes, its
handler finds that it no longer holds and does nothing. Only `machine` takes deadlines off the heap, and only for a
`DeadlinePassed` event: time passes at its place in the journal.

What may be far in the future is unset (`_UNSET`). An unset deadline stays on the heap until it is the earliest, or
until half of the heap is unset: so unsetting one takes the same work however many there are (`_clean`).
"""

from __future__ import annotations

import heapq
from typing import Final, NamedTuple

from .state import DeadlineKind, State


class Deadline(NamedTuple):
    """A deadline of the thing named `id`, `at` a time in milliseconds since the epoch.

    `machine` has a handler for each kind.
    """

    at: int
    kind: DeadlineKind
    id: str


# Kinds that `unset` may be asked for. `State.pending` has the number of the deadline in force, by kind and id.
_UNSET: Final[frozenset[DeadlineKind]] = frozenset({"grant", "pause", "shutdown", "watchdog"})


def schedule(state: State, at: int, kind: DeadlineKind, id: str) -> None:
    """Set a deadline. Of those that can be unset it replaces the one before.

    One that no longer holds when it passes has no effect, so only those that may be far in the future need `unset`.
    """
    if kind in _UNSET:
        unset(state, kind, id)
        state.pending[f"{kind} {id}"] = state.timers + 1
    state.timers += 1
    heapq.heappush(state.deadlines, (at, state.timers, kind, id))


def unset(state: State, kind: DeadlineKind, id: str) -> None:
    """Remove the deadline of this kind and id, if there is one."""
    if state.pending.pop(f"{kind} {id}", None) is not None:
        state.unset += 1
        _clean(state)


def earliest(state: State) -> int | None:
    """Return the time of the next deadline, or None."""
    return state.deadlines[0][0] if state.deadlines else None


def due(state: State, now: int) -> Deadline | None:
    """Take the earliest deadline off the heap and return it if it has passed by `now`, else None."""
    if not state.deadlines or state.deadlines[0][0] > now:
        return None
    at, _, kind, id = heapq.heappop(state.deadlines)
    state.pending.pop(f"{kind} {id}", None)
    _clean(state)
    return Deadline(at, kind, id)


def _clean(state: State) -> None:
    """Take unset deadlines off the heap: those that come first, and all if they are more than half of it."""
    if 2 * state.unset > len(state.deadlines):
        state.deadlines = [one for one in state.deadlines if _is_set(state, one)]
        heapq.heapify(state.deadlines)
        state.unset = 0
    while state.deadlines and not _is_set(state, state.deadlines[0]):
        heapq.heappop(state.deadlines)
        state.unset -= 1


def _is_set(state: State, deadline: tuple[int, int, DeadlineKind, str]) -> bool:
    _, number, kind, id = deadline
    return kind not in _UNSET or state.pending.get(f"{kind} {id}") == number
