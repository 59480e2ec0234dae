"""Proposals: closed by the first fulfilment, rejection, withdrawal, voiding or expiry (docs/protocol.md §4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.payloads import Reasoned
from mew_gateway.protocol.payloads import Request as RequestPayload

from .contexts import root
from .deadlines import schedule
from .handler_context import Turn
from .state import Proposal, ProposalStatus, Rejection, Sequence, State, VoidReason, remembered
from .visibility import Viewer, same, viewer

_LISTED = 100  # open proposals in a welcome: the newest, and a count of all
_LISTED_BYTES = 262_144  # of them together, as a welcome has them: it must fit everybody's outbox
_LISTED_SIZE = 16_384  # bytes: the parameters of a longer one are left out there, for every welcome carries them
_OPEN_BYTES = 4_194_304  # of one participant's open proposals, whose parameters are remembered

_WHY_VOID: dict[VoidReason, str] = {
    "interrupted": "its sequence {sequence} was interrupted",
    "ended": "its sequence {sequence} has ended",
    "halted": "an emergency has halted {proposer}",
    "left": "{proposer} left and did not come back",
    "removed": "{proposer} was removed from this space",
}


def propose(turn: Turn, envelope: Envelope, payload: RequestPayload, data: bytes) -> None:
    """`mcp/proposal` (§3.2): tracked until it is closed. It belongs to its sender's open sequence, if it is in one."""
    state, name = turn.state, root(envelope)
    _check_room(state, envelope.sender, len(data))
    sequence = state.sequences.get(name) if name is not None else None
    proposal = Proposal(
        id=envelope.id,
        ordinal=state.next_ordinal(),
        proposer=envelope.sender,
        to=tuple(envelope.to or ()),
        method=payload.method,
        params=payload.params,
        proposed_at=turn.now,
        expires_at=turn.now + state.settings.proposal_expiry,
        size=len(data),
        sequence=sequence.id if sequence is not None and sequence.owner == envelope.sender else None,
    )
    state.proposals[proposal.id] = proposal
    _look_at(state, proposal.expires_at)
    turn.forward(envelope, data)


def withdraw(turn: Turn, envelope: Envelope, _: Reasoned, data: bytes) -> None:
    """`mcp/withdraw` (§3.3.1): the proposer no longer wants it."""
    named = _named(turn.state, envelope)
    for proposal in named:
        if proposal.proposer != envelope.sender:
            raise Rejected(
                "not_proposer",
                f"The proposal {proposal.id} is {proposal.proposer}'s: only {proposal.proposer} withdraws it.",
                proposal_id=proposal.id,
                proposer=proposal.proposer,
            )
        check_open(turn.state, proposal, envelope.sender)
    for proposal in named:
        _close(turn, proposal, "withdrawn", by=envelope.id)
    turn.forward(envelope, data)


def reject(turn: Turn, envelope: Envelope, payload: Reasoned, data: bytes) -> None:
    """`mcp/reject` (§3.3.2): nobody may fulfil it any more (decisions/0024)."""
    named = _named(turn.state, envelope)
    for proposal in named:
        check_open(turn.state, proposal, envelope.sender)
    for proposal in named:
        proposal.rejection = Rejection(
            id=envelope.id, by=envelope.sender, reason=remembered(payload.reason), is_public=not envelope.to
        )
        _close(turn, proposal, "rejected", by=envelope.id)
    turn.forward(envelope, data, also=proposers(named))


def fulfil(turn: Turn, proposal: Proposal, envelope: Envelope) -> None:
    """A request has done what was proposed: nobody else may any more."""
    proposal.fulfiller = envelope.sender
    _close(turn, proposal, "fulfilled", by=envelope.id)


def void_of_sequence(turn: Turn, sequence: Sequence, reason: VoidReason) -> None:
    """The sequence was interrupted or has ended: what it proposed is off the table (docs/protocol.md §5)."""
    _void(turn, (one for one in turn.state.proposals.values() if one.sequence == sequence.id), reason)


def void_of_proposer(turn: Turn, name: str, reason: VoidReason) -> None:
    """The proposer was halted or is gone: nobody decides for it any more."""
    _void(turn, (one for one in turn.state.proposals.values() if one.proposer == name), reason)


def has_open(state: State, name: str) -> bool:
    """Whether the participant has an open proposal."""
    return any(proposal.proposer == name for proposal in state.proposals.values())


def expired(turn: Turn, _: str, at: int) -> None:
    """The time of the oldest open proposals may be over."""
    state = turn.state
    for proposal in [one for one in state.proposals.values() if one.expires_at <= at]:
        turn.broadcast_error(
            "proposal_expired",
            f"Nobody fulfilled the proposal {proposal.id} of {proposal.proposer} in time.",
            correlation=(proposal.id,),
            among=_seen_by(turn.state, proposal),
            proposal_id=proposal.id,
            proposer=proposal.proposer,
            waited_ms=turn.now - proposal.proposed_at,
        )
        _close(turn, proposal, "expired")
    if state.proposals_due is not None and state.proposals_due <= at:
        state.proposals_due = None
    if state.proposals:
        _look_at(state, min(proposal.expires_at for proposal in state.proposals.values()))


def listed(turn: Turn, name: str) -> dict[str, Any]:
    """The open proposals that the participant may see, as its welcome has them: the newest, as many as it may carry,
    and how many there are.

    `params` is left out, and `params_omitted` true, where they are too long for every welcome to carry.
    """
    viewer = turn.viewer(name)
    seen = [proposal for proposal in turn.state.proposals.values() if is_seen(proposal, viewer)]
    entries: list[dict[str, Any]] = []
    left = _LISTED_BYTES
    for proposal in reversed(seen[-_LISTED:]):
        entry = _entry(turn, proposal)
        left -= len(msgspec.json.encode(entry))
        if left < 0:
            break
        entries.append(entry)
    return {"open": entries[::-1], "count": len(seen)}


def known(state: State, id: str, asking: str) -> Proposal | None:
    """The proposal of that id, open or as far as closed ones are remembered, for somebody who decides about it.

    Raises `Rejected` `proposal_not_found` for one that it does not see.
    """
    proposal = state.proposals.get(id) or state.decided.get(id)
    if proposal is not None and not is_seen(proposal, viewer(state, asking)):
        raise _unknown(id)
    return proposal


def is_seen(proposal: Proposal, viewer: Viewer) -> bool:
    """Whether the participant sees the proposal."""
    among = (*proposal.to, proposal.proposer) if proposal.to else None
    return viewer.sees(proposal.ordinal, proposal.proposed_at, among)


def reason_for(proposal: Proposal, viewer: Viewer) -> str | None:
    """Why the proposal was rejected, if the participant may see that."""
    no = proposal.rejection
    if no is None:
        return None
    among = None if no.is_public else (proposal.proposer, no.by)
    return no.reason if viewer.sees(proposal.ordinal, proposal.closed_at or 0, among) else None


def check_open(state: State, proposal: Proposal, asking: str) -> None:
    """Let an open proposal pass or raise `Rejected` `proposal_rejected` or `proposal_closed`, which says why."""
    if proposal.rejection is not None:
        raise _rejected(proposal, proposal.rejection, reason_for(proposal, viewer(state, asking)))
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
    """Whose they are, each once."""
    return tuple(dict.fromkeys(proposal.proposer for proposal in proposals))


def _named(state: State, envelope: Envelope) -> list[Proposal]:
    """The proposals that a withdrawal or rejection correlates to. Raises `Rejected` `proposal_not_found`."""
    found = []
    for id in dict.fromkeys(envelope.correlation_id or ()):
        proposal = known(state, id, envelope.sender)
        if proposal is None:
            raise _unknown(id)
        found.append(proposal)
    if not found:
        raise Rejected("proposal_not_found", "Name the proposal in `correlation_id`.")
    return found


def _check_room(state: State, name: str, size: int) -> None:
    sizes = [proposal.size for proposal in state.proposals.values() if proposal.proposer == name]
    limit = state.settings.bounds.open_proposals
    if len(sizes) >= limit:
        raise Rejected("too_many_proposals", f"{name} has {limit} open proposals, the most allowed.", limit=limit)
    if sizes and sum(sizes) + size > _OPEN_BYTES:
        raise Rejected(
            "too_many_proposals",
            f"The open proposals of {name} would hold more than {_OPEN_BYTES} bytes.",
            limit_bytes=_OPEN_BYTES,
        )


def _look_at(state: State, at: int) -> None:
    """Set the deadline at which the oldest may expire. One at a time: proposals come and go by the thousand."""
    if state.proposals_due is None or at < state.proposals_due:
        schedule(state, at, "proposal", "")
        state.proposals_due = at


def _close(turn: Turn, proposal: Proposal, status: ProposalStatus, *, by: str | None = None) -> None:
    state = turn.state
    del state.proposals[proposal.id]
    proposal.status, proposal.closed_at, proposal.closed_by = status, turn.now, by
    proposal.params = None  # nothing is compared with it any more
    proposal.method = remembered(proposal.method)
    turn.shares.decided.add(proposal.id, proposal, most=state.settings.bounds.closed_sequences)


def _void(turn: Turn, proposals: Iterable[Proposal], reason: VoidReason) -> None:
    for proposal in list(proposals):
        turn.broadcast_error(
            "proposal_voided",
            f"The proposal {proposal.id} of {proposal.proposer} is void: {_why_void(proposal, reason)}.",
            correlation=(proposal.id,),
            among=_seen_by(turn.state, proposal),
            proposal_id=proposal.id,
            proposer=proposal.proposer,
            sequence_id=proposal.sequence,
            reason=reason,
        )
        proposal.void = reason
        _close(turn, proposal, "voided")


def _why_void(proposal: Proposal, reason: VoidReason) -> str:
    return _WHY_VOID[reason].format(sequence=proposal.sequence, proposer=proposal.proposer)


def _unknown(id: str) -> Rejected:
    return Rejected("proposal_not_found", f"There is no proposal {id!r} here.", proposal_id=id)


def _rejected(proposal: Proposal, rejection: Rejection, reason: str | None) -> Rejected:
    """The rejection of whatever comes after a no."""
    return Rejected(
        "proposal_rejected",
        f"{rejection.by} has rejected the proposal {proposal.id} of {proposal.proposer}: a new one may name it.",
        proposal_id=proposal.id,
        by=rejection.by,
        reason=reason,
        closed_by=rejection.id,
    )


def _seen_by(state: State, proposal: Proposal) -> tuple[str, ...]:
    """Who is told of its end: those it was addressed to. Nobody in particular: everybody."""
    return (*same(state, proposal.ordinal, proposal.to), proposal.proposer) if proposal.to else ()


def _entry(turn: Turn, proposal: Proposal) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": proposal.id,
        "proposer": proposal.proposer,
        "to": proposal.to,
        "method": proposal.method,
        "age_ms": turn.now - proposal.proposed_at,
        "expires_in_ms": proposal.expires_at - turn.now,
    }
    if proposal.size > _LISTED_SIZE:
        entry["params_omitted"] = True
    elif proposal.params is not None:
        entry["params"] = proposal.params
    return entry
