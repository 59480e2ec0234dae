"""Capabilities given and taken at run time (§3.6.1 to §3.6.3; docs/protocol.md §3, §4)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.budget import Spent, worst
from mew_gateway.protocol.capabilities import Capability
from mew_gateway.protocol.containment import covers
from mew_gateway.protocol.envelope import MAX_KIND, Envelope, timestamp
from mew_gateway.protocol.patterns import compiling, expressions, globs
from mew_gateway.protocol.payloads import Grant as GrantPayload
from mew_gateway.protocol.payloads import GrantAck, Revoke

from . import cpu_quota as work
from . import membership
from .deadlines import schedule, unset
from .effects import Deliver
from .handler_context import Turn
from .state import Grant, State, remembered
from .visibility import same

MAX_GIVEN = 32_768  # bytes, in JSON, of what one participant was given at run time: every welcome tells it
MAX_EXPRESSIONS = 16  # regular expressions and JSONPaths in it: nobody else is served while they are compiled
MAX_GLOBS = 512  # patterns with wildcards in it, for the same reason
MAX_KIND_WORK = 400_000  # steps that finding which of them are about a kind takes: some 2.5 ms

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)  # an offset can reach beyond

_May: TypeAlias = Callable[[Capability], bool]


def grant(turn: Turn, envelope: Envelope, payload: GrantPayload, data: bytes) -> None:
    """`capability/grant`: whoever holds what it gives may give it. Its id is the grant's.

    A grant outlives its granter's own capabilities: who takes these away also sees the grants, and may revoke them.
    """
    state, recipient = turn.state, payload.recipient
    if not turn.members.knows(recipient) or recipient in state.kicked:
        raise _unknown(recipient)
    if len(state.grants) >= (most := state.settings.bounds.grants):
        raise Rejected("too_many_grants", f"There are {most} grants here already.", limit=most)
    expires_at = _expiry(payload.expires_at, turn.now)
    accept(turn, envelope.sender, recipient, payload.capabilities, "capabilities", until=expires_at)
    state.grants[envelope.id] = Grant(
        id=envelope.id,
        ordinal=state.next_ordinal(),
        granter=envelope.sender,
        recipient=recipient,
        capabilities=payload.capabilities,
        granted_at=turn.now,
        expires_at=expires_at,
        reason=remembered(payload.reason),
    )
    if expires_at is not None:
        schedule(state, expires_at, "grant", envelope.id)
    turn.forward(envelope, data, also=(recipient,))
    _renew(turn, recipient)


def revoke(turn: Turn, envelope: Envelope, payload: Revoke, data: bytes) -> None:
    """`capability/revoke`: one grant, or whatever given patterns cover. In force before the next envelope."""
    recipient = payload.recipient
    if not turn.members.knows(recipient):
        raise _unknown(recipient)
    if payload.capabilities is None and payload.grant_id is not None:
        _revoke_grant(turn, envelope.sender, recipient, payload.grant_id)
    elif payload.capabilities is not None and payload.grant_id is None:
        _revoke_covered(turn, envelope.sender, recipient, payload.capabilities)
    else:
        what = "give either `grant_id` or `capabilities` - at `$.payload`"
        raise Rejected("invalid_payload", f"capability/revoke: {what}")
    turn.forward(envelope, data, also=(recipient,))
    _renew(turn, recipient)


def _renew(turn: Turn, recipient: str) -> None:
    """Tell everybody what the recipient may send now. Who changes it pays for what is said, by its length:
    a welcome has all that is held, and may be long."""
    before = len(turn.effects)
    membership.renewed(turn, recipient)
    told = [effect for effect in turn.effects[before:] if isinstance(effect, Deliver)]
    turn.budget.spent += sum(len(one.data) * (16 + len(one.connections)) // 8 for one in told)


def acknowledge(turn: Turn, envelope: Envelope, _: GrantAck, data: bytes) -> None:
    """`capability/grant-ack`: the recipient has seen the grant."""
    named = envelope.correlation_id or ()
    known = [turn.state.grants[id] for id in named if id in turn.state.grants]
    given = next((grant for grant in known if grant.recipient == envelope.sender), None)
    if given is None:
        raise Rejected("grant_not_found", f"No grant to you is called {', '.join(named) or 'nothing'}.")
    given.acked = True
    turn.forward(envelope, data, also=same(turn.state, given.ordinal, (given.granter,)))


def expired(turn: Turn, id: str, at: int) -> None:
    """A grant's time is over."""
    given = turn.state.grants.get(id)
    if given is not None and given.expires_at == at:
        del turn.state.grants[id]
        turn.changed[given.recipient] = None


def drop_all(turn: Turn, name: str) -> list[str]:
    """Take every run-time grant from a participant; their ids. No notice is sent: see `membership.renewed`."""
    dropped = [grant.id for grant in turn.state.grants.values() if grant.recipient == name]
    for id in dropped:
        _drop(turn.state, id)
    turn.members.refresh(turn.state, name)
    return dropped


def accept(
    turn: Turn,
    giver: str,
    recipient: str,
    sources: list[dict[str, Any]],
    path: str,
    *,
    until: int | None,
    is_invited: bool = False,
) -> None:
    """Whether a participant may be given these, until a time or for good (None). The giver takes the work of it. To be
    invited with them takes the place of an invitation before, and of what was granted since.

    Raises `Rejected`: `too_many_grants`, `grant_exceeds_capabilities`, `rate_limited`, `invalid_capability`.
    """
    gifts = [] if is_invited else [*_granted(turn.state, recipient), *_invited_with(turn.state, recipient)]
    check_size(recipient, [*gifts, *sources])
    _pay_for(turn, giver, sources)
    given = turn.members.compiled(sources, path)
    _check_kinds(turn, giver, recipient, gifts, given)
    _check_held(turn, giver, given, path, until=until)


def _granted(state: State, name: str) -> list[dict[str, Any]]:
    return [source for one in state.grants.values() if one.recipient == name for source in one.capabilities]


def _invited_with(state: State, name: str) -> list[dict[str, Any]]:
    """What a guest was invited with is somebody's gift as well, unless it is what the operator gives to all."""
    guest = state.invitees.get(name) if name not in state.settings.participants else None
    own = [] if guest is None else guest.capabilities
    return [source for source in own if source not in state.settings.invited_capabilities]


def _check_kinds(turn: Turn, giver: str, recipient: str, gifts: list[dict[str, Any]], more: list[Capability]) -> None:
    """Whether the recipient's envelopes can still be decided about with these as well as those it was given; the giver
    takes the work on those kinds that are known already."""
    held = turn.members.held(turn.state, recipient) if gifts else ()
    known = set(map(id, gifts))
    given = [*(one for _, one in held if id(one.source) in known), *more]
    if worst((price for one in given for price in one.prices), MAX_KIND) > MAX_KIND_WORK:
        what = f"It would take too much work to find which of {recipient}'s capabilities are about a kind."
        raise Rejected("too_many_grants", what, limit=MAX_KIND_WORK)
    try:
        turn.budget.affords(sum(one.work_on(kind) for one in more for kind in work.kinds_of(turn.state, recipient)))
    except Spent:
        raise _too_much(turn, giver) from None


def _check_held(turn: Turn, giver: str, given: list[Capability], path: str, *, until: int | None) -> None:
    """Whether the giver itself holds all of these (§3.6.7), and as long as it gives them."""
    held = turn.members.held(turn.state, giver)
    for index, wanted in enumerate(given):
        covering = (grant for grant, one in held if _covers(turn, giver, one, wanted))
        ends: list[int | None] = []
        for grant in covering:
            ends.append(None if grant is None else grant.expires_at)
            if _lasts(ends[-1], until):
                break
        else:
            raise Rejected(
                "grant_exceeds_capabilities",
                f"You hold {path}[{index}] for a time only: give it no longer than you have it."
                if ends
                else f"You hold no capability that is shown to contain {path}[{index}].",
                index=index,
                capability=wanted.source,
            )


def _lasts(end: int | None, until: int | None) -> bool:
    """Whether what is held until `end` (None: for good) is still held at `until`."""
    return end is None or (until is not None and until <= end)


def _pay_for(turn: Turn, sender: str, sources: list[dict[str, Any]]) -> None:
    """Have the sender pay for the compiling of these. Raises `Rejected` `rate_limited` or `invalid_capability`."""
    try:
        turn.budget.affords(compiling(sources))
    except Spent:
        raise _too_much(turn, sender) from None


def check_size(recipient: str, sources: list[dict[str, Any]]) -> None:
    """Whether a participant may be given, or asked to lose, all of these: asked before any is compiled.

    Raises `Rejected` `too_many_grants` or `invalid_capability`.
    """
    size = len(msgspec.json.encode(sources))
    if size > MAX_GIVEN:
        what = f"What {recipient} is given would be {size} bytes of capabilities; at most {MAX_GIVEN} are told."
        raise Rejected("too_many_grants", what, limit_bytes=MAX_GIVEN)
    if expressions(sources) > MAX_EXPRESSIONS:
        what = f"{recipient} may be given at most {MAX_EXPRESSIONS} regular expressions and JSONPaths together."
        raise Rejected("invalid_capability", what)
    if globs(sources) > MAX_GLOBS:
        what = f"{recipient} may be given at most {MAX_GLOBS} patterns with wildcards together."
        raise Rejected("invalid_capability", what)


def _holds(turn: Turn, name: str) -> _May:
    """Whether one capability that the participant has now contains a given one. It is the one who asks."""
    own = tuple(turn.members.capabilities(name))
    return lambda wanted: any(_covers(turn, name, capability, wanted) for capability in own)


def _covers(turn: Turn, sender: str, outer: Capability, inner: Capability) -> bool:
    try:
        return covers(outer, inner, turn.budget)
    except Spent:
        raise _too_much(turn, sender) from None


def _too_much(turn: Turn, sender: str) -> Rejected:
    work.check(turn.state, sender, turn.now, turn.budget)
    what = "These patterns are too many to be compared with those that are held: name fewer of them at a time."
    return Rejected("invalid_capability", what)


def _unknown(name: str) -> Rejected:
    return Rejected("participant_not_found", f"Nobody here is called {name!r}.", participants=[name])


def _expiry(given: datetime | None, now: int) -> int | None:
    if given is None:
        return None
    expires_at = (given - _EPOCH) // timedelta(milliseconds=1)
    if expires_at > _LATEST:
        what = f"{timestamp(_LATEST)} is the latest there is - at `$.payload.expires_at`"
        raise Rejected("invalid_payload", f"capability/grant: {what}")
    if expires_at <= now:
        what = f"{timestamp(now)} is past it - at `$.payload.expires_at`"
        raise Rejected("invalid_payload", f"capability/grant: {what}")
    return expires_at


def _gave(turn: Turn, given: Grant, name: str) -> bool:
    """Whether the participant made the grant, and not another who was called so."""
    return given.granter == name and turn.viewer(name).was_here(given.ordinal)


def _drop(state: State, id: str) -> None:
    if state.grants.pop(id).expires_at is not None:
        unset(state, "grant", id)


def _revoke_grant(turn: Turn, sender: str, recipient: str, id: str) -> None:
    given = turn.state.grants.get(id)
    if given is None or given.recipient != recipient:
        raise Rejected("grant_not_found", f"{recipient} has no grant {id!r}.")
    holds = _holds(turn, sender)
    held = [one for grant, one in turn.members.held(turn.state, recipient) if grant is given]
    if not _gave(turn, given, sender) and not all(map(holds, held)):
        raise Rejected("not_granter", f"The grant {id} is {given.granter}'s, and you do not hold all that it gives.")
    _drop(turn.state, id)


def _revoke_covered(turn: Turn, sender: str, recipient: str, patterns: list[dict[str, Any]]) -> None:
    """Take what the patterns cover, as far as the sender made the grant or holds the capability itself.

    Of the configuration's capabilities, those that are taken are remembered as they stand there, and not the patterns:
    so no more is taken than the sender held, and no more is remembered than there was.
    """
    check_size(recipient, patterns)
    _pay_for(turn, sender, patterns)
    state, holds = turn.state, _holds(turn, sender)
    wanted = turn.members.compiled(patterns, "capabilities")
    held = turn.members.held(state, recipient)
    covered = [(given, one) for given, one in held if any(_covers(turn, sender, pattern, one) for pattern in wanted)]
    if not covered:
        raise Rejected("grant_not_found", f"{recipient} has nothing that these patterns cover.")
    taken = [(given, one) for given, one in covered if (given is not None and _gave(turn, given, sender)) or holds(one)]
    if not taken:
        raise Rejected("not_granter", f"You did not give {recipient} what these patterns cover, nor do you hold it.")
    guest = state.invitees.get(recipient) if recipient not in state.settings.participants else None
    for given, one in taken:
        if given is None and guest is not None:
            guest.capabilities = [source for source in guest.capabilities if source is not one.source]
            continue
        if given is None:
            state.revoked[recipient] = [*state.revoked.get(recipient, ()), one.source]
            continue
        given.capabilities = [source for source in given.capabilities if source is not one.source]
        if not given.capabilities:
            _drop(state, given.id)
