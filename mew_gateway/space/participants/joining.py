"""Joining and leaving: welcome, presence, and absent owners of open things (docs/protocol.md §1, §5).

A participant is present while it has a connection. The first one is announced as a join, the end of the last one as a
leave. Then a grace period begins for what it has open. If it does not come back, its sequences are lost, its streams
closed and its proposals void (`grace`).
"""

from __future__ import annotations

from typing import Any

from mew_gateway.protocol.codes import CLOSES

from .. import interrupt_records as records
from .. import outages, proposals, streams
from ..effects import Close, Deliver, Replay
from ..events import Connected, Disconnected, Received, Resumed
from ..handler_context import HandlerContext
from ..state import Invitee, Sequence, State
from ..visibility import Viewer
from . import grace

_LISTED = 100  # open sequences in a welcome: the newest, and a count of all
_GUESTS = 1_000  # guests who are not here, in a welcome: the newest, and a count of all


def connected(ctx: HandlerContext, event: Connected) -> None:
    """Welcome a connection, replay what it missed, resend pending interrupts; announce the join if it is the first."""
    state, members, name = ctx.state, ctx.members, event.participant
    state.last_connection = max(state.last_connection, event.connection)
    if name in state.kicked or not members.knows(name):  # kicked while the join was on its way
        ctx.effects.append(Close(event.connection, 4503, CLOSES[4503].meaning))
        return
    first = not members.connections(name)
    state.connections[event.connection] = name
    members.join(name, event.connection)
    state.absent.pop(name, None)
    state.shut.pop(name, None)
    if name in state.invitees:
        state.invitees[name].joined = True
    ctx.welcome((event.connection,), name, _welcome(ctx, name, event.resumed))
    if event.resumed is not None:
        _resume(ctx, event, event.resumed)
    replayed = () if event.resumed is None else event.resumed.interrupts
    for data in records.unanswered_envelopes(ctx, name, besides=replayed):
        ctx.effects.append(Deliver((event.connection,), data))
    if first:
        outages.joined(ctx, name)
        _announce(ctx, "join", name, besides=(event.connection,))


def disconnected(ctx: HandlerContext, event: Disconnected) -> None:
    """Remove a connection; after the participant's last one, announce the leave and begin its grace period."""
    name = ctx.state.connections.pop(event.connection, None)
    if name is None:
        return
    ctx.members.leave(name, event.connection)
    if name in ctx.state.shutdowns:
        ctx.state.shutdowns[name].connections.pop(event.connection, None)
    if not ctx.members.connections(name):
        _left(ctx, name)


def restarted(ctx: HandlerContext) -> None:
    """Treat every connection as ended now: the gateway started anew."""
    gone = ctx.members.present()
    ctx.state.connections.clear()
    for shutdown in ctx.state.shutdowns.values():
        shutdown.connections.clear()
    ctx.state.weighed.clear()  # the cached kinds are gone too
    ctx.members.reload(ctx.state)
    for name in gone:
        _left(ctx, name)


def remove(ctx: HandlerContext, name: str, code: int, *, connections: tuple[int, ...] | None = None) -> None:
    """Close all connections of a participant, or the given ones, with a close code. After its last one it has left."""
    if connections is None:
        connections = ctx.members.connections(name)
    for connection in connections:
        del ctx.state.connections[connection]
        ctx.members.leave(name, connection)
        ctx.effects.append(Close(connection, code, CLOSES[code].meaning))
    if ctx.members.connections(name):
        return
    if connections:
        _left(ctx, name)
    else:  # a participant that only posts may have streams and write access, too
        streams.participant_left(ctx, name)


def capabilities_changed(ctx: HandlerContext, name: str) -> None:
    """Send a participant a new welcome and the others an update, after a change of its capabilities (§3.6.1)."""
    if not ctx.members.knows(name):  # the configuration has dropped it since
        return
    connections = ctx.members.connections(name)
    if connections:
        ctx.welcome(connections, name, _welcome(ctx, name))
    _announce(ctx, "update", name, besides=connections)


def invited(ctx: HandlerContext, name: str) -> None:
    """Announce that a participant may join that could not before."""
    _announce(ctx, "invited", name)


def guest_removed(ctx: HandlerContext, guest: Invitee) -> None:
    """Announce that a guest is no longer a participant: a later guest of its name is another one."""
    participant = {"id": guest.id, "invitation": guest.invitation(ctx.state.epoch)}
    ctx.broadcast_except((), "system/presence", {"event": "removed", "participant": participant})


def posted(ctx: HandlerContext, event: Received) -> None:
    """Note that a participant posted over HTTP: it is alive, so the grace period of an absent owner begins anew."""
    if event.participant in ctx.state.invitees:
        ctx.state.invitees[event.participant].joined = True
    if not ctx.members.connections(event.participant):
        grace.begin(ctx, event.participant)


def _left(ctx: HandlerContext, name: str) -> None:
    _announce(ctx, "leave", name)
    streams.participant_left(ctx, name)
    outages.participant_left(ctx, name)
    grace.begin(ctx, name)


def _resume(ctx: HandlerContext, event: Connected, resumed: Resumed) -> None:
    if resumed.count is None:
        ctx.notify(
            event.participant,
            "history_unavailable",
            f"What was delivered since {resumed.after!r} cannot be replayed: it is no longer held, or too much.",
            correlation=resumed.after,
            only=(event.connection,),
        )
    else:
        ctx.effects.append(Replay(event.connection, event.participant, resumed.since, resumed.until))


def _announce(ctx: HandlerContext, event: str, name: str, *, besides: tuple[int, ...] = ()) -> None:
    participant = _identity(ctx.state, name)
    if event != "leave":
        participant["capabilities"] = ctx.members.told(name)
    ctx.broadcast_except(besides, "system/presence", {"event": event, "participant": participant})


def _welcome(ctx: HandlerContext, name: str, resumed: Resumed | None = None) -> dict[str, Any]:
    state, members = ctx.state, ctx.members
    others = [
        {**_identity(state, other), "capabilities": members.told(other)} for other in members.present() if other != name
    ]
    viewer = ctx.viewer(name)
    newest = list(state.sequences.values())[-_LISTED:]
    welcome: dict[str, Any] = {
        "you": {**_identity(state, name), "capabilities": members.told(name)},
        "participants": others,
        "guests": _absent_guests(ctx),
        "active_streams": streams.listed(ctx, name),
        "space": {"id": state.settings.id, "description": state.settings.description},
        "sequences": {"open": [_listed(ctx, one, viewer) for one in newest], "count": len(state.sequences)},
        "halted": [halt.interrupt for halt in state.halted.get(name, ())],
        "proposals": proposals.listed(ctx, name),
    }
    if resumed is not None:
        welcome["resume"] = {"after": resumed.after, "count": resumed.count}
    return welcome


def _identity(state: State, name: str) -> dict[str, Any]:
    """Return a participant's id and, for a guest, its invitation. A configured participant is always the same one."""
    guest = None if name in state.settings.participants else state.invitees.get(name)
    return {"id": name} if guest is None else {"id": name, "invitation": guest.invitation(state.epoch)}


def _absent_guests(ctx: HandlerContext) -> dict[str, Any]:
    """Return the guests that are not connected. A guest that only posts never is."""
    configured, members = ctx.state.settings.participants, ctx.members
    away = [name for name in ctx.state.invitees if name not in configured and not members.connections(name)]
    return {"away": [_identity(ctx.state, name) for name in away[-_GUESTS:]], "count": len(away)}


def _listed(ctx: HandlerContext, sequence: Sequence, viewer: Viewer) -> dict[str, Any]:
    return {
        "id": sequence.id,
        "owner": sequence.owner,
        "age_ms": ctx.now - sequence.opened_at,
        "interrupts": records.pending_on(ctx.state, sequence, viewer),
    }
