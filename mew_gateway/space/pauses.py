"""Who is paused, by whom, and until when: several pauses of one participant overlap (docs/protocol.md §4)."""

from __future__ import annotations

from mew_gateway.errors import Rejected

from .deadlines import schedule, unset
from .state import Pause, State
from .turn import Turn

_MOST = 64  # pauses of one participant that stand at once


def check_room(state: State, target: str, id: str) -> None:
    """Raise `Rejected` `too_many_pauses` where no further pause is kept, `duplicate_id` where one is called so: the end
    of the one would be the other's."""
    standing = state.paused.get(target, ())
    if any(pause.id == id for pause in standing):
        raise Rejected("duplicate_id", f"A pause of {target} that stands has the id {id!r}.")
    if len(standing) >= _MOST:
        raise Rejected("too_many_pauses", f"{target} has {_MOST} pauses already.", limit=_MOST)


def add(turn: Turn, target: str, pause: Pause) -> None:
    """One more pause stands."""
    turn.state.paused.setdefault(target, []).append(pause)
    if pause.until is not None:
        schedule(turn.state, pause.until, "pause", f"{target} {pause.id}")


def lift(turn: Turn, target: str, ids: tuple[str, ...] | None) -> None:
    """Lift those of these ids, or (None) all."""
    standing = turn.state.paused.get(target, [])
    left = [] if ids is None else [pause for pause in standing if pause.id not in ids]
    for pause in standing:
        if pause not in left and pause.until is not None:  # it may be far away
            unset(turn.state, "pause", f"{target} {pause.id}")
    if left:
        turn.state.paused[target] = left
    else:
        turn.state.paused.pop(target, None)


def ended(turn: Turn, key: str, at: int) -> None:
    """A pause's time is over: it lifts by itself, and the gateway says so (§3.9.2)."""
    target, _, id = key.partition(" ")
    if any(pause.id == id and pause.until == at for pause in turn.state.paused.get(target, ())):
        lift(turn, target, (id,))
        turn.announce("participant/resume", {"reason": "timeout"}, to=(target,), correlation=(id,))
