"""A pager as a participant: it sends a message each time it is asked, and cannot say afterwards whether it did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from mew_gateway.protocol.envelope import timestamp
from mew_gateway.sdk import tool

from ..phrasebook import Phrasebook
from .answer import Answer
from .desk import Desk
from .outbox import Outbox

PHRASES = Phrasebook(
    {"sent": {"en": "Sent to {recipient}.", "es": "Enviado a {recipient}.", "pt": "Enviado para {recipient}."}}
)

Recipient = Annotated[str, Meta(min_length=1, max_length=100)]
Text = Annotated[str, Meta(min_length=1, max_length=1_000)]


class Pager(Desk[Outbox]):
    """Like most tools there are, it honours neither key, fence nor deadline, answers no status, and keeps no register:
    asked twice, it sends twice. So an effect that calls it ends *in doubt* if the caller dies before the answer, and
    only a person can find out more, in its outbox."""

    FILE = Outbox.NAME

    def open(self, path: Path | None) -> Outbox:
        return Outbox(path)

    def say(self, answer: Answer) -> str:
        return PHRASES.say("sent", self.options.language, **answer)

    @tool
    def send_message(self, to: Recipient, text: Text) -> str:
        """Sends a text message to somebody, each time it is called."""
        self.book.append({"at": timestamp(self.now()), "to": to, "text": text})
        return self.say({"recipient": to})
