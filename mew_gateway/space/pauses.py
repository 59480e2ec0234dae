"""Who is paused, by whom, and until when: several pauses of one participant overlap (docs/protocol.md §4)."""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.ids import GATEWAY

from .deadlines import schedule, unset
from .handler_context import Turn
from .state import Pause
from .visibility import same

_MOST = 64  # pauses of one participant by those who are gone


def add(turn: Turn, target: str, id: str, by: str, *, until: int | None = None) -> None:
    """One more pause stands; it takes the place of an earlier one by the same participant. The gateway's own stand each
    for an interrupt. Of those whose pausers are gone, the oldest goes if there are too many: it stays paused."""
    if by != GATEWAY:
        earlier = (one for one in turn.state.paused.get(target, ()) if one.by == by and _is_here(turn, one))
        lift(turn, target, tuple(one.id for one in earlier))
    standing = turn.state.paused.setdefault(target, [])
    gone = [one.id for one in standing if one.by != GATEWAY and not _is_here(turn, one)]
    pause = Pause(id, by, turn.now, until, turn.state.next_ordinal())
    standing.append(pause)
    if pause.until is not None:
        schedule(turn.state, pause.until, "pause", f"{target} {pause.id}")
    if len(gone) >= _MOST:
        lift(turn, target, tuple(gone[: len(gone) - _MOST + 1]))


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


def unknown(ids: tuple[str, ...]) -> Rejected:
    """The rejection of a resume that names nothing that its sender could lift."""
    return Rejected("pause_not_found", f"Nobody named in `to` has a pause {', '.join(map(repr, ids))}.")


def ended(turn: Turn, key: str, at: int) -> None:
    """A pause's time is over: it lifts by itself, and the gateway says so (§3.9.2)."""
    target, _, id = key.partition(" ")
    if any(pause.id == id and pause.until == at for pause in turn.state.paused.get(target, ())):
        lift(turn, target, (id,))
        turn.announce("participant/resume", {"reason": "timeout"}, to=(target,), correlation=(id,))


def _is_here(turn: Turn, pause: Pause) -> bool:
    """Whether the participant that paused is still one, and not another of its name."""
    return turn.members.knows(pause.by) and bool(same(turn.state, pause.number, (pause.by,)))
