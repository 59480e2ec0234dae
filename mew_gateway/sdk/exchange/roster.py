"""Roster of present participants, from the welcome and later presence (§3.7)."""

from __future__ import annotations

from typing import Any

import msgspec

from mew_gateway.protocol.envelope import Envelope

from .._transport.welcome import Present, Welcome


class Roster:
    """The other participants that are present, by id, with their capabilities."""

    def __init__(self) -> None:
        self.present: dict[str, Present] = {}

    def welcome(self, welcome: Welcome) -> None:
        """Replace the roster by that of a welcome: of a new connection, or after a change of our capabilities."""
        self.present = {one.id: one for one in welcome.participants}

    def take(self, envelope: Envelope, *, me: str) -> tuple[str, str]:
        """Apply a `system/presence`. Return the event and the participant's id; two empty strings if it is malformed
        (§4.3)."""
        payload: dict[str, Any] = envelope.payload or {}
        try:
            event, one = str(payload["event"]), msgspec.convert(payload["participant"], Present)
        except (KeyError, msgspec.ValidationError):
            return "", ""
        if one.id == me:
            return event, one.id
        if event == "leave":
            self.present.pop(one.id, None)
        elif event == "join" or (event == "update" and one.id in self.present):
            self.present[one.id] = one
        return event, one.id
