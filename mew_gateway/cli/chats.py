"""What was said in a space, and which of it waits for somebody's acknowledgement (§3.4.1)."""

from __future__ import annotations

from typing import Any, NamedTuple


class Said(NamedTuple):
    """A chat. `to` is empty if it was said to all."""

    id: str
    sender: str
    to: list[str]
    at: str
    text: str


class Chats:
    """Fed with envelopes in their order, for one participant.

    A chat waits if it was said to that one, or to all, by somebody else, until the participant acknowledges or answers
    it, or somebody cancels it.
    """

    def __init__(self, me: str) -> None:
        self._me = me
        self.said: dict[str, Said] = {}
        self._done: dict[str, None] = {}

    @property
    def others(self) -> list[Said]:
        """What was said to the participant, acknowledged or not, the oldest first."""
        return [one for one in self.said.values() if one.sender != self._me and (not one.to or self._me in one.to)]

    @property
    def waiting(self) -> list[Said]:
        """What waits, the oldest first."""
        return [one for one in self.others if one.id not in self._done]

    def take(self, envelope: dict[str, Any]) -> None:
        """Something was said."""
        kind, sender = envelope["kind"], envelope["from"]
        if kind == "chat/cancel" or (kind in ("chat", "chat/acknowledge") and sender == self._me):
            to = envelope.get("to") or [self._me]
            if sender == self._me or self._me in to:
                self._done |= dict.fromkeys(envelope.get("correlation_id") or ())
        if kind == "chat":
            text = (envelope.get("payload") or {}).get("text")
            self._done.pop(envelope["id"], None)  # an id that comes back is another chat
            self.said[envelope["id"]] = Said(
                envelope["id"], sender, envelope.get("to") or [], envelope["ts"], text if isinstance(text, str) else ""
            )
