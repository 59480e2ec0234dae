"""A message to the agent: a chat, or the input of an interrupt, which is handled in the same way."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from mew_gateway.protocol.envelope import Envelope

from ..execution.interrupt import Interrupt, certainty


class Chat(msgspec.Struct, frozen=True):
    """A chat message. `id` is what an answer correlates to; `to` is empty if it was addressed to all.

    `confidence`, between 0 and 1, is the certainty of a speech recogniser; None if the text was typed. `invitation`
    distinguishes a guest from earlier and later ones of the same name; None for a configured participant, which is
    always the same.
    """

    id: str
    sender: str
    text: str
    to: tuple[str, ...] = ()
    context: str | None = None
    confidence: float | None = None
    invitation: str | None = None


def chat_in(envelope: Envelope, invitation: str | None = None) -> Chat:
    """Return the chat in an envelope of that kind. Without a text (`validation: off`) the text is empty."""
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
    """Return an interrupt's input as a chat of its sender. Input that is no text becomes JSON."""
    text = input if isinstance(input, str) else json.dumps(input, ensure_ascii=False)
    return Chat(id=interrupt.id, sender=interrupt.sender, text=text, to=(me,), invitation=interrupt.invitation)
