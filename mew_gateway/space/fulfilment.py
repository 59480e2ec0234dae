"""Fulfilment: a request that does exactly what a proposal asked for (§3.2.1; docs/protocol.md §4)."""

from __future__ import annotations

from typing import Any

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.payloads import Request

from . import proposals
from .state import Proposal, State


def fulfilled(state: State, envelope: Envelope, payload: Request) -> list[Proposal]:
    """Return the open proposals that a request fulfils: all that it correlates to.

    Raises `Rejected`: `proposal_rejected` or `proposal_closed` for one that is not open, `proposal_mismatch` for one
    that differs from the request.
    """
    named = [proposals.find(state, id, envelope.sender) for id in dict.fromkeys(envelope.correlation_id or ())]
    found = [proposal for proposal in named if proposal is not None]
    for proposal in found:
        proposals.check_open(state, proposal, envelope.sender)
        field = _difference(proposal, envelope, payload)
        if field is not None:
            raise Rejected(
                "proposal_mismatch",
                f"The request differs from the proposal {proposal.id} of {proposal.proposer} in `{field}`.",
                proposal_id=proposal.id,
                field=field,
            )
    return found


def _difference(proposal: Proposal, envelope: Envelope, payload: Request) -> str | None:
    """Return the first field in which the request differs from the proposal, or None."""
    if payload.method != proposal.method:
        return "method"
    if not _is_same(payload.params, proposal.params):
        return "params"
    if proposal.to and set(proposal.to) != set(envelope.to or ()):
        return "to"
    return None


def _is_same(one: Any, other: Any) -> bool:
    """Return true if two JSON values are equal. 1 equals 1.0, but no number equals a boolean."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_is_same(*pair) for pair in zip(one, other, strict=True))
    return bool(one == other)
