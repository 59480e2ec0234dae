"""Who else is here, as the welcome and the presence since tell (§3.7)."""

from __future__ import annotations

from typing import Any

import msgspec

from mew_gateway.protocol.envelope import Envelope

from .._transport.welcome import Present, Welcome


class Roster:
    """The other participants who are here, by their ids, with their capabilities."""

    def __init__(self) -> None:
        self.present: dict[str, Present] = {}

    def welcome(self, welcome: Welcome) -> None:
        """A connection began, or our capabilities have changed: here is who is here now."""
        self.present = {one.id: one for one in welcome.participants}

    def take(self, envelope: Envelope, *, me: str) -> tuple[str, str]:
        """A `system/presence`: the event and whom it is about; two empty strings if it says nothing (§4.3)."""
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
