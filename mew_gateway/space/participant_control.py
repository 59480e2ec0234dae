"""Participant controls: pause, resume, restart and shutdown, and what they block (§3.9; docs/protocol.md §4).

A pause blocks all but calm kinds (`Kind.calm`): a paused participant may finish, answer and give way. A shutdown blocks
the same kinds on the connections it ends, but a resume passes: a participant that may lift a halt still may. Interrupts
and cancels always pass both, so that nobody loses the power to stop others.
"""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol import payloads
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import Kind

from . import pauses, requests, sequences
from .deadlines import schedule
from .effects import Readmit
from .handler_context import HandlerContext
from .interrupts import emergency_halts
from .participants import joining
from .state import Shutdown, State

_NOTICE = 2_000  # ms between a shutdown and the end of the connections
_RESUME = "participant/resume"  # passes a shutdown too: a participant that halts others may release them


def check(state: State, envelope: Envelope, kind: Kind, connection: int) -> None:
    """Return if the envelope may pass, else raise `Rejected` `shutting_down` or `paused`."""
    sender = envelope.sender
    if not kind.passes_pause and envelope.kind != _RESUME and _is_shut(state, sender, connection):
        raise _shutting_down(sender)
    if not kind.passes_pause and sender in state.paused:
        raise _paused(state, sender)


def check_frame(state: State, participant: str, connection: int) -> None:
    """Return if a stream's frame may pass, else raise `Rejected`.

    A frame acts, and is in no sequence (docs/protocol.md §5).
    """
    if _is_shut(state, participant, connection):
        raise _shutting_down(participant)
    if participant in state.paused:
        raise _paused(state, participant)
    emergency_halts.check_frame(state, participant)


def pause(ctx: HandlerContext, envelope: Envelope, payload: payloads.Pause, data: bytes) -> None:
    """Handle `participant/pause`: the target is paused until it is resumed, or for `timeout_seconds`."""
    targets = _targets(ctx, envelope)
    seconds = payload.timeout_seconds
    until = None if seconds is None else ctx.now + max(1, round(seconds * 1000))
    ctx.forward(envelope, data)
    for target in targets:
        pauses.add(ctx, target, envelope.id, envelope.sender, until=until)


def resume(ctx: HandlerContext, envelope: Envelope, _: payloads.Reasoned, data: bytes) -> None:
    """Handle `participant/resume`: lift the pauses it correlates to, else all.

    A halt is lifted only if the sender may.
    """
    targets, ids = _targets(ctx, envelope), tuple(envelope.correlation_id or ())
    halts = emergency_halts.liftable_halts(ctx, envelope, targets, ids)
    active = {pause.id for target in targets for pause in ctx.state.paused.get(target, ())}
    if ids and not halts and active.isdisjoint(ids):
        raise pauses.unknown(ids)
    ctx.forward(envelope, data)
    for target in targets:
        pauses.lift(ctx, target, ids or None)
    for halt in halts:
        emergency_halts.lift(ctx, targets, halt)


def restart(ctx: HandlerContext, envelope: Envelope, _: payloads.Reasoned, data: bytes) -> None:
    """Handle `participant/restart`: a connected target restarts itself; an absent hosted one is started."""
    ctx.forward(envelope, data)
    for name in dict.fromkeys(envelope.to or ()):
        sequences.interrupt_all(ctx, name, by=envelope.id)
        if ctx.members.knows(name) and name not in ctx.state.kicked and not ctx.members.connections(name):
            ctx.effects.append(Readmit(name))


def shut_down(ctx: HandlerContext, envelope: Envelope, _: payloads.Reasoned, data: bytes) -> None:
    """Handle `participant/shutdown`: after `_NOTICE` milliseconds the target's present connections are closed.

    While the target owes answers they last longer, at most as long as an irreversible thought: a request under way has
    an effect, and its sender should learn of it. A second shutdown concerns only connections that came since, and
    postpones nothing.
    """
    targets, state = _targets(ctx, envelope), ctx.state
    ctx.forward(envelope, data)
    for target in targets:
        sequences.interrupt_all(ctx, target, by=envelope.id)
        active = state.shutdowns.get(target)
        informed = () if active is None else active.connections
        here = [connection for connection in ctx.members.connections(target) if connection not in informed]
        if not here and (active is not None or target in state.shut):
            continue
        state.shut[target] = None
        if active is None:
            owing = max(_NOTICE, state.settings.interrupts.completing_conclusion)
            ends = ctx.now + (owing if requests.owed_by(state, target) else _NOTICE)
            active = state.shutdowns[target] = Shutdown(state.next_ordinal(), ends)
            schedule(state, ctx.now + _NOTICE, "shutdown", target)
        active.connections.update(dict.fromkeys(here, ctx.now + _NOTICE))
        active.at, active.position = ctx.now, ctx.position


def shutdown_due(ctx: HandlerContext, name: str, at: int) -> None:
    """Close the connections whose time is over, unless an answer is still owed. Later connections are not concerned."""
    active = ctx.state.shutdowns.get(name)
    if active is None:
        return
    if at < active.ends and requests.owed_by(ctx.state, name, before=active.ordinal):
        schedule(ctx.state, min(at + _NOTICE, active.ends), "shutdown", name)
        return
    over = tuple(connection for connection, ends in active.connections.items() if ends <= at)
    for connection in over:
        del active.connections[connection]
    if active.connections:
        schedule(ctx.state, min(active.connections.values()), "shutdown", name)
    else:
        del ctx.state.shutdowns[name]
    is_gone = set(ctx.members.connections(name)) <= set(over)
    requests.participant_left(ctx, name, before=None if is_gone else active.ordinal)
    joining.remove(ctx, name, 4504, connections=over)


def _is_shut(state: State, name: str, connection: int) -> bool:
    """Return true if the envelope comes by a connection that a shutdown ends (0: a post), or from its participant."""
    if connection in state.connections:
        return name in state.shutdowns and connection in state.shutdowns[name].connections
    return name in state.shut


def _targets(ctx: HandlerContext, envelope: Envelope) -> list[str]:
    """Return the known participants in `to`."""
    if not envelope.to:
        raise Rejected("invalid_envelope", f"{envelope.kind} names in `to` whom it is for.")
    return [name for name in dict.fromkeys(envelope.to) if ctx.members.knows(name)]


def _shutting_down(name: str) -> Rejected:
    return Rejected("shutting_down", f"{name} was told to shut down: join again to go on.")


def _paused(state: State, name: str) -> Rejected:
    active = state.paused[name]
    by = ", ".join(dict.fromkeys(pause.by for pause in active))
    return Rejected("paused", f"You are paused by {by}: wait to be resumed.", pauses=[pause.id for pause in active])
