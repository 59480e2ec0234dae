"""The space machine: `handle(event, now, position) -> effects`. No clock, no socket, no randomness, no logging.

A space is one `State`, and the events of its journal are applied to it in order. The same events at the same times give
the same state and the same effects: that is what makes a replay after a crash, and an explanation years later,
possible.

    event, now, position  ->  Space.handle  ->  handler(ctx, envelope, payload, data)  ->  [Effect, ...]

An envelope passes the checks of docs/protocol.md §2 in their order (`_receive`, `_admit`); then the handler of its kind
runs (`_HANDLERS`). A handler checks first and mutates then: a rejection changes nothing, and is answered with one
`system/error`. Deadlines pass only by a `DeadlinePassed` event (`_PASSED`).

A change that gives old journal entries another meaning raises `VERSION`. Names of fields of `State` and of events are
stored, and stay.

Where to go next: `events` and `effects` (input and output), `state`, `handler_context`, then a handler: `sequences`,
`interrupts.acceptance`, `proposals`, `participants.grants`, `streams`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any, TypeAlias, assert_never

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.budget import Budget, BudgetExceeded
from mew_gateway.protocol.codec import payload_of
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import is_gateway_id
from mew_gateway.protocol.kinds import HEARTBEAT, KINDS, UNKNOWN, URGENT, Kind, is_reserved
from mew_gateway.protocol.reasons import with_class

from . import (
    deadlines,
    fence,
    id_reuse,
    outages,
    participant_control,
    pauses,
    proposals,
    requests,
    sequences,
    streams,
)
from .effects import Dismiss, Effect, Interrupted
from .events import (
    Configured,
    Connected,
    DeadlinePassed,
    DeliveredLate,
    Disconnected,
    Event,
    Issued,
    Received,
    Restarted,
    Stalled,
)
from .handler_context import HandlerContext
from .interrupts import acceptance, acks, emergency_halts, escalation, watchdog
from .limits import cpu_quota
from .limits.fair_eviction import FinishedItems
from .limits.remembered_ids import Chunk, Dedup, Outline
from .members import Members
from .participants import grace, grants, invitations, joining
from .sequence_lookup import root
from .state import DeadlineKind, State
from .visibility import still_same

# Raised when a change gives old journal entries another meaning: a start then needs a snapshot.
VERSION = 14

STATE = "state"  # the part of a snapshot that changes with every event

Handler: TypeAlias = Callable[[HandlerContext, Envelope, Any, bytes], None]


def _forward(ctx: HandlerContext, envelope: Envelope, _: Any, data: bytes) -> None:
    ctx.forward(envelope, data)


_HANDLERS: dict[str, Handler] = {
    "mcp/request": requests.ask,
    "mcp/response": requests.respond,
    "mcp/proposal": proposals.propose,
    "mcp/withdraw": proposals.withdraw,
    "mcp/reject": proposals.reject,
    "reasoning/start": sequences.start,
    "reasoning/thought": sequences.think,
    "reasoning/conclusion": sequences.conclude,
    "reasoning/cancel": acceptance.cancel,
    "reasoning/interrupt": acceptance.interrupt,
    "reasoning/interrupt-ack": acks.acknowledge,
    "capability/grant": grants.grant,
    "capability/revoke": grants.revoke,
    "capability/grant-ack": grants.acknowledge,
    "space/invite": invitations.invite,
    "space/kick": invitations.kick,
    "participant/pause": participant_control.pause,
    "participant/resume": participant_control.resume,
    "participant/restart": participant_control.restart,
    "participant/shutdown": participant_control.shut_down,
    "stream/request": streams.request,
    "stream/close": streams.close,
    "stream/grant-write": streams.grant_write,
    "stream/revoke-write": streams.revoke_write,
    "stream/transfer-ownership": streams.transfer,
}

# The handler of each kind of deadline. A handler checks that the deadline still holds (`deadlines`).
_PASSED: dict[DeadlineKind, Callable[[HandlerContext, str, int], None]] = {
    "ack": acks.ack_overdue,
    "conclusion": acks.conclusion_overdue,
    "escalation": escalation.step_due,
    "owner": grace.ended,
    "watchdog": watchdog.check_ages,
    "halt": emergency_halts.stop_due,
    "pause": pauses.ended,
    "shutdown": participant_control.shutdown_due,
    "proposal": proposals.expired,
    "grant": grants.expired,
}


class Space:
    """One space. Deterministic: the same events at the same times give the same effects and the same state."""

    def __init__(self, state: State, dedup: Dedup) -> None:
        self._state = state
        self._dedup = dedup
        self._members = Members(state)
        self._finished = FinishedItems(state)
        self._budget = Budget()  # unused; replaced once anything is spent from it
        self.interrupted: list[Interrupted] = []  # the sequences that the latest event interrupted

    @classmethod
    def configured(cls, event: Configured) -> Space:
        """Return a new space, from its first event."""
        settings = event.settings
        visible_since = 0 if settings.routing == "visible" else None
        state = State(settings=settings, version=event.version, epoch=event.epoch, visible_since=visible_since)
        return cls(state, Dedup({}, {}))

    @classmethod
    def restored(cls, parts: Mapping[str, bytes]) -> Space:
        """Return the space of a `snapshot()`. Raises `msgspec.MsgspecError` or `KeyError` for anything else."""
        chunks = {name: _chunk.decode(part) for name, part in parts.items() if name != STATE}
        core = _core.decode(parts[STATE])
        return cls(core.state, Dedup(core.outlines, chunks))

    def snapshot(self, *, without: Container[str] = ()) -> dict[str, bytes]:
        """Return everything the space remembers, in parts by name.

        The part `state` changes with every event. The other parts never change; those named in `without` are left out.
        """
        core = _Core(self._state, self._dedup.outlines())
        chunks = self._dedup.chunks()
        sealed = {name: _encoder.encode(chunk) for name, chunk in chunks.items() if name not in without}
        return {STATE: _encoder.encode(core), **sealed}

    @property
    def parts(self) -> list[str]:
        """The names of all parts that a snapshot has now."""
        return [STATE, *self._dedup.chunks()]

    @property
    def remembered_ids(self) -> int:
        """The largest number of ids that are remembered of one participant."""
        return len(self._dedup)

    @property
    def state(self) -> State:
        """The state of the space, to be read only."""
        return self._state

    @property
    def members(self) -> Members:
        """The participants, their connections and capabilities, to be read only."""
        return self._members

    def is_taken(self, name: str) -> bool:
        """Return true if no alias may have this name: it is a participant's, or that of a guest who was removed."""
        return self._members.knows(name) or name in self._state.former

    @property
    def deadline(self) -> int | None:
        """When to hand in a `DeadlinePassed` event, in milliseconds since the epoch; None if there is no deadline."""
        return deadlines.earliest(self._state)

    def handle(self, event: Event, now: int, position: int = 0) -> list[Effect]:
        """Apply one event at its journalled time and position (0: there is no journal). Return the effects, in the
        order to run them.
        """
        ctx = HandlerContext(self._state, self._members, self._finished, now, self._budget, position=position)
        self.interrupted = ctx.interrupted
        if isinstance(event, Received):
            try:
                _receive(ctx, event, self._dedup)
            finally:
                if self._budget.spent:
                    self._budget = Budget()
        elif isinstance(event, Connected):
            joining.connected(ctx, event)
        elif isinstance(event, Disconnected):
            joining.disconnected(ctx, event)
        elif isinstance(event, DeadlinePassed):
            _pass_deadlines(ctx)
        elif isinstance(event, Restarted):
            joining.restarted(ctx)
            outages.restarted(ctx)
            watchdog.suspended(ctx, event.milliseconds)
        elif isinstance(event, Configured):
            self._reconfigure(ctx, event)
        elif isinstance(event, Issued):
            invitations.issued(ctx, event)
        elif isinstance(event, Stalled):
            acks.stalled(ctx, event.milliseconds)
            if event.refused:
                outages.ended(ctx, event.milliseconds)
                watchdog.suspended(ctx, event.milliseconds)
            else:
                outages.stalled(ctx, event.milliseconds)
        elif isinstance(event, DeliveredLate):
            outages.delivered_late(ctx, event)
        else:
            assert_never(event)
        if len(ctx.effects) > 1 and any(isinstance(effect, Dismiss) for effect in ctx.effects):
            self._dedup.drop_unknown(self._members.knows)  # a `Dismiss` never comes alone
        return ctx.effects

    def is_late(self, now: int, *, first: int, last: int, most: int) -> bool:
        """Return true if a deadline began with an entry from `first` to `last`, more than `most` milliseconds ago."""
        return outages.is_late(self._state, now, first=first, last=last, most=most)

    def recipients_of_frame(self, participant: str, stream: str, *, connection: int = 0) -> tuple[int, ...]:
        """Return the connections that get a stream's frame, which came by `connection` (0: by a post).

        Frames are not journalled: this changes nothing. Raises `Rejected` for a participant that may not act, because
        it is paused, halted, fenced or shutting down, or may not write to the stream (docs/protocol.md §4, §5).
        """
        participant_control.check_frame(self._state, participant, connection)
        return streams.recipients(self._state, self._members, participant, stream)

    def _reconfigure(self, ctx: HandlerContext, event: Configured) -> None:
        state, settings = self._state, event.settings
        was_time = state.version < 14 and bool(state.visible_since)  # which was in milliseconds then
        if settings.routing != state.settings.routing or was_time:
            state.visible_since = state.next_ordinal() if settings.routing == "visible" else None
            state.visible_position = ctx.position
        state.settings = settings
        state.version = event.version
        self._members.reload(state)
        watchdog.reconfigured(ctx)


class _Core(msgspec.Struct, array_like=True):
    """The snapshot part `STATE`."""

    state: State
    outlines: dict[str, Outline]


_encoder = msgspec.msgpack.Encoder()
_core = msgspec.msgpack.Decoder(_Core)
_chunk = msgspec.msgpack.Decoder(Chunk)


def _receive(ctx: HandlerContext, event: Received, dedup: Dedup) -> None:
    """Take an envelope through the checks of docs/protocol.md §2 in their order; the first that fails is answered."""
    envelope = event.envelope
    if ctx.state.owing:
        ctx.budget = cpu_quota.budget_for(ctx.state, event.participant, ctx.now, is_urgent=envelope.kind in URGENT)
    try:
        is_known = dedup.has(event, envelope.id)
        kind = _admit(ctx, event, envelope, is_known=is_known)
        if envelope.kind == HEARTBEAT:
            return
        if is_known:
            invitations.draw_again(ctx, envelope)
            return
        payload = payload_of(envelope, kind, strict=ctx.state.settings.validation == "strict")
        _HANDLERS.get(envelope.kind, _forward)(ctx, envelope, payload, event.data)
    except Rejected as rejected:
        ctx.refuse(event, rejected, correlation=envelope.id)
    else:
        dedup.add(event, envelope.id, ctx.now, ctx.state.settings.bounds)
        if event.connection == 0:
            joining.posted(ctx, event)
        if envelope.context is not None or envelope.kind == "reasoning/start":
            watchdog.count(ctx, envelope, len(event.data))
    finally:
        if ctx.budget.spent >= cpu_quota.CHARGED_FROM:
            cpu_quota.charge(ctx.state, event.participant, ctx.now, ctx.budget)


def _admit(ctx: HandlerContext, event: Received, envelope: Envelope, *, is_known: bool) -> Kind:
    """Check identity, reserved kind, duplicate id, pause, halt, fence and capability, in this order.

    Of envelopes whose id is known only an invitation that is posted again passes. Return the kind's row.
    """
    state = ctx.state
    if event.participant in state.kicked or not ctx.members.knows(event.participant):
        raise Rejected("removed", f"{event.participant} was removed from this space.")
    if envelope.sender != event.participant:
        raise Rejected("identity_mismatch", f"You are {event.participant}: you cannot speak as {envelope.sender}.")
    kind = KINDS.get(envelope.kind, UNKNOWN)
    if kind is UNKNOWN and is_reserved(envelope.kind):
        raise Rejected("reserved_kind", f"{envelope.kind} is reserved for the gateway.")
    if envelope.kind == HEARTBEAT:
        return kind
    if is_gateway_id(envelope.id):
        raise Rejected("invalid_envelope", f"The id {envelope.id!r} is one of the gateway's own: choose another.")
    if not (is_known and invitations.is_posted_again(state, event)):
        id_reuse.check(state, envelope, is_known=is_known)
    if kind.acting or state.shut or state.shutdowns or state.paused or state.halted:  # else none rejects it
        participant_control.check(state, envelope, kind, event.connection)
        emergency_halts.check(state, envelope, kind)
        fence.check(state, envelope, kind)
    if not _is_allowed(ctx, envelope):
        cpu_quota.check(state, envelope.sender, ctx.now, ctx.budget)
        raise Rejected(
            "capability_violation",
            f"You lack a capability for this {envelope.kind}.",
            attempted_kind=envelope.kind,
            your_capabilities=ctx.members.told(envelope.sender),
        )
    return kind


def _is_allowed(ctx: HandlerContext, envelope: Envelope) -> bool:
    capabilities = ctx.members.capabilities(envelope.sender)
    payload, to = envelope.payload, envelope.to or ()
    if envelope.kind == "reasoning/interrupt":
        payload = with_class(payload)
        if payload["class"] == "emergency":
            return capabilities.allow_emergency(envelope.kind, payload, to, ctx.budget)
    try:
        cpu_quota.charge_lookup(ctx.state, envelope.sender, envelope.kind, capabilities, ctx.budget)
        is_allowed = capabilities.allow(envelope.kind, payload, to, ctx.budget)
    except BudgetExceeded:
        is_allowed = False
    return is_allowed or _is_implied(ctx.state, envelope)


def _is_implied(state: State, envelope: Envelope) -> bool:
    """Return true for what everyone may do without a capability (docs/protocol.md §3)."""
    match envelope.kind:
        case "mcp/response":
            # A response to no open request passes here, and is rejected as `request_not_found` by its handler.
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
    return sequence is not None and envelope.sender in still_same(state, sequence.ordinal, (sequence.owner,))


def _pass_deadlines(ctx: HandlerContext) -> None:
    """Handle everything that is due, in the order of time."""
    while (deadline := deadlines.due(ctx.state, ctx.now)) is not None:
        _PASSED[deadline.kind](ctx, deadline.id, deadline.at)
    for name in ctx.changed:  # once each, even if several grants expired
        joining.capabilities_changed(ctx, name)
