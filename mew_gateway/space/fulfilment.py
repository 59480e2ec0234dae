"""Fulfilment: a request that does exactly what a proposal asked for (§3.2.1; docs/protocol.md §4)."""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.payloads import Request

from . import cpu_quota, proposals
from .handler_context import HandlerContext
from .request_digest import digest_steps, recipients_digest, request_digest
from .state import Proposal


def fulfilled(ctx: HandlerContext, envelope: Envelope, payload: Request, data: bytes) -> list[Proposal]:
    """Return the open proposals that a request fulfils: all that it correlates to.

    The sender pays for one digest of its request, which is compared with those of the proposals.

    Raises `Rejected`: `proposal_rejected` or `proposal_closed` for one that is not open, `proposal_mismatch` for one
    that differs from the request, `rate_limited`.
    """
    found = [proposal for proposal in proposals.named(ctx, envelope).values() if proposal is not None]
    for proposal in found:
        proposals.check_open(ctx.state, proposal, envelope.sender)
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
