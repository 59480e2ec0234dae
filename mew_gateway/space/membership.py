"""Joining and leaving: welcome, presence, and the owners of open sequences who are gone (docs/protocol.md §1, §5)."""

from __future__ import annotations

from typing import Any

from . import interrupts, sequences
from .deadlines import schedule
from .effects import Deliver
from .events import Connected, Disconnected
from .state import Sequence
from .turn import Turn

_LISTED = 100  # open sequences in a welcome: the newest, and a count of all


def connected(turn: Turn, event: Connected) -> None:
    """Welcome the connection, give it what is pending, tell the others if it is the participant's first."""
    state, members, name = turn.state, turn.members, event.participant
    first = not members.connections(name)
    state.connections[event.connection] = name
    state.last_connection = max(state.last_connection, event.connection)
    members.join(name, event.connection)
    state.absent.pop(name, None)
    turn.tell(event.connection, name, "system/welcome", _welcome(turn, name))
    for data in interrupts.undecided_for(turn, name):
        turn.effects.append(Deliver((event.connection,), data))
    if first:
        _announce(turn, "join", name, besides=(event.connection,))


def disconnected(turn: Turn, event: Disconnected) -> None:
    """Forget the connection; with a participant's last one, tell the others and start its grace."""
    name = turn.state.connections.pop(event.connection, None)
    if name is None:
        return
    turn.members.leave(name, event.connection)
    if not turn.members.connections(name):
        _left(turn, name)


def restarted(turn: Turn) -> None:
    """The gateway started: everybody is gone, as if each had disconnected now."""
    gone = turn.members.present()
    turn.state.connections.clear()
    turn.members.reload(turn.state)
    for name in gone:
        _left(turn, name)


def grace_ended(turn: Turn, name: str, at: int) -> None:
    """An owner did not come back in time: its open sequences are lost."""
    if turn.state.absent.get(name) != at:
        return
    del turn.state.absent[name]
    for sequence in [open for open in turn.state.sequences.values() if open.owner == name]:
        sequences.lose(turn, sequence)


def _left(turn: Turn, name: str) -> None:
    _announce(turn, "leave", name)
    if any(sequence.owner == name for sequence in turn.state.sequences.values()):
        grace_ends = turn.now + turn.state.settings.owner_grace
        turn.state.absent[name] = grace_ends
        schedule(turn.state, grace_ends, "owner", name)


def _announce(turn: Turn, event: str, name: str, *, besides: tuple[int, ...] = ()) -> None:
    participant: dict[str, Any] = {"id": name}
    if event == "join":
        participant["capabilities"] = turn.members.capabilities(name).sources
    turn.broadcast_except(besides, "system/presence", {"event": event, "participant": participant})


def _welcome(turn: Turn, name: str) -> dict[str, Any]:
    state, members = turn.state, turn.members
    others = [
        {"id": other, "capabilities": members.capabilities(other).sources}
        for other in members.present()
        if other != name
    ]
    newest = list(state.sequences.values())[-_LISTED:]
    return {
        "you": {"id": name, "capabilities": members.capabilities(name).sources},
        "participants": others,
        "active_streams": [],
        "space": {"id": state.settings.id, "description": state.settings.description},
        "sequences": {"open": [_listed(turn, one) for one in newest], "count": len(state.sequences)},
    }


def _listed(turn: Turn, sequence: Sequence) -> dict[str, Any]:
    return {
        "id": sequence.id,
        "owner": sequence.owner,
        "age_ms": turn.now - sequence.opened_at,
        "interrupts": interrupts.pending_on(turn.state, sequence),
    }
