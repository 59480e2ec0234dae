"""Participant controls: pause, resume, shutdown, and whom they keep from sending (§3.9; docs/protocol.md §4)."""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol import payloads
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import Kind

from . import emergencies, membership, pauses, requests
from .deadlines import schedule, unset
from .effects import Readmit
from .handler_context import Turn
from .state import Shutdown, State

_FAREWELL = 2_000  # ms between the order to shut down and the end of the connections
_LIFTS = "participant/resume"  # passes a shutdown as what passes a pause does: whoever halts may let go on


def check(state: State, envelope: Envelope, kind: Kind, connection: int) -> None:
    """Let an envelope pass or raise `Rejected` `shutting_down` or `paused`.

    Nobody takes the power to stop from a participant by a pause or a shutdown: its interrupts and cancels always pass.
    """
    sender = envelope.sender
    if not kind.calm and envelope.kind != _LIFTS and _is_shut(state, sender, connection):
        raise _shutting_down(sender)
    if not kind.calm and sender in state.paused:
        raise _paused(state, sender)


def check_frame(state: State, participant: str, connection: int) -> None:
    """Let a stream's frame pass or raise `Rejected`: it acts, and it is in no sequence (docs/protocol.md §5)."""
    if _is_shut(state, participant, connection):
        raise _shutting_down(participant)
    if participant in state.paused:
        raise _paused(state, participant)
    emergencies.check_frame(state, participant)


def pause(turn: Turn, envelope: Envelope, payload: payloads.Pause, data: bytes) -> None:
    """`participant/pause`: until resumed, or for `timeout_seconds`."""
    targets = _targets(turn, envelope)
    seconds = payload.timeout_seconds
    until = None if seconds is None else turn.now + max(1, round(seconds * 1000))
    turn.forward(envelope, data)
    for target in targets:
        pauses.add(turn, target, envelope.id, envelope.sender, until=until)


def resume(turn: Turn, envelope: Envelope, _: payloads.Reasoned, data: bytes) -> None:
    """`participant/resume`: lifts the pauses it correlates to, else all; an emergency's halt only if it may."""
    targets, ids = _targets(turn, envelope), tuple(envelope.correlation_id or ())
    halts = emergencies.named(turn, envelope, targets, ids)
    standing = {pause.id for target in targets for pause in turn.state.paused.get(target, ())}
    if ids and not halts and standing.isdisjoint(ids):
        raise pauses.unknown(ids)
    turn.forward(envelope, data)
    for target in targets:
        pauses.lift(turn, target, ids or None)
    for halt in halts:
        emergencies.lift(turn, targets, halt)


def restart(turn: Turn, envelope: Envelope, _: payloads.Reasoned, data: bytes) -> None:
    """`participant/restart`: who is here begins anew by itself; what the gateway hosts and is not here is started."""
    turn.forward(envelope, data)
    for name in dict.fromkeys(envelope.to or ()):
        if turn.members.knows(name) and name not in turn.state.kicked and not turn.members.connections(name):
            turn.effects.append(Readmit(name))


def shut_down(turn: Turn, envelope: Envelope, _: payloads.Reasoned, data: bytes) -> None:
    """`participant/shutdown`: a moment for the last words, then the connections that it has now end.

    While it owes answers they last longer, at most as long as an irreversible thought: what is under way in it has an
    effect, and whoever asked is to know. Said again it concerns only connections that came since, and puts off nothing.
    """
    targets, state = _targets(turn, envelope), turn.state
    turn.forward(envelope, data)
    for target in targets:
        standing = state.shutdowns.get(target)
        told = () if standing is None else standing.connections
        here = [connection for connection in turn.members.connections(target) if connection not in told]
        if not here and (standing is not None or target in state.shut):
            continue
        state.shut[target] = None
        if standing is None:
            owing = max(_FAREWELL, state.settings.interrupts.completing_conclusion)
            ends = turn.now + (owing if requests.owed_by(state, target) else _FAREWELL)
            standing = state.shutdowns[target] = Shutdown(state.next_ordinal(), ends)
            unset(state, "shutdown", target)
            schedule(state, turn.now + _FAREWELL, "shutdown", target)
        standing.connections.update(dict.fromkeys(here, turn.now + _FAREWELL))


def shutdown_due(turn: Turn, name: str, at: int) -> None:
    """The moment is over, unless an answer is still owed. What joined since is not concerned, and goes on."""
    standing = turn.state.shutdowns.get(name)
    if standing is None:
        return
    if at < standing.ends and requests.owed_by(turn.state, name, before=standing.ordinal):
        schedule(turn.state, min(at + _FAREWELL, standing.ends), "shutdown", name)
        return
    over = tuple(connection for connection, ends in standing.connections.items() if ends <= at)
    for connection in over:
        del standing.connections[connection]
    if standing.connections:
        schedule(turn.state, min(standing.connections.values()), "shutdown", name)
    else:
        del turn.state.shutdowns[name]
    is_gone = set(turn.members.connections(name)) <= set(over)
    requests.left(turn, name, before=None if is_gone else standing.ordinal)
    membership.remove(turn, name, 4504, connections=over)


def _is_shut(state: State, name: str, connection: int) -> bool:
    """Whether what comes by this connection (0: by a post) comes from whom a shutdown has told to end."""
    if connection in state.connections:
        return name in state.shutdowns and connection in state.shutdowns[name].connections
    return name in state.shut


def _targets(turn: Turn, envelope: Envelope) -> list[str]:
    """Those of `to` who are known here."""
    if not envelope.to:
        raise Rejected("invalid_envelope", f"{envelope.kind} names in `to` whom it is for.")
    return [name for name in dict.fromkeys(envelope.to) if turn.members.knows(name)]


def _shutting_down(name: str) -> Rejected:
    return Rejected("shutting_down", f"{name} was told to shut down: join again to go on.")


def _paused(state: State, name: str) -> Rejected:
    standing = state.paused[name]
    by = ", ".join(dict.fromkeys(pause.by for pause in standing))
    return Rejected("paused", f"You are paused by {by}: wait to be resumed.", pauses=[pause.id for pause in standing])
