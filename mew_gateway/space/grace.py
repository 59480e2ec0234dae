"""Grace period of an absent owner: how long its open sequences, streams and proposals wait (docs/protocol.md §5)."""

from __future__ import annotations

from . import outages
from .deadlines import schedule
from .handler_context import HandlerContext


def begin(ctx: HandlerContext, name: str) -> None:
    """Begin the grace period of an owner without a connection, or begin it anew."""
    state = ctx.state
    ends = outages.due(ctx, name, ctx.now + state.settings.owner_grace)
    if name not in state.absent:
        schedule(state, ends, "owner", name)
    state.absent[name] = ends
