"""Joining and leaving: welcome, presence, and the owners of open sequences who are gone (docs/protocol.md §1, §5)."""

from __future__ import annotations

from typing import Any

from mew_gateway.protocol.codes import CLOSES

from . import grace, outages, proposals, sequences, streams
from . import interrupt_records as records
from .deadlines import schedule
from .effects import Close, Deliver, Replay
from .events import Connected, Disconnected, Received, Resumed
from .handler_context import Turn
from .state import Invitee, Sequence, State
from .visibility import Viewer

_LISTED = 100  # open sequences in a welcome: the newest, and a count of all
_GUESTS = 1_000  # guests who are not here, in a welcome: the newest, and a count of all


def connected(turn: Turn, event: Connected) -> None:
    """Welcome the connection, give it what it missed and what is pending, tell the others if it is the first."""
    state, members, name = turn.state, turn.members, event.participant
    state.last_connection = max(state.last_connection, event.connection)
    if name in state.kicked or not members.knows(name):  # kicked while it was on its way
        turn.effects.append(Close(event.connection, 4503, CLOSES[4503].meaning))
        return
    first = not members.connections(name)
    state.connections[event.connection] = name
    members.join(name, event.connection)
    state.absent.pop(name, None)
    state.shut.pop(name, None)
    if name in state.invitees:
        state.invitees[name].joined = True
    turn.welcome((event.connection,), name, _welcome(turn, name, event.resumed))
    if event.resumed is not None:
        _resume(turn, event, event.resumed)
    replayed = () if event.resumed is None else event.resumed.interrupts
    for data in records.undecided_for(turn, name, besides=replayed):
        turn.effects.append(Deliver((event.connection,), data))
    if first:
        outages.joined(turn, name)
        _announce(turn, "join", name, besides=(event.connection,))


def disconnected(turn: Turn, event: Disconnected) -> None:
    """Forget the connection; with a participant's last one, tell the others and start its grace."""
    name = turn.state.connections.pop(event.connection, None)
    if name is None:
        return
    turn.members.leave(name, event.connection)
    if name in turn.state.shutdowns:
        turn.state.shutdowns[name].connections.pop(event.connection, None)
    if not turn.members.connections(name):
        _left(turn, name)


def restarted(turn: Turn) -> None:
    """The gateway started: everybody is gone, as if each had disconnected now."""
    gone = turn.members.present()
    turn.state.connections.clear()
    for shutdown in turn.state.shutdowns.values():
        shutdown.connections.clear()
    turn.state.weighed.clear()  # what was found about kinds is not kept
    turn.members.reload(turn.state)
    for name in gone:
        _left(turn, name)


def remove(turn: Turn, name: str, code: int, *, connections: tuple[int, ...] | None = None) -> None:
    """End all connections of a participant, or these, with a close code; with its last one it has left for the
    others."""
    if connections is None:
        connections = turn.members.connections(name)
    for connection in connections:
        del turn.state.connections[connection]
        turn.members.leave(name, connection)
        turn.effects.append(Close(connection, code, CLOSES[code].meaning))
    if turn.members.connections(name):
        return
    if connections:
        _left(turn, name)
    else:  # who only posts over HTTP has streams and write access, too
        streams.left(turn, name)


def renewed(turn: Turn, name: str) -> None:
    """A participant may send something else than before: a new welcome for it, the news for the others (§3.6.1)."""
    if not turn.members.knows(name):  # the configuration has dropped it since
        return
    turn.members.refresh(turn.state, name)
    connections = turn.members.connections(name)
    if connections:
        turn.welcome(connections, name, _welcome(turn, name))
    _announce(turn, "update", name, besides=connections)


def invited(turn: Turn, name: str) -> None:
    """Somebody may join who could not before."""
    _announce(turn, "invited", name)


def dismissed(turn: Turn, guest: Invitee) -> None:
    """A guest is a participant no more: who is invited under its name is somebody else."""
    participant = {"id": guest.id, "invitation": guest.invitation(turn.state.epoch)}
    turn.broadcast_except((), "system/presence", {"event": "removed", "participant": participant})


def heard(turn: Turn, event: Received) -> None:
    """A post over HTTP shows that its sender is alive: the grace of an owner without a connection begins anew."""
    if event.participant in turn.state.invitees:
        turn.state.invitees[event.participant].joined = True
    if not turn.members.connections(event.participant):
        _begin_grace(turn, event.participant)


def grace_ended(turn: Turn, name: str, at: int) -> None:
    """An owner did not come back in time: its open sequences are lost, its streams closed, its proposals void."""
    ends = turn.state.absent.get(name)
    if ends is None:
        return
    if ends > at:  # it was heard of in between
        schedule(turn.state, ends, "owner", name)
        return
    del turn.state.absent[name]
    streams.left(turn, name)
    proposals.void_of_proposer(turn, name, "left")
    for sequence in [open for open in turn.state.sequences.values() if open.owner == name]:
        sequences.lose(turn, sequence)


def _left(turn: Turn, name: str) -> None:
    _announce(turn, "leave", name)
    streams.left(turn, name)
    outages.left(turn, name)
    _begin_grace(turn, name)


def _begin_grace(turn: Turn, name: str) -> None:
    state = turn.state
    owns_sequence = any(sequence.owner == name for sequence in state.sequences.values())
    if owns_sequence or streams.owns(state, name) or proposals.has_open(state, name):
        grace.begin(turn, name)


def _resume(turn: Turn, event: Connected, resumed: Resumed) -> None:
    if resumed.count is None:
        turn.notify(
            event.participant,
            "history_unavailable",
            f"What was delivered since {resumed.after!r} cannot be replayed: it is no longer held, or too much.",
            correlation=resumed.after,
            only=(event.connection,),
        )
    else:
        turn.effects.append(Replay(event.connection, event.participant, resumed.since, resumed.until))


def _announce(turn: Turn, event: str, name: str, *, besides: tuple[int, ...] = ()) -> None:
    participant = _named(turn.state, name)
    if event != "leave":
        participant["capabilities"] = turn.members.capabilities(name).sources
    turn.broadcast_except(besides, "system/presence", {"event": event, "participant": participant})


def _welcome(turn: Turn, name: str, resumed: Resumed | None = None) -> dict[str, Any]:
    state, members = turn.state, turn.members
    others = [
        {**_named(state, other), "capabilities": members.capabilities(other).sources}
        for other in members.present()
        if other != name
    ]
    viewer = turn.viewer(name)
    newest = list(state.sequences.values())[-_LISTED:]
    welcome: dict[str, Any] = {
        "you": {**_named(state, name), "capabilities": members.capabilities(name).sources},
        "participants": others,
        "guests": _away(turn),
        "active_streams": streams.listed(turn, name),
        "space": {"id": state.settings.id, "description": state.settings.description},
        "sequences": {"open": [_listed(turn, one, viewer) for one in newest], "count": len(state.sequences)},
        "halted": [halt.interrupt for halt in state.halted.get(name, ())],
        "proposals": proposals.listed(turn, name),
    }
    if resumed is not None:
        welcome["resume"] = {"after": resumed.after, "count": resumed.count}
    return welcome


def _named(state: State, name: str) -> dict[str, Any]:
    """A participant's id, and a guest's invitation: who is configured is the same person for good."""
    guest = None if name in state.settings.participants else state.invitees.get(name)
    return {"id": name} if guest is None else {"id": name, "invitation": guest.invitation(state.epoch)}


def _away(turn: Turn) -> dict[str, Any]:
    """The guests who are not here: one who only posts never is."""
    configured, members = turn.state.settings.participants, turn.members
    away = [name for name in turn.state.invitees if name not in configured and not members.connections(name)]
    return {"away": [_named(turn.state, name) for name in away[-_GUESTS:]], "count": len(away)}


def _listed(turn: Turn, sequence: Sequence, viewer: Viewer) -> dict[str, Any]:
    return {
        "id": sequence.id,
        "owner": sequence.owner,
        "age_ms": turn.now - sequence.opened_at,
        "interrupts": records.pending_on(turn.state, sequence, viewer),
    }
