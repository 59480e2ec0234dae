"""Proposals: open until the first fulfilment, rejection, withdrawal, voiding or expiry (docs/protocol.md §4).

Exactly one of these closes a proposal (`_close`). A closed one is kept among the finished, so that a late decision is
refused with the reason. A proposal belongs to the open sequence in which it was made: when that is interrupted or ends,
the proposal is void. So is every proposal of a participant that is halted, is removed, or does not come back in time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.payloads import Reasoned
from mew_gateway.protocol.payloads import Request as RequestPayload

from .deadlines import schedule
from .handler_context import HandlerContext
from .limits import cpu_quota
from .request_digest import digest_steps, recipients_digest, request_digest
from .sequence_lookup import root
from .state import Proposal, ProposalStatus, Rejection, Sequence, State, VoidReason, remembered
from .visibility import Viewer, still_same, viewer

_LISTED = 100  # open proposals in a welcome: the newest, and a count of all
_LISTED_BYTES = 262_144  # of them together in a welcome, which must fit every outbox
_LISTED_SIZE = 16_384  # bytes of a proposal; the parameters of a longer one are left out of the welcome
_OPEN_BYTES = 4_194_304  # bytes of one participant's open proposals together, and of all guests' of a sponsor
_LOOK, _RECIPIENT = 200, 2  # steps of looking at a proposal that an envelope names, and for each name in its `to`

_WHY_VOID: dict[VoidReason, str] = {
    "interrupted": "its sequence {sequence} was interrupted",
    "ended": "its sequence {sequence} has ended",
    "halted": "an emergency has halted {proposer}",
    "left": "{proposer} left and did not come back",
    "removed": "{proposer} was removed from this space",
}


def propose(ctx: HandlerContext, envelope: Envelope, payload: RequestPayload, data: bytes) -> None:
    """Handle `mcp/proposal` (§3.2): track it until it is closed.

    It belongs to its sender's open sequence, if it is in one.
    """
    state, name = ctx.state, root(envelope)
    _check_room(ctx, envelope.sender, len(data))
    cpu_quota.pay(state, envelope.sender, ctx.now, ctx.budget, digest_steps(data))
    sequence = state.sequences.get(name) if name is not None else None
    proposal = Proposal(
        id=envelope.id,
        ordinal=state.next_ordinal(),
        proposer=envelope.sender,
        to=tuple(envelope.to or ()),
        method=payload.method,
        params=None if payload.params is None else msgspec.json.encode(payload.params),
        proposed_at=ctx.now,
        expires_at=ctx.now + state.settings.proposal_expiry,
        size=len(data),
        sequence=sequence.id if sequence is not None and sequence.owner == envelope.sender else None,
        asked=request_digest(payload),
        recipients=recipients_digest(envelope.to),
        sponsor=state.sponsor(envelope.sender),
    )
    state.proposals[proposal.id] = proposal
    ctx.members.proposals.add(proposal)
    _schedule_expiry(state, proposal.expires_at)
    ctx.forward(envelope, data)


def withdraw(ctx: HandlerContext, envelope: Envelope, _: Reasoned, data: bytes) -> None:
    """Handle `mcp/withdraw` (§3.3.1): the proposer takes its proposal back."""
    decided = _decided(ctx, envelope)
    for proposal in decided:
        if proposal.proposer != envelope.sender:
            raise Rejected(
                "not_proposer",
                f"The proposal {proposal.id} is {proposal.proposer}'s: only {proposal.proposer} withdraws it.",
                proposal_id=proposal.id,
                proposer=proposal.proposer,
            )
        check_open(ctx.state, proposal, envelope.sender)
    for proposal in decided:
        _close(ctx, proposal, "withdrawn", by=envelope.id)
    ctx.forward(envelope, data)


def reject(ctx: HandlerContext, envelope: Envelope, payload: Reasoned, data: bytes) -> None:
    """Handle `mcp/reject` (§3.3.2): after it, nobody may fulfil the proposal (decisions/0024)."""
    decided = _decided(ctx, envelope)
    for proposal in decided:
        check_open(ctx.state, proposal, envelope.sender)
    for proposal in decided:
        proposal.rejection = Rejection(
            id=envelope.id,
            by=envelope.sender,
            reason=remembered(payload.reason),
            is_public=not envelope.to,
            ordinal=ctx.state.ordinal,
        )
        _close(ctx, proposal, "rejected", by=envelope.id)
    ctx.forward(envelope, data, also=proposers(decided))


def fulfilled(ctx: HandlerContext, envelope: Envelope, payload: RequestPayload, data: bytes) -> list[Proposal]:
    """Return the open proposals that a request fulfils: all that it correlates to.

    The sender pays for one digest of its request, which is compared with those of the proposals.

    Raises `Rejected`: `proposal_rejected` or `proposal_closed` for one that is not open, `proposal_mismatch` for one
    that differs from the request, `rate_limited`.
    """
    found = [proposal for proposal in named(ctx, envelope).values() if proposal is not None]
    for proposal in found:
        check_open(ctx.state, proposal, envelope.sender)
    if found:
        cpu_quota.pay(ctx.state, envelope.sender, ctx.now, ctx.budget, digest_steps(data))
        asked, recipients = request_digest(payload), recipients_digest(envelope.to)
    for proposal in found:
        field = None
        if proposal.asked != asked:
            field = "params" if payload.method == proposal.method else "method"
        elif proposal.recipients not in (b"", recipients):
            field = "to"
        if field is not None:
            raise Rejected(
                "proposal_mismatch",
                f"The request differs from the proposal {proposal.id} of {proposal.proposer} in `{field}`.",
                proposal_id=proposal.id,
                field=field,
            )
    return found


def fulfil(ctx: HandlerContext, proposal: Proposal, envelope: Envelope) -> None:
    """Close a proposal that a request has fulfilled."""
    proposal.fulfiller = envelope.sender
    _close(ctx, proposal, "fulfilled", by=envelope.id)


def void_of_sequence(ctx: HandlerContext, sequence: Sequence, reason: VoidReason) -> None:
    """Void the proposals of a sequence that was interrupted or has ended (docs/protocol.md §5)."""
    _void(ctx, ctx.members.proposals.of_sequence(sequence.id), reason)


def void_of_proposer(ctx: HandlerContext, name: str, reason: VoidReason) -> None:
    """Void the proposals of a proposer that was halted or is gone."""
    _void(ctx, ctx.members.proposals.of_proposer(name), reason)


def expired(ctx: HandlerContext, _: str, at: int) -> None:
    """Close the proposals whose time is over, and schedule the next expiry."""
    state = ctx.state
    for proposal in [one for one in state.proposals.values() if one.expires_at <= at]:
        ctx.broadcast_error(
            "proposal_expired",
            f"Nobody fulfilled the proposal {proposal.id} of {proposal.proposer} in time.",
            correlation=(proposal.id,),
            among=_audience(ctx.state, proposal),
            proposal_id=proposal.id,
            proposer=proposal.proposer,
            waited_ms=ctx.now - proposal.proposed_at,
        )
        _close(ctx, proposal, "expired")
    if state.proposals_due is not None and state.proposals_due <= at:
        state.proposals_due = None
    if state.proposals:
        _schedule_expiry(state, min(proposal.expires_at for proposal in state.proposals.values()))


def listed(ctx: HandlerContext, name: str) -> dict[str, Any]:
    """Return the open proposals that the participant may see, for its welcome: the newest that fit, and a count of all.

    `params` is left out, and `params_omitted` true, if they are too long to be in every welcome.
    """
    viewer = ctx.viewer(name)
    seen = [proposal for proposal in ctx.state.proposals.values() if is_seen(proposal, viewer)]
    entries: list[dict[str, Any]] = []
    left = _LISTED_BYTES
    for proposal in reversed(seen[-_LISTED:]):
        entry = _entry(ctx, proposal)
        left -= len(msgspec.json.encode(entry))
        if left < 0:
            break
        entries.append(entry)
    return {"open": entries[::-1], "count": len(seen)}


def named(ctx: HandlerContext, envelope: Envelope) -> dict[str, Proposal | None]:
    """Return the proposals that an envelope correlates to, open or remembered, by id; None for other ids.

    The sender pays for looking. Raises `Rejected`: `proposal_not_found` for one that it does not see, `rate_limited`.
    """
    state, asking = ctx.state, ctx.viewer(envelope.sender)
    ids = dict.fromkeys(envelope.correlation_id or ())
    found = {id: state.proposals.get(id) or state.decided.get(id) for id in ids}
    steps = sum(_LOOK + _RECIPIENT * len(one.to) for one in found.values() if one is not None)
    cpu_quota.pay(state, envelope.sender, ctx.now, ctx.budget, steps)
    for id, proposal in found.items():
        if proposal is not None and not is_seen(proposal, asking):
            raise _unknown(id)
    return found


def is_seen(proposal: Proposal, viewer: Viewer) -> bool:
    """Return true if the participant sees the proposal."""
    among = (*proposal.to, proposal.proposer) if proposal.to else None
    return viewer.sees(proposal.ordinal, among)


def reason_for(proposal: Proposal, viewer: Viewer) -> str | None:
    """Return the reason of the rejection, if the participant may see it."""
    rejection = proposal.rejection
    if rejection is None:
        return None
    among = None if rejection.is_public else (proposal.proposer, rejection.by)
    is_seen = viewer.was_here(proposal.ordinal) and viewer.sees(rejection.ordinal, among)
    return rejection.reason if is_seen else None


def check_open(state: State, proposal: Proposal, participant: str) -> None:
    """Return if the proposal is open, else raise `Rejected` `proposal_rejected` or `proposal_closed`."""
    if proposal.rejection is not None:
        raise _rejected(proposal, proposal.rejection, reason_for(proposal, viewer(state, participant)))
    if proposal.status != "open":
        why = "" if proposal.void is None else f": {_why_void(proposal, proposal.void)}"
        raise Rejected(
            "proposal_closed",
            f"The proposal {proposal.id} of {proposal.proposer} is no longer open ({proposal.status}{why}).",
            proposal_id=proposal.id,
            status=proposal.status,
            closed_by=proposal.closed_by,
            **({} if proposal.void is None else {"reason": proposal.void}),
        )


def proposers(proposals: list[Proposal]) -> tuple[str, ...]:
    """Return the proposers of these proposals, each once."""
    return tuple(dict.fromkeys(proposal.proposer for proposal in proposals))


def _decided(ctx: HandlerContext, envelope: Envelope) -> list[Proposal]:
    """Return the proposals that a withdrawal or rejection correlates to. Raises `Rejected`, as `named` does."""
    found = []
    for id, proposal in named(ctx, envelope).items():
        if proposal is None:
            raise _unknown(id)
        found.append(proposal)
    if not found:
        raise Rejected("proposal_not_found", "Name the proposal in `correlation_id`.")
    return found


def _check_room(ctx: HandlerContext, name: str, size: int) -> None:
    state, index = ctx.state, ctx.members.proposals
    limit, sponsor = state.settings.bounds.open_proposals, state.sponsor(name)
    if index.number_of(name) >= limit:
        raise Rejected("too_many_proposals", f"{name} has {limit} open proposals, the most allowed.", limit=limit)
    if (held := index.bytes_of(name)) and held + size > _OPEN_BYTES:
        raise Rejected(
            "too_many_proposals",
            f"The open proposals of {name} would hold more than {_OPEN_BYTES} bytes.",
            limit_bytes=_OPEN_BYTES,
        )
    if sponsor != name and (held := index.bytes_of_guests(sponsor)) and held + size > _OPEN_BYTES:
        raise Rejected(
            "too_many_proposals",
            f"The open proposals of all guests of {sponsor} would hold more than {_OPEN_BYTES} bytes.",
            limit_bytes=_OPEN_BYTES,
        )


def _schedule_expiry(state: State, at: int) -> None:
    """Set the one deadline at which the oldest proposal may expire. Proposals come and go by the thousand."""
    if state.proposals_due is None or at < state.proposals_due:
        schedule(state, at, "proposal", "")
        state.proposals_due = at


def _close(ctx: HandlerContext, proposal: Proposal, status: ProposalStatus, *, by: str | None = None) -> None:
    state = ctx.state
    del state.proposals[proposal.id]
    proposal.status, proposal.closed_at, proposal.closed_by = status, ctx.now, by
    ctx.members.proposals.remove(proposal)
    proposal.params, proposal.asked, proposal.recipients = None, b"", b""  # only open ones are compared with requests
    proposal.method = remembered(proposal.method)
    ctx.finished.decided.add(proposal.id, proposal, most=state.settings.bounds.closed_sequences)


def _void(ctx: HandlerContext, proposals: Iterable[Proposal], reason: VoidReason) -> None:
    for proposal in list(proposals):
        ctx.broadcast_error(
            "proposal_voided",
            f"The proposal {proposal.id} of {proposal.proposer} is void: {_why_void(proposal, reason)}.",
            correlation=(proposal.id,),
            among=_audience(ctx.state, proposal),
            proposal_id=proposal.id,
            proposer=proposal.proposer,
            sequence_id=proposal.sequence,
            reason=reason,
        )
        proposal.void = reason
        _close(ctx, proposal, "voided")


def _why_void(proposal: Proposal, reason: VoidReason) -> str:
    return _WHY_VOID[reason].format(sequence=proposal.sequence, proposer=proposal.proposer)


def _unknown(id: str) -> Rejected:
    return Rejected("proposal_not_found", f"There is no proposal {id!r} here.", proposal_id=id)


def _rejected(proposal: Proposal, rejection: Rejection, reason: str | None) -> Rejected:
    """Return the rejection of a decision about a proposal that was rejected before."""
    return Rejected(
        "proposal_rejected",
        f"{rejection.by} has rejected the proposal {proposal.id} of {proposal.proposer}: a new one may name it.",
        proposal_id=proposal.id,
        by=rejection.by,
        reason=reason,
        closed_by=rejection.id,
    )


def _audience(state: State, proposal: Proposal) -> tuple[str, ...]:
    """Return the participants that learn of the proposal's end: its recipients and proposer; none: everybody."""
    return (*still_same(state, proposal.ordinal, proposal.to), proposal.proposer) if proposal.to else ()


def _entry(ctx: HandlerContext, proposal: Proposal) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": proposal.id,
        "proposer": proposal.proposer,
        "to": proposal.to,
        "method": proposal.method,
        "age_ms": ctx.now - proposal.proposed_at,
        "expires_in_ms": proposal.expires_at - ctx.now,
    }
    if proposal.size > _LISTED_SIZE:
        entry["params_omitted"] = True
    elif proposal.params is not None:
        entry["params"] = msgspec.Raw(proposal.params)
    return entry
