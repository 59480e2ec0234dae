"""The chats of a space, and which of them wait for a participant's acknowledgement (§3.4.1)."""

from __future__ import annotations

from typing import Any, NamedTuple


class Chat(NamedTuple):
    """A chat. `to` is empty if it is for all."""

    id: str
    sender: str
    to: list[str]
    at: str
    text: str


class Chats:
    """The chats as one participant sees them. Takes envelopes in their order.

    A chat waits if another participant sent it to this one, or to all, until this one acknowledges or answers it, or
    its sender cancels it. Two participants may use one id: chats are kept by sender and id.
    """

    def __init__(self, me: str) -> None:
        self._me = me
        self._chats: dict[tuple[str, str], Chat] = {}
        self._done: set[tuple[str, str]] = set()

    @property
    def all(self) -> list[Chat]:
        """All chats, the oldest first."""
        return list(self._chats.values())

    @property
    def addressed(self) -> list[Chat]:
        """The chats to the participant, acknowledged or not, the oldest first."""
        return [one for one in self.all if one.sender != self._me and (not one.to or self._me in one.to)]

    @property
    def waiting(self) -> list[Chat]:
        """The waiting chats, the oldest first."""
        return [one for one in self.addressed if (one.sender, one.id) not in self._done]

    def take(self, envelope: dict[str, Any]) -> None:
        """Take in an envelope; one that is no chat changes nothing."""
        kind, sender, about = envelope["kind"], envelope["from"], envelope.get("correlation_id") or ()
        if sender == self._me and kind in ("chat", "chat/acknowledge", "chat/cancel"):
            to = () if kind == "chat" else envelope.get("to") or ()  # two chats may have one id: `to` decides
            self._done |= {key for key in self._chats if key[1] in about and (not to or key[0] in (*to, self._me))}
        elif kind == "chat/cancel" and self._me in (envelope.get("to") or [self._me]):
            self._done |= {(sender, id) for id in about}
        if kind == "chat":
            key, text = (sender, envelope["id"]), (envelope.get("payload") or {}).get("text")
            self._done.discard(key)  # an id that comes back is another chat
            self._chats.pop(key, None)
            self._chats[key] = Chat(
                envelope["id"], sender, envelope.get("to") or [], envelope["ts"], text if isinstance(text, str) else ""
            )
