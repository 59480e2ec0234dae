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
    it, or its sender cancels it. Two people may use one id: chats are kept by sender and id.
    """

    def __init__(self, me: str) -> None:
        self._me = me
        self._said: dict[tuple[str, str], Said] = {}
        self._done: set[tuple[str, str]] = set()

    @property
    def said(self) -> list[Said]:
        """Everything that was said, the oldest first."""
        return list(self._said.values())

    @property
    def others(self) -> list[Said]:
        """What was said to the participant, acknowledged or not, the oldest first."""
        return [one for one in self.said if one.sender != self._me and (not one.to or self._me in one.to)]

    @property
    def waiting(self) -> list[Said]:
        """What waits, the oldest first."""
        return [one for one in self.others if (one.sender, one.id) not in self._done]

    def take(self, envelope: dict[str, Any]) -> None:
        """Something was said."""
        kind, sender, about = envelope["kind"], envelope["from"], envelope.get("correlation_id") or ()
        if sender == self._me and kind in ("chat", "chat/acknowledge", "chat/cancel"):
            to = () if kind == "chat" else envelope.get("to") or ()  # two chats may have one id: whose is meant
            self._done |= {key for key in self._said if key[1] in about and (not to or key[0] in (*to, self._me))}
        elif kind == "chat/cancel" and self._me in (envelope.get("to") or [self._me]):
            self._done |= {(sender, id) for id in about}
        if kind == "chat":
            key, text = (sender, envelope["id"]), (envelope.get("payload") or {}).get("text")
            self._done.discard(key)  # an id that comes back is another chat
            self._said.pop(key, None)
            self._said[key] = Said(
                envelope["id"], sender, envelope.get("to") or [], envelope["ts"], text if isinstance(text, str) else ""
            )
