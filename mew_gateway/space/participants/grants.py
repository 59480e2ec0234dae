"""Capabilities granted and revoked at run time (§3.6.1 to §3.6.3; docs/protocol.md §3, §4).

Two rules hold. A participant gives only what it holds itself, shown by containment (`protocol.containment`), and no
longer than it holds it. And what costs work is paid by the giver: compiling the patterns, comparing them, and matching
the kinds that the recipient already uses (`cpu_quota`). Bounded is what one participant may be given (`check_size`),
and what all of a space are given together (`check_share`).

A grant outlives the capabilities of its granter. A revocation takes effect before the next envelope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.budget import BudgetExceeded, worst_cost
from mew_gateway.protocol.capabilities import Capability
from mew_gateway.protocol.containment import contains
from mew_gateway.protocol.envelope import MAX_KIND, Envelope, timestamp
from mew_gateway.protocol.patterns import compile_steps, count_expressions, count_globs
from mew_gateway.protocol.payloads import Grant as GrantPayload
from mew_gateway.protocol.payloads import GrantAck, Revoke

from ..deadlines import schedule, unset
from ..effects import Deliver
from ..handler_context import HandlerContext
from ..limits import cpu_quota
from ..limits.given_capabilities import given_size
from ..state import Grant, State, remembered
from ..visibility import still_same
from . import joining

MAX_GIVEN = 32_768  # bytes, in JSON, of what one participant was given at run time: every welcome has it
MAX_EXPRESSIONS = 16  # regular expressions and JSONPaths in it: compiling them blocks all others
MAX_GLOBS = 512  # patterns with wildcards in it, for the same reason
MAX_KIND_WORK = 400_000  # steps to find which of them concern a kind: about 2.5 ms

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)  # an offset can reach beyond it

_Check: TypeAlias = Callable[[Capability], bool]


def grant(ctx: HandlerContext, envelope: Envelope, payload: GrantPayload, data: bytes) -> None:
    """Handle `capability/grant`: a participant gives capabilities that it holds. The envelope's id is the grant's.

    A grant outlives its granter's capabilities: a participant that revokes those sees the grants too, and may revoke
    them.
    """
    state, recipient = ctx.state, payload.recipient
    if not ctx.members.knows(recipient) or recipient in state.kicked:
        raise _unknown(recipient)
    if len(state.grants) >= (most := state.settings.bounds.grants):
        raise Rejected("too_many_grants", f"There are {most} grants here already.", limit=most)
    expires_at = _expiry(payload.expires_at, ctx.now)
    check_grantable(ctx, envelope.sender, recipient, payload.capabilities, "capabilities", until=expires_at)
    state.grants[envelope.id] = Grant(
        id=envelope.id,
        ordinal=state.next_ordinal(),
        granter=envelope.sender,
        recipient=recipient,
        capabilities=payload.capabilities,
        granted_at=ctx.now,
        expires_at=expires_at,
        reason=remembered(payload.reason),
        sponsor=state.sponsor(envelope.sender),
    )
    if expires_at is not None:
        schedule(state, expires_at, "grant", envelope.id)
    ctx.forward(envelope, data, also=(recipient,))
    _announce_change(ctx, recipient)


def revoke(ctx: HandlerContext, envelope: Envelope, payload: Revoke, data: bytes) -> None:
    """Handle `capability/revoke`: revoke one grant, or all that the given patterns cover.

    In force before the next envelope.
    """
    recipient = payload.recipient
    if not ctx.members.knows(recipient):
        raise _unknown(recipient)
    if payload.capabilities is None and payload.grant_id is not None:
        _revoke_grant(ctx, envelope.sender, recipient, payload.grant_id)
    elif payload.capabilities is not None and payload.grant_id is None:
        _revoke_covered(ctx, envelope.sender, recipient, payload.capabilities)
    else:
        problem = "give either `grant_id` or `capabilities` - at `$.payload`"
        raise Rejected("invalid_payload", f"capability/revoke: {problem}")
    ctx.forward(envelope, data, also=(recipient,))
    _announce_change(ctx, recipient)


def _announce_change(ctx: HandlerContext, recipient: str) -> None:
    """Announce what the recipient may send now. The sender pays for the announcement by its length.

    A welcome has all capabilities that are held, and may be long.
    """
    before = len(ctx.effects)
    joining.capabilities_changed(ctx, recipient)
    announced = [effect for effect in ctx.effects[before:] if isinstance(effect, Deliver)]
    ctx.budget.spent += sum(len(one.data) * (16 + len(one.connections)) // 8 for one in announced)


def acknowledge(ctx: HandlerContext, envelope: Envelope, _: GrantAck, data: bytes) -> None:
    """Handle `capability/grant-ack`: the recipient has seen the grant."""
    named = envelope.correlation_id or ()
    known = [ctx.state.grants[id] for id in named if id in ctx.state.grants]
    given = next((grant for grant in known if grant.recipient == envelope.sender), None)
    if given is None:
        raise Rejected("grant_not_found", f"No grant to you is called {', '.join(named) or 'nothing'}.")
    given.acked = True
    ctx.forward(envelope, data, also=still_same(ctx.state, given.ordinal, (given.granter,)))


def expired(ctx: HandlerContext, id: str, at: int) -> None:
    """End a grant whose time is over."""
    given = ctx.state.grants.get(id)
    if given is not None and given.expires_at == at:
        del ctx.state.grants[id]
        ctx.changed[given.recipient] = None


def drop_all(ctx: HandlerContext, name: str) -> list[str]:
    """Revoke all grants of a participant and return their ids.

    Nothing is announced: see `joining.capabilities_changed`.
    """
    dropped = [grant.id for grant in ctx.state.grants.values() if grant.recipient == name]
    for id in dropped:
        _drop(ctx.state, id)
    ctx.members.refresh(ctx.state, name)
    return dropped


def check_grantable(
    ctx: HandlerContext,
    giver: str,
    recipient: str,
    sources: list[dict[str, Any]],
    path: str,
    *,
    until: int | None,
    is_invited: bool = False,
) -> None:
    """Check that a participant may be given these capabilities until a time, or for good (None), and charge the giver.

    `is_invited`: they come with an invitation, which replaces an earlier invitation and all grants since.

    Raises `Rejected`: `too_many_grants`, `grant_exceeds_capabilities`, `rate_limited`, `invalid_capability`.
    """
    held_before = [] if is_invited else [*_granted(ctx.state, recipient), *_invited_with(ctx.state, recipient)]
    check_size(recipient, [*held_before, *sources])
    check_share(ctx, giver, sources, instead_of=recipient if is_invited else None)
    _charge_compiling(ctx, giver, sources)
    given = ctx.members.compiled(sources, path)
    _check_kinds(ctx, giver, recipient, held_before, given)
    _check_held(ctx, giver, given, path, until=until)


def _granted(state: State, name: str) -> list[dict[str, Any]]:
    return [source for one in state.grants.values() if one.recipient == name for source in one.capabilities]


def _invited_with(state: State, name: str) -> list[dict[str, Any]]:
    """Return the capabilities that an inviter gave a guest: those beyond what the operator gives to every guest."""
    guest = state.invitees.get(name) if name not in state.settings.participants else None
    own = [] if guest is None else guest.capabilities
    return [source for source in own if source not in state.settings.invited_capabilities]


def _check_kinds(
    ctx: HandlerContext, giver: str, recipient: str, held_before: list[dict[str, Any]], more: list[Capability]
) -> None:
    """Check that looking up the recipient's kinds stays cheap, and charge the giver for the kinds that are known."""
    held = ctx.members.held(ctx.state, recipient) if held_before else ()
    known = set(map(id, held_before))
    given = [*(one for _, one in held if id(one.source) in known), *more]
    if worst_cost((cost for one in given for cost in one.costs), MAX_KIND) > MAX_KIND_WORK:
        problem = f"It would take too much work to find which of {recipient}'s capabilities are about a kind."
        raise Rejected("too_many_grants", problem, limit=MAX_KIND_WORK)
    try:
        ctx.budget.take(
            sum(one.lookup_steps(kind) for one in more for kind in cpu_quota.known_kinds(ctx.state, recipient))
        )
    except BudgetExceeded:
        raise _too_much(ctx, giver) from None


def _check_held(ctx: HandlerContext, giver: str, given: list[Capability], path: str, *, until: int | None) -> None:
    """Check that the giver holds all of these (§3.6.7), for as long as it gives them."""
    held = ctx.members.held(ctx.state, giver)
    for index, wanted in enumerate(given):
        covering = (grant for grant, one in held if _covers(ctx, giver, one, wanted))
        ends: list[int | None] = []
        for grant in covering:
            ends.append(None if grant is None else grant.expires_at)
            if _outlasts(ends[-1], until):
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


def _outlasts(end: int | None, until: int | None) -> bool:
    """Return true if a capability held until `end` (None: for good) is still held at `until`."""
    return end is None or (until is not None and until <= end)


def _charge_compiling(ctx: HandlerContext, sender: str, sources: list[dict[str, Any]]) -> None:
    """Charge the sender for compiling these. Raises `Rejected` `rate_limited` or `invalid_capability`."""
    try:
        ctx.budget.take(compile_steps(sources))
    except BudgetExceeded:
        raise _too_much(ctx, sender) from None


def check_size(recipient: str, sources: list[dict[str, Any]]) -> None:
    """Check the size of all that a participant is given or asked to lose, before any of it is compiled.

    Raises `Rejected` `too_many_grants` or `invalid_capability`.
    """
    size = len(msgspec.json.encode(sources))
    if size > MAX_GIVEN:
        problem = f"What {recipient} is given would be {size} bytes of capabilities; at most {MAX_GIVEN} are told."
        raise Rejected("too_many_grants", problem, limit_bytes=MAX_GIVEN)
    if count_expressions(sources) > MAX_EXPRESSIONS:
        problem = f"{recipient} may be given at most {MAX_EXPRESSIONS} regular expressions and JSONPaths together."
        raise Rejected("invalid_capability", problem)
    if count_globs(sources) > MAX_GLOBS:
        problem = f"{recipient} may be given at most {MAX_GLOBS} patterns with wildcards together."
        raise Rejected("invalid_capability", problem)


def check_share(ctx: HandlerContext, giver: str, sources: Iterable[dict[str, Any]], *, instead_of: str | None) -> None:
    """Check that all that is given in the space stays small enough for a welcome, which tells it to whoever joins.

    A sponsor (`State.sponsor`) gives no more than it leaves for all others. `instead_of` is a guest that is invited
    anew: what it was given before counts no more. Raises `Rejected` `too_many_grants`.
    """
    size, most = given_size(sources), ctx.state.settings.bounds.given_bytes
    sponsor = ctx.state.sponsor(giver)
    own, total = ctx.members.given.with_more(sponsor, size, instead_of=instead_of)
    if size and own > most - total:
        raise Rejected(
            "too_many_grants",
            f"What {sponsor} and its guests give would be {own} bytes of capabilities, more than are left for all "
            f"others: of a space at most {most} are told.",
            limit_bytes=most,
        )


def _holds(ctx: HandlerContext, name: str) -> _Check:
    """Return a check whether one capability that the participant has now contains a given one."""
    own = tuple(ctx.members.capabilities(name))
    return lambda wanted: any(_covers(ctx, name, capability, wanted) for capability in own)


def _covers(ctx: HandlerContext, sender: str, outer: Capability, inner: Capability) -> bool:
    try:
        return contains(outer, inner, ctx.budget)
    except BudgetExceeded:
        raise _too_much(ctx, sender) from None


def _too_much(ctx: HandlerContext, sender: str) -> Rejected:
    cpu_quota.check(ctx.state, sender, ctx.now, ctx.budget)
    problem = "These patterns are too many to be compared with those that are held: name fewer of them at a time."
    return Rejected("invalid_capability", problem)


def _unknown(name: str) -> Rejected:
    return Rejected("participant_not_found", f"Nobody here is called {name!r}.", participants=[name])


def _expiry(given: datetime | None, now: int) -> int | None:
    if given is None:
        return None
    expires_at = (given - _EPOCH) // timedelta(milliseconds=1)
    if expires_at > _LATEST:
        problem = f"{timestamp(_LATEST)} is the latest there is - at `$.payload.expires_at`"
        raise Rejected("invalid_payload", f"capability/grant: {problem}")
    if expires_at <= now:
        problem = f"{timestamp(now)} is past it - at `$.payload.expires_at`"
        raise Rejected("invalid_payload", f"capability/grant: {problem}")
    return expires_at


def _is_granter(ctx: HandlerContext, given: Grant, name: str) -> bool:
    """Return true if this participant made the grant, and not an earlier guest of its name."""
    return given.granter == name and ctx.viewer(name).was_here(given.ordinal)


def _drop(state: State, id: str) -> None:
    if state.grants.pop(id).expires_at is not None:
        unset(state, "grant", id)


def _revoke_grant(ctx: HandlerContext, sender: str, recipient: str, id: str) -> None:
    given = ctx.state.grants.get(id)
    if given is None or given.recipient != recipient:
        raise Rejected("grant_not_found", f"{recipient} has no grant {id!r}.")
    holds = _holds(ctx, sender)
    held = [one for grant, one in ctx.members.held(ctx.state, recipient) if grant is given]
    if not _is_granter(ctx, given, sender) and not all(map(holds, held)):
        raise Rejected("not_granter", f"The grant {id} is {given.granter}'s, and you do not hold all that it gives.")
    _drop(ctx.state, id)


def _revoke_covered(ctx: HandlerContext, sender: str, recipient: str, patterns: list[dict[str, Any]]) -> None:
    """Revoke what the patterns cover, as far as the sender made the grant or holds the capability itself.

    Of configured capabilities the state remembers those that were revoked, not the patterns: so no more is revoked than
    the sender held, and no more is remembered than there was.
    """
    check_size(recipient, patterns)
    _charge_compiling(ctx, sender, patterns)
    state, holds = ctx.state, _holds(ctx, sender)
    wanted = ctx.members.compiled(patterns, "capabilities")
    held = ctx.members.held(state, recipient)
    covered = [(given, one) for given, one in held if any(_covers(ctx, sender, pattern, one) for pattern in wanted)]
    if not covered:
        raise Rejected("grant_not_found", f"{recipient} has nothing that these patterns cover.")
    taken = [
        (given, one) for given, one in covered if (given is not None and _is_granter(ctx, given, sender)) or holds(one)
    ]
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
