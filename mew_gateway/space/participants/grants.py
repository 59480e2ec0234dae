"""Capabilities granted and revoked at run time (§3.6.1 to §3.6.3; docs/protocol.md §3, §4).

Two rules hold. A participant gives only what it holds itself, shown by containment (`protocol.containment`), and no
longer than it holds it. And what costs work is paid by the giver: compiling the patterns, comparing them, matching the
kinds that the recipient already uses, and telling others (`cpu_quota`). All else takes work in proportion to the grant
alone, however much its recipient holds (`holdings`). Bounded is what one participant may be given (`check_size`), and
what all of a space are given together (`check_share`).

A grant outlives the capabilities of its granter. A revocation takes effect before the next envelope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from mew_gateway.errors import Rejected
from mew_gateway.protocol.budget import COMPARISON, BudgetExceeded, Cost, worst_cost
from mew_gateway.protocol.capabilities import Capability
from mew_gateway.protocol.containment import contains
from mew_gateway.protocol.envelope import MAX_KIND, Envelope, timestamp
from mew_gateway.protocol.patterns import Weight, weigh
from mew_gateway.protocol.payloads import Grant as GrantPayload
from mew_gateway.protocol.payloads import GrantAck, Revoke

from ..deadlines import schedule, unset
from ..effects import Deliver
from ..handler_context import HandlerContext
from ..limits import cpu_quota
from ..limits.given_capabilities import given_size
from ..limits.holdings import Holding
from ..state import Grant, remembered
from ..visibility import Viewer, still_same
from . import joining

MAX_GIVEN = 32_768  # bytes, in JSON, of what one participant was given at run time: every welcome has it
MAX_EXPRESSIONS = 16  # regular expressions and JSONPaths in it: compiling them blocks all others
MAX_GLOBS = 512  # patterns with wildcards in it, for the same reason
_RECORDED = 64  # eighths of a step of recording a byte
_EACH = 500  # steps of measuring and telling a capability
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
    state.grants[envelope.id] = given = Grant(
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
    ctx.members.put_grant(given)
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
    charge_told(ctx, before)


def charge_told(ctx: HandlerContext, before: int) -> None:
    """Charge the sender for what the effects after the first `before` tell, by its length.

    What is recorded costs more.
    """
    for one in ctx.effects[before:]:
        if isinstance(one, Deliver):
            recorded = _RECORDED if one.kept is None else 0
            ctx.budget.spent += len(one.data) * (16 + len(one.connections) + recorded) // 8


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
        _drop(ctx, id)
        ctx.changed[given.recipient] = None


def drop_all(ctx: HandlerContext, name: str) -> list[str]:
    """Revoke all grants of a participant and return their ids.

    Nothing is announced: see `joining.capabilities_changed`.
    """
    dropped = ctx.members.granted_to(name)
    for id in dropped:
        _drop(ctx, id)
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
    _charge(ctx, giver, _EACH * len(sources))
    before = None if is_invited else ctx.members.holding(recipient)
    weight = check_size(recipient, sources, before)
    check_share(ctx, giver, sources, instead_of=recipient if is_invited else None)
    _charge(ctx, giver, weight.steps)
    given = ctx.members.compiled(sources, path)
    _check_kinds(ctx, giver, recipient, [] if before is None else before.costs, given)
    _check_held(ctx, giver, given, path, until=until)


def _check_kinds(
    ctx: HandlerContext, giver: str, recipient: str, costs_before: list[Cost], more: list[Capability]
) -> None:
    """Check that looking up the recipient's kinds stays cheap, and charge the giver for the kinds that are known."""
    costs = [*costs_before, *(cost for one in more for cost in one.costs)]
    known, asked = cpu_quota.known_kinds(ctx.state, recipient), [one for one in more if one.is_scanned]
    _charge(ctx, giver, COMPARISON * (4 * len(costs) + len(known) * sum(1 + len(one.costs) for one in asked)))
    if worst_cost(costs, MAX_KIND) > MAX_KIND_WORK:
        problem = f"It would take too much work to find which of {recipient}'s capabilities are about a kind."
        raise Rejected("too_many_grants", problem, limit=MAX_KIND_WORK)
    _charge(ctx, giver, sum(one.lookup_steps(kind) for one in asked for kind in known))


def _check_held(ctx: HandlerContext, giver: str, given: list[Capability], path: str, *, until: int | None) -> None:
    """Check that the giver holds all of these (§3.6.7), for as long as it gives them."""
    for index, wanted in enumerate(given):
        held = ctx.members.held(ctx.state, giver)
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


def _charge(ctx: HandlerContext, sender: str, steps: int) -> None:
    """Charge the sender for these steps. Raises `Rejected` `rate_limited` or `invalid_capability`."""
    try:
        ctx.budget.take(steps)
    except BudgetExceeded:
        raise _too_much(ctx, sender) from None


def check_size(recipient: str, sources: list[dict[str, Any]], before: Holding | None = None) -> Weight:
    """Check the size of all that a participant is given or asked to lose, before any of it is compiled.

    `before` is what it holds already. Return what `sources` take to compile. Raises `Rejected` `too_many_grants` or
    `invalid_capability`.
    """
    held, expressions, globs = (0, 0, 0) if before is None else (before.size, before.expressions, before.globs)
    size = held + given_size(sources) + 1
    if size > MAX_GIVEN:
        problem = f"What {recipient} is given would be {size} bytes of capabilities; at most {MAX_GIVEN} are told."
        raise Rejected("too_many_grants", problem, limit_bytes=MAX_GIVEN)
    weight = weigh(sources)
    if expressions + weight.expressions > MAX_EXPRESSIONS:
        problem = f"{recipient} may be given at most {MAX_EXPRESSIONS} regular expressions and JSONPaths together."
        raise Rejected("invalid_capability", problem)
    if globs + weight.globs > MAX_GLOBS:
        problem = f"{recipient} may be given at most {MAX_GLOBS} patterns with wildcards together."
        raise Rejected("invalid_capability", problem)
    return weight


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
    own = ctx.members.capabilities(name)
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


def _drop(ctx: HandlerContext, id: str) -> None:
    given = ctx.state.grants.pop(id)
    if given.expires_at is not None:
        unset(ctx.state, "grant", id)
    ctx.members.drop_grant(given)


def _revoke_grant(ctx: HandlerContext, sender: str, recipient: str, id: str) -> None:
    given = ctx.state.grants.get(id)
    if given is None or given.recipient != recipient:
        raise Rejected("grant_not_found", f"{recipient} has no grant {id!r}.")
    held = ctx.members.capabilities(recipient).group(id)
    if not _is_granter(given, ctx.viewer(sender)) and not all(map(_holds(ctx, sender), held)):
        raise Rejected("not_granter", f"The grant {id} is {given.granter}'s, and you do not hold all that it gives.")
    _drop(ctx, id)


def _revoke_covered(ctx: HandlerContext, sender: str, recipient: str, patterns: list[dict[str, Any]]) -> None:
    """Revoke what the patterns cover, as far as the sender made the grant or holds the capability itself."""
    _charge(ctx, sender, _EACH * len(patterns))
    _charge(ctx, sender, check_size(recipient, patterns).steps)
    state, holds, revoker = ctx.state, _holds(ctx, sender), ctx.viewer(sender)
    wanted = ctx.members.compiled(patterns, "capabilities")
    held = ctx.members.held(state, recipient)
    covered = [(given, one) for given, one in held if any(_covers(ctx, sender, pattern, one) for pattern in wanted)]
    if not covered:
        raise Rejected("grant_not_found", f"{recipient} has nothing that these patterns cover.")
    taken = [
        (given, one) for given, one in covered if (given is not None and _is_granter(given, revoker)) or holds(one)
    ]
    if not taken:
        raise Rejected("not_granter", f"You did not give {recipient} what these patterns cover, nor do you hold it.")
    gone = {id(one.source) for _, one in taken}
    for given in {given.id: given for given, _ in taken if given is not None}.values():
        given.capabilities = [source for source in given.capabilities if id(source) not in gone]
        if given.capabilities:
            ctx.members.put_grant(given)
        else:
            _drop(ctx, given.id)
    if own := [one for given, one in taken if given is None]:
        _revoke_own(ctx, recipient, own)


def _revoke_own(ctx: HandlerContext, recipient: str, taken: Sequence[Capability]) -> None:
    """Take from a participant some of its own capabilities.

    Of configured capabilities the state remembers those that were revoked, not the patterns: so no more is revoked than
    the sender held, and no more is remembered than there was.
    """
    state, guest = ctx.state, ctx.state.invitees.get(recipient)
    if guest is not None and recipient not in state.settings.participants:
        gone = {id(one.source) for one in taken}
        guest.capabilities = [source for source in guest.capabilities if id(source) not in gone]
    else:
        state.revoked[recipient] = [*state.revoked.get(recipient, ()), *(one.source for one in taken)]
    ctx.members.refresh(state, recipient)
    number = ctx.members.capabilities(recipient).number + len(taken)
    ctx.budget.spent += 8 * COMPARISON * number * (1 + len(state.revoked.get(recipient, ())))


def _is_granter(given: Grant, viewer: Viewer) -> bool:
    """Return true if this participant made the grant, and not an earlier guest of its name."""
    return given.granter == viewer.name and viewer.was_here(given.ordinal)
