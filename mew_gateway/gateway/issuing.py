"""Tokens of invited participants, from their drawing to their delivery: nothing else ever has them (§3.6.5)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

import msgspec

from mew_gateway.space.effects import Issue
from mew_gateway.space.events import Issued
from mew_gateway.space.machine import Space


class Issuing:
    """The tokens that are drawn and not yet delivered, by their SHA-256. `draw` makes one."""

    def __init__(self, draw: Callable[[], str]) -> None:
        self._draw = draw
        self._tokens: dict[bytes, str] = {}

    def __len__(self) -> int:
        return len(self._tokens)

    def draw(self, issue: Issue) -> Issued:
        """A new token, as the space may know of it."""
        token = self._draw()
        digest = hashlib.sha256(token.encode()).digest()
        self._tokens[digest] = token
        return Issued(issue.participant, issue.invite, issue.inviter, digest)

    def take(self, digest: bytes) -> str | None:
        """The token with this hash, for the one time it is delivered; None: it was drawn before a restart."""
        return self._tokens.pop(digest, None)


def with_token(data: bytes, token: str) -> bytes:
    """An envelope with the token in place of its payload's null. Order and all else stay."""
    document = msgspec.json.decode(data)
    document["payload"]["token"] = token
    return msgspec.json.encode(document)


def holder_of(space: Space, digest: bytes) -> str | None:
    """The invited participant of a space whose token has this hash."""
    name = space.members.holder(digest)
    invitee = None if name is None else space.state.invitees.get(name)
    known = invitee.digest if invitee is not None and invitee.digest is not None else bytes(len(digest))
    return name if hmac.compare_digest(known, digest) else None
