"""Something said to the agent: a chat, or the input of an interrupt, which is handled the same way."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from mew_gateway.protocol.envelope import Envelope

from ..execution.interrupt import Interrupt, certainty


class Chat(msgspec.Struct, frozen=True):
    """`id` is what an answer correlates to; `to` is empty if it was said to everybody. `confidence`, between 0 and 1,
    is how sure a recogniser of speech was; None: it was typed. `invitation` tells a guest from others of its name,
    before and after it; None: a configured participant, who is the same person for good."""

    id: str
    sender: str
    text: str
    to: tuple[str, ...] = ()
    context: str | None = None
    confidence: float | None = None
    invitation: str | None = None


def chat_in(envelope: Envelope, invitation: str | None = None) -> Chat:
    """The chat that an envelope of that kind is; without a text (`validation: off`) the text is empty."""
    payload = envelope.payload or {}
    text = payload.get("text")
    return Chat(
        id=envelope.id,
        sender=envelope.sender,
        text=text if isinstance(text, str) else "",
        to=tuple(envelope.to or ()),
        context=envelope.context,
        confidence=certainty(payload.get("confidence")),
        invitation=invitation,
    )


def chat_of(input: Any, interrupt: Interrupt, *, me: str) -> Chat:
    """An interrupt's input as if it had been said by the one who interrupted; what is no text becomes JSON."""
    text = input if isinstance(input, str) else json.dumps(input, ensure_ascii=False)
    return Chat(id=interrupt.id, sender=interrupt.sender, text=text, to=(me,), invitation=interrupt.invitation)
