"""Invitations of guests by name: a name can be used again, an invitation cannot (docs/protocol.md §2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY

from .._transport.welcome import Welcome

_PRESENCE = "system/presence"


class Guests:
    """Invitation of each guest of the space, by name, at the current place in the order of the space.

    The sender of an envelope is the guest that its name denotes at that place in the order. So a caller that passes all
    arriving envelopes in order may ask after each of them. A participant without an invitation is configured, and
    always the same. If the gateway reports no invitations, there are no guests here.
    """

    def __init__(self) -> None:
        self._invitations: dict[str, str] = {}
        self.complete = False  # every guest of the space is known, here or not

    def begin(self, welcome: Welcome) -> None:
        """Start from a welcome, which lists the guests at its place in the order: after everything that is replayed."""
        named = [*welcome.participants, *((welcome.guests and welcome.guests.away) or ()), welcome.you]
        self._invitations = {one.id: one.invitation for one in named if one.invitation is not None}
        self.complete = welcome.guests is not None and welcome.guests.count <= len(welcome.guests.away)

    def welcome(self, welcome: Welcome) -> None:
        """Take a welcome in its place. If missed envelopes follow, they report the changes, and the list is not
        used."""
        if welcome.resume is None or welcome.resume.count is None:
            self.begin(welcome)

    def take(self, envelope: Envelope) -> None:
        """Take an envelope in its place; only `system/presence` changes something."""
        found = guest_in(envelope)
        if found is None:
            return
        event, name, invitation = found
        if event == "removed":
            if self._invitations.get(name) == invitation:
                del self._invitations[name]
        elif invitation is None:
            self._invitations.pop(name, None)
        else:
            self._invitations[name] = invitation

    def rewind(self, envelopes: Iterable[Envelope]) -> Guests:
        """Return the guests as they were before the first of some envelopes.

        The newest of the envelopes must be as old as this state, or newer. A guest that no envelope mentions was the
        same all the time.
        """
        before = Guests()
        before._invitations = dict(self._invitations)
        seen: set[str] = set()
        for envelope in envelopes:
            found = guest_in(envelope)
            if found is None or found[1] in seen:
                continue
            event, name, invitation = found
            seen.add(name)
            if event == "invited" or invitation is None:
                before._invitations.pop(name, None)
            else:
                before._invitations[name] = invitation
        return before

    def of(self, name: str) -> str | None:
        """Return the invitation that a name denotes; None for a configured participant or an unknown name."""
        return self._invitations.get(name)

    def among(self, names: Iterable[str]) -> dict[str, str]:
        """Return the invitations of those of the names that guests have."""
        return {name: invitation for name in names if (invitation := self._invitations.get(name)) is not None}

    def is_gone(self, name: str, invitation: str) -> bool:
        """Return whether the guest who was invited so is known to be a participant no more."""
        now = self._invitations.get(name)
        return now != invitation and (now is not None or self.complete)


class LatestGuests:
    """Guests by the newest envelopes that arrived: what is replayed after a welcome is older than the welcome."""

    def __init__(self) -> None:
        self._guests = Guests()
        self._replayed = 0

    def welcome(self, welcome: Welcome) -> None:
        """Take a welcome: of a new connection, or after a change of our capabilities."""
        self._guests.begin(welcome)
        self._replayed = 0 if welcome.resume is None else welcome.resume.count or 0

    def take(self, envelope: Envelope) -> None:
        """Take an envelope that follows."""
        if self._replayed:
            self._replayed -= 1
        else:
            self._guests.take(envelope)

    def of(self, name: str) -> str | None:
        """Return the invitation that a name denotes, as `Guests.of`."""
        return self._guests.of(name)

    def among(self, names: Iterable[str]) -> dict[str, str]:
        """As `Guests.among`."""
        return self._guests.among(names)

    def is_gone(self, name: str, invitation: str) -> bool:
        """As `Guests.is_gone`."""
        return self._guests.is_gone(name, invitation)


def guest_in(envelope: Envelope) -> tuple[str, str, str | None] | None:
    """Parse a `system/presence`: the event, the name, a guest's invitation. Return None for any other envelope."""
    if envelope.kind != _PRESENCE or envelope.sender != GATEWAY:
        return None
    payload: dict[str, Any] = envelope.payload or {}
    event, participant = payload.get("event"), payload.get("participant")
    if not isinstance(event, str) or not isinstance(participant, dict):
        return None
    name, invitation = participant.get("id"), participant.get("invitation")
    if not isinstance(name, str):
        return None
    return event, name, invitation if isinstance(invitation, str) else None
