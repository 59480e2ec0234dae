"""Pauses: several pauses of one participant overlap, and each is lifted by its id (docs/protocol.md §4)."""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.ids import GATEWAY

from .deadlines import schedule, unset
from .handler_context import HandlerContext
from .state import Pause
from .visibility import still_same

_MOST = 64  # pauses of one participant whose senders are gone


def add(ctx: HandlerContext, target: str, id: str, by: str, *, until: int | None = None) -> None:
    """Add a pause of the target, in place of an earlier one by the same participant.

    Pauses of the gateway do not replace each other: each belongs to an interrupt. Of pauses whose senders are gone, the
    oldest is dropped if there are too many; the target stays paused.
    """
    if by != GATEWAY:
        earlier = (one for one in ctx.state.paused.get(target, ()) if one.by == by and _is_here(ctx, one))
        lift(ctx, target, tuple(one.id for one in earlier))
    active = ctx.state.paused.setdefault(target, [])
    gone = [one.id for one in active if one.by != GATEWAY and not _is_here(ctx, one)]
    pause = Pause(id, by, ctx.now, until, ctx.state.next_ordinal())
    active.append(pause)
    if pause.until is not None:
        schedule(ctx.state, pause.until, "pause", f"{target} {pause.id}")
    if len(gone) >= _MOST:
        lift(ctx, target, tuple(gone[: len(gone) - _MOST + 1]))


def lift(ctx: HandlerContext, target: str, ids: tuple[str, ...] | None) -> None:
    """Lift the pauses with these ids, or all (None)."""
    active = ctx.state.paused.get(target, [])
    left = [] if ids is None else [pause for pause in active if pause.id not in ids]
    for pause in active:
        if pause not in left and pause.until is not None:  # may be far in the future
            unset(ctx.state, "pause", f"{target} {pause.id}")
    if left:
        ctx.state.paused[target] = left
    else:
        ctx.state.paused.pop(target, None)


def unknown(ids: tuple[str, ...]) -> Rejected:
    """Return the rejection of a resume that names no pause its sender could lift."""
    return Rejected("pause_not_found", f"Nobody named in `to` has a pause {', '.join(map(repr, ids))}.")


def ended(ctx: HandlerContext, key: str, at: int) -> None:
    """Lift a pause whose time is over, and announce it (§3.9.2)."""
    target, _, id = key.partition(" ")
    if any(pause.id == id and pause.until == at for pause in ctx.state.paused.get(target, ())):
        lift(ctx, target, (id,))
        ctx.announce("participant/resume", {"reason": "timeout"}, to=(target,), correlation=(id,))


def _is_here(ctx: HandlerContext, pause: Pause) -> bool:
    """Return true if the participant that paused is still known, and is not a later guest of its name."""
    return ctx.members.knows(pause.by) and bool(still_same(ctx.state, pause.number, (pause.by,)))
