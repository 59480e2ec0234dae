"""The grace of an owner who is not here: how long what it has open waits for it (docs/protocol.md §5)."""

from __future__ import annotations

from . import outages
from .deadlines import schedule
from .handler_context import Turn


def begin(turn: Turn, name: str) -> None:
    """Let the grace of an owner without a connection begin, or begin anew."""
    state = turn.state
    ends = outages.due(turn, name, turn.now + state.settings.owner_grace)
    if name not in state.absent:
        schedule(state, ends, "owner", name)
    state.absent[name] = ends
