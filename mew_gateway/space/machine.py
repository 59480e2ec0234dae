"""The space machine: `handle(event, now) -> effects`. No clock, no socket, no randomness, no logging."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any, TypeAlias, assert_never

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.budget import Budget, Spent
from mew_gateway.protocol.codec import payload_of
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import is_gateways
from mew_gateway.protocol.kinds import HEARTBEAT, KINDS, UNKNOWN, URGENT, Kind, is_reserved
from mew_gateway.protocol.reasons import with_class

from . import (
    control,
    deadlines,
    emergencies,
    fence,
    grants,
    ids,
    interrupts,
    invitations,
    membership,
    outages,
    pauses,
    proposals,
    requests,
    sequences,
    streams,
    watchdog,
)
from . import cpu_quota as work
from . import escalation as ladder
from .contexts import root
from .dedup import Chunk, Memories, Outline
from .effects import Dismiss, Effect
from .events import Configured, Connected, DeadlinePassed, Disconnected, Event, Issued, Received, Restarted, Stalled
from .handler_context import Turn
from .members import Members
from .shares import Shares
from .state import State, What
from .visibility import same

# Raised when a change makes old journal entries mean something else: a start then goes from the snapshot.
VERSION = 12

STATE = "state"  # the part of a snapshot that changes with every event

Handler: TypeAlias = Callable[[Turn, Envelope, Any, bytes], None]


def _forward(turn: Turn, envelope: Envelope, _: Any, data: bytes) -> None:
    turn.forward(envelope, data)


_HANDLERS: dict[str, Handler] = {
    "mcp/request": requests.ask,
    "mcp/response": requests.respond,
    "mcp/proposal": proposals.propose,
    "mcp/withdraw": proposals.withdraw,
    "mcp/reject": proposals.reject,
    "reasoning/start": sequences.start,
    "reasoning/thought": sequences.think,
    "reasoning/conclusion": sequences.conclude,
    "reasoning/cancel": interrupts.cancel,
    "reasoning/interrupt": interrupts.interrupt,
    "reasoning/interrupt-ack": interrupts.acknowledge,
    "capability/grant": grants.grant,
    "capability/revoke": grants.revoke,
    "capability/grant-ack": grants.acknowledge,
    "space/invite": invitations.invite,
    "space/kick": invitations.kick,
    "participant/pause": control.pause,
    "participant/resume": control.resume,
    "participant/restart": control.restart,
    "participant/shutdown": control.shut_down,
    "stream/request": streams.request,
    "stream/close": streams.close,
    "stream/grant-write": streams.grant_write,
    "stream/revoke-write": streams.revoke_write,
    "stream/transfer-ownership": streams.transfer,
}

# What each deadline does when it passes; whoever set it checks that it still holds.
_PASSED: dict[What, Callable[[Turn, str, int], None]] = {
    "ack": interrupts.ack_overdue,
    "conclusion": interrupts.conclusion_overdue,
    "escalation": ladder.rung_due,
    "owner": membership.grace_ended,
    "watchdog": watchdog.look,
    "halt": emergencies.stop_is_due,
    "pause": pauses.ended,
    "shutdown": control.shutdown_due,
    "proposal": proposals.expired,
    "grant": grants.expired,
}


class Space:
    """One space. Deterministic: the same events at the same times give the same effects and the same state."""

    def __init__(self, state: State, memories: Memories) -> None:
        self._state = state
        self._memories = memories
        self._members = Members(state)
        self._shares = Shares(state)
        self._budget = Budget()  # whole: one that something was taken from is thrown away

    @classmethod
    def configured(cls, event: Configured) -> Space:
        """A new space, from its first event."""
        settings = event.settings
        visible_since = 0 if settings.routing == "visible" else None
        state = State(settings=settings, version=event.version, epoch=event.epoch, visible_since=visible_since)
        return cls(state, Memories({}, {}))

    @classmethod
    def restored(cls, parts: Mapping[str, bytes]) -> Space:
        """The space whose `snapshot()` this was. Raises `msgspec.MsgspecError` or `KeyError` for anything else."""
        chunks = {name: _chunk.decode(part) for name, part in parts.items() if name != STATE}
        core = _core.decode(parts[STATE])
        return cls(core.state, Memories(core.outlines, chunks))

    def snapshot(self, *, without: Container[str] = ()) -> dict[str, bytes]:
        """Everything the space remembers, in parts. The part `state` changes; of the others, which never do, those
        named in `without` are left out."""
        core = _Core(self._state, self._memories.outlines())
        chunks = self._memories.chunks()
        sealed = {name: _encoder.encode(chunk) for name, chunk in chunks.items() if name not in without}
        return {STATE: _encoder.encode(core), **sealed}

    @property
    def parts(self) -> list[str]:
        """The names of all parts that a snapshot has now."""
        return [STATE, *self._memories.chunks()]

    @property
    def remembered_ids(self) -> int:
        """How many ids are remembered of the participant of whom most are."""
        return len(self._memories)

    @property
    def state(self) -> State:
        """What the space remembers, to be read only."""
        return self._state

    @property
    def members(self) -> Members:
        """Who is here and may send what, to be read only."""
        return self._members

    def is_taken(self, name: str) -> bool:
        """Whether nobody may call itself so by an alias: it is a participant, or a guest who was removed."""
        return self._members.knows(name) or name in self._state.former

    @property
    def deadline(self) -> int | None:
        """When to hand in a `DeadlinePassed`, in milliseconds since the epoch; None: there is no deadline."""
        return deadlines.earliest(self._state)

    def handle(self, event: Event, now: int) -> list[Effect]:
        """Take one event at its journalled time; the effects, in the order to run them."""
        turn = Turn(self._state, self._members, self._shares, now, self._budget)
        if isinstance(event, Received):
            try:
                _receive(turn, event, self._memories)
            finally:
                if self._budget.spent:
                    self._budget = Budget()
        elif isinstance(event, Connected):
            membership.connected(turn, event)
        elif isinstance(event, Disconnected):
            membership.disconnected(turn, event)
        elif isinstance(event, DeadlinePassed):
            _pass_deadlines(turn)
        elif isinstance(event, Restarted):
            membership.restarted(turn)
            outages.restarted(turn)
            watchdog.suspended(turn, event.milliseconds)
        elif isinstance(event, Configured):
            self._reconfigure(turn, event)
        elif isinstance(event, Issued):
            invitations.issued(turn, event)
        elif isinstance(event, Stalled):
            interrupts.stalled(turn, event.milliseconds)
            if event.refused:
                outages.ended(turn, event.milliseconds)
                watchdog.suspended(turn, event.milliseconds)
        else:
            assert_never(event)
        if len(turn.effects) > 1 and any(isinstance(effect, Dismiss) for effect in turn.effects):
            self._memories.forget_strangers(self._members.knows)  # nobody is dismissed without a word
        return turn.effects

    def recipients_of_frame(self, participant: str, stream: str, *, connection: int = 0) -> tuple[int, ...]:
        """The connections that a stream's frame goes to, which came by `connection` (0: by a post). It changes nothing
        and is no event: frames are not journalled.

        Raises `Rejected`: who is paused, halted or fenced does not act (docs/protocol.md §4, §5).
        """
        control.check_frame(self._state, participant, connection)
        return streams.recipients(self._state, self._members, participant, stream)

    def _reconfigure(self, turn: Turn, event: Configured) -> None:
        state, settings = self._state, event.settings
        if settings.routing != state.settings.routing:
            state.visible_since = turn.now if settings.routing == "visible" else None
        state.settings = settings
        state.version = event.version
        self._members.reload(state)
        watchdog.reconfigured(turn)


class _Core(msgspec.Struct, array_like=True):
    """The part `STATE`."""

    state: State
    outlines: dict[str, Outline]


_encoder = msgspec.msgpack.Encoder()
_core = msgspec.msgpack.Decoder(_Core)
_chunk = msgspec.msgpack.Decoder(Chunk)


def _receive(turn: Turn, event: Received, memories: Memories) -> None:
    """An envelope, through the checks of docs/protocol.md §2 in their order; the first that fails answers."""
    envelope = event.envelope
    if turn.state.owing:
        turn.budget = work.budget_of(turn.state, event.participant, turn.now, is_urgent=envelope.kind in URGENT)
    try:
        is_known = memories.has(event, envelope.id)
        kind = _admit(turn, event, envelope, is_known=is_known)
        if envelope.kind == HEARTBEAT:
            return
        if is_known:
            invitations.draw_again(turn, envelope)
            return
        payload = payload_of(envelope, kind, strict=turn.state.settings.validation == "strict")
        _HANDLERS.get(envelope.kind, _forward)(turn, envelope, payload, event.data)
    except Rejected as rejected:
        turn.refuse(event, rejected, correlation=envelope.id)
    else:
        memories.add(event, envelope.id, turn.now, turn.state.settings.bounds)
        if event.connection == 0:
            membership.heard(turn, event)
        if envelope.context is not None or envelope.kind == "reasoning/start":
            watchdog.count(turn, envelope, len(event.data))
    finally:
        if turn.budget.spent >= work.NOTED:
            work.note(turn.state, event.participant, turn.now, turn.budget)


def _admit(turn: Turn, event: Received, envelope: Envelope, *, is_known: bool) -> Kind:
    """Identity, reserved kind, duplicate id, pause, halt, fence and capability.

    Of envelopes whose id is known only an invitation that is posted again passes.
    """
    state = turn.state
    if event.participant in state.kicked or not turn.members.knows(event.participant):
        raise Rejected("removed", f"{event.participant} was removed from this space.")
    if envelope.sender != event.participant:
        raise Rejected("identity_mismatch", f"You are {event.participant}: you cannot speak as {envelope.sender}.")
    kind = KINDS.get(envelope.kind, UNKNOWN)
    if kind is UNKNOWN and is_reserved(envelope.kind):
        raise Rejected("reserved_kind", f"{envelope.kind} is reserved for the gateway.")
    if envelope.kind == HEARTBEAT:
        return kind
    if is_gateways(envelope.id):
        raise Rejected("invalid_envelope", f"The id {envelope.id!r} is one of the gateway's own: choose another.")
    if not (is_known and invitations.is_posted_again(state, event)):
        ids.check(state, envelope, is_known=is_known)
    if kind.acting or state.shut or state.shutdowns or state.paused or state.halted:  # else none of these keeps it
        control.check(state, envelope, kind, event.connection)
        emergencies.check(state, envelope, kind)
        fence.check(state, envelope, kind)
    if not _is_allowed(turn, envelope):
        work.check(state, envelope.sender, turn.now, turn.budget)
        raise Rejected(
            "capability_violation",
            f"You lack a capability for this {envelope.kind}.",
            attempted_kind=envelope.kind,
            your_capabilities=turn.members.capabilities(envelope.sender).sources,
        )
    return kind


def _is_allowed(turn: Turn, envelope: Envelope) -> bool:
    capabilities = turn.members.capabilities(envelope.sender)
    payload, to = envelope.payload, envelope.to or ()
    if envelope.kind == "reasoning/interrupt":
        payload = with_class(payload)
        if payload["class"] == "emergency":
            return capabilities.allow_emergency(envelope.kind, payload, to, turn.budget)
    try:
        work.weigh(turn.state, envelope.sender, envelope.kind, capabilities, turn.budget)
        is_allowed = capabilities.allow(envelope.kind, payload, to, turn.budget)
    except Spent:
        is_allowed = False
    return is_allowed or _is_implied(turn.state, envelope)


def _is_implied(state: State, envelope: Envelope) -> bool:
    """What everyone may do without a capability (docs/protocol.md §3)."""
    match envelope.kind:
        case "mcp/response":
            # To no open request at all, it is refused as that: nobody lacks a capability to answer what they are asked.
            return all(request.awaited is not None for request in requests.answered(state, envelope))
        case "capability/grant-ack":
            return True
        case "reasoning/conclusion" | "reasoning/cancel":
            return _owns(state, envelope, root(envelope))
        case "reasoning/interrupt":
            ids = envelope.correlation_id or []
            return len(ids) == 1 and envelope.to == [envelope.sender] and _owns(state, envelope, ids[0])
        case _:
            return False


def _owns(state: State, envelope: Envelope, name: str | None) -> bool:
    if name is None:
        return False
    sequence = state.sequences.get(name) or state.closed.get(name)
    return sequence is not None and envelope.sender in same(state, sequence.ordinal, (sequence.owner,))


def _pass_deadlines(turn: Turn) -> None:
    """Everything that is due, in the order of time. Only here does a deadline end anything."""
    while (deadline := deadlines.due(turn.state, turn.now)) is not None:
        _PASSED[deadline.what](turn, deadline.id, deadline.at)
    for name in turn.changed:  # once each, however many grants have expired
        membership.renewed(turn, name)
