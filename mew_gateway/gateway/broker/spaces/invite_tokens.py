"""Tokens of invited participants (§3.6.5). Only the SHA-256 of a token enters the journal.

A token is drawn when a space asks for one (`Issue`). It travels beside the `Issued` event, as a field of the batch's
item, and is put into the one envelope that delivers it. Nothing keeps it afterwards: if that answer is lost, another
token is drawn for the invitation that is posted again (`space.participants.invitations.is_posted_again`).
"""

from __future__ import annotations

import hashlib
import hmac

import msgspec

from mew_gateway.space.effects import Issue
from mew_gateway.space.events import Issued
from mew_gateway.space.machine import Space


def issued(issue: Issue, token: str) -> Issued:
    """Return the event of a token that was drawn: it has the token's digest."""
    return Issued(issue.participant, issue.invite, issue.inviter, hashlib.sha256(token.encode()).digest())


def with_token(data: bytes, token: str) -> bytes:
    """Put the token into an envelope, in place of its payload's null. Order and all else stay."""
    document = msgspec.json.decode(data)
    document["payload"]["token"] = token
    return msgspec.json.encode(document)


def holder_of(space: Space, digest: bytes) -> str | None:
    """Return the invited participant of a space whose token has this digest; None if there is none."""
    name = space.members.holder(digest)
    invitee = None if name is None else space.state.invitees.get(name)
    known = invitee.digest if invitee is not None and invitee.digest is not None else bytes(len(digest))
    return name if hmac.compare_digest(known, digest) else None
