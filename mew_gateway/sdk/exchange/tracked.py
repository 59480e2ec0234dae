"""Tracking of our own envelopes: whether the gateway has accepted one, and which envelope answers it.

An id proves nothing. All see it, and after its envelope was refused, answered or closed, any participant may use it
again. So an envelope is ours by its sender and its content, and what correlates to its id is about ours only while the
newest envelope with that id is ours. An answer counts if it comes from a participant that was asked, until that
participant is removed from the space: a guest is its invitation, and another one of its name was not asked
(docs/decisions/0060).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY_NAMES

from .guests import Guests, guest_in


class SentEnvelope(msgspec.Struct, frozen=True):
    """An envelope as it was sent, with everything needed to send the same bytes again."""

    id: str
    kind: str
    payload: dict[str, Any]
    to: tuple[str, ...]
    correlation_id: tuple[str, ...]
    context: str | None
    at: int


class TrackedEnvelope:
    """State of one envelope of ours. `see` must get every envelope that arrives, in the order of the space.

    `taken`: the gateway has accepted it. `removed`: all its addressees have been removed since. `fulfilment`: the
    request that fulfils our proposal.
    """

    def __init__(self, asked: SentEnvelope, *, me: str, invitations: Mapping[str, str] | None = None) -> None:
        """`invitations`: which guests it is sent to, by name, as far as that is known."""
        self.asked = asked
        self.me = me
        self.invitations = dict(invitations or {})
        self.taken = False
        self.removed = False
        self.fulfilment: TrackedEnvelope | None = None
        self._targets = asked.to
        self._current: bool | None = None  # whether the newest envelope under its id is ours; None: none was seen

    @property
    def is_ours(self) -> bool:
        """True if what correlates to its id is about this envelope."""
        return self._current is True

    def see(self, envelope: Envelope) -> bool:
        """Take an arriving envelope. Return true if it is our own copy, which proves that the gateway accepted it."""
        if self.fulfilment is not None:
            self.fulfilment.see(envelope)
        if (gone := removal_in(envelope)) is not None:
            self._remove(*gone)
        if envelope.id != self.asked.id or envelope.sender in GATEWAY_NAMES:
            return False
        self._current = envelope.sender == self.me and self._is_same(envelope)
        if self._current:
            self.taken = True
            self._targets = tuple(envelope.to or ())  # an alias is resolved by now
        return self._current

    def confirm(self) -> None:
        """Note that the gateway had accepted it before (`duplicate_id` with `yours`)."""
        self.taken = True
        if self._current is None:
            self._current = True

    def catch_up(self, guests: Guests) -> None:
        """Apply the removals that were missed while disconnected, as far as the guests of the space show them."""
        for name, invitation in self.invitations.items():
            if guests.is_gone(name, invitation):
                self._remove(name, invitation)

    def follow(self, other: TrackedEnvelope) -> None:
        """Continue from what `other` has seen before."""
        self.taken = self.taken or other.taken
        self.removed = self.removed or other.removed
        if self._current is None:
            self._current, self._targets, self.fulfilment = other._current, other._targets, other.fulfilment

    def fulfil(self, envelope: Envelope) -> bool:
        """Take a request that correlates to ours. Return true if it fulfils our proposal; then we track its answer."""
        if not self.is_ours or self.asked.kind != "mcp/proposal" or self.fulfilment is not None:
            return False
        wanted, payload = _plain(self.asked.payload), envelope.payload or {}
        if any(payload.get(name) != wanted.get(name) for name in ("method", "params")):
            return False
        self.fulfilment = TrackedEnvelope(sent_envelope_in(envelope), me=envelope.sender)
        self.fulfilment.see(envelope)
        return True

    def is_answered_by(self, envelope: Envelope) -> bool:
        """Return true if a response answers this envelope, or the request that fulfils this proposal."""
        ids = envelope.correlation_id or ()
        if self.fulfilment is not None:
            theirs = self.fulfilment
            by_whom = theirs.may_answer(envelope.sender) and self.may_answer(envelope.sender)
            return theirs.asked.id in ids and theirs.is_ours and by_whom
        return self.is_ours and self.might_be_answered_by(envelope)

    def might_be_answered_by(self, envelope: Envelope) -> bool:
        """Return true if a response answers this envelope, provided that the id is ours: earlier envelopes may be
        unknown."""
        if self.asked.kind != "mcp/request" or self.asked.id not in (envelope.correlation_id or ()):
            return False
        addressed = self.me in (envelope.to or (self.me,))
        return self._current is not False and addressed and self.may_answer(envelope.sender)

    def may_answer(self, name: str) -> bool:
        """Return true if the participant was addressed; without addressees, all were."""
        return not self.removed and (not self.asked.to or name in self._targets)

    def is_refused_by(self, envelope: Envelope) -> bool:
        """Return true if a correlated `system/error` refuses our envelope: sent to us alone, or about a public one."""
        if envelope.sender not in GATEWAY_NAMES:
            return False
        return self.is_ours if envelope.to is None else self.me in envelope.to

    def _is_same(self, envelope: Envelope) -> bool:
        asked = self.asked
        return (
            envelope.kind == asked.kind
            and envelope.context == asked.context
            and tuple(envelope.correlation_id or ()) == asked.correlation_id
            and (envelope.payload or {}) == _plain(asked.payload)
        )

    def _remove(self, name: str, invitation: str | None) -> None:
        known = self.invitations.get(name)
        if not self.taken and known is not None and invitation != known:
            return  # of an earlier guest, in what is replayed; after a kick of ours comes its invitation
        if name in self._targets:
            self._targets = tuple(one for one in self._targets if one != name)
            self.removed = not self._targets


def removal_in(envelope: Envelope) -> tuple[str, str | None] | None:
    """Return who was removed from the space, if an envelope says that: the name, and the invitation of a guest.

    The gateway reports every removed guest, and no other participant. A kick may not be shown to all, and for a
    configured participant there is nothing else.
    """
    if envelope.kind == "space/kick":
        return str((envelope.payload or {}).get("participant_id")), None
    found = guest_in(envelope)
    return None if found is None or found[0] != "removed" else found[1:]


def sent_envelope_in(envelope: Envelope, *, at: int = 0) -> SentEnvelope:
    """Return an envelope of ours as a `SentEnvelope`."""
    return SentEnvelope(
        envelope.id,
        envelope.kind,
        envelope.payload or {},
        tuple(envelope.to or ()),
        tuple(envelope.correlation_id or ()),
        envelope.context,
        at,
    )


def _plain(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the payload as its reader decodes it."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(payload))
    return plain
