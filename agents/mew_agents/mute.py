"""An agent that never answers an interrupt and never stops: it shows what the gateway does about such a one."""

from __future__ import annotations

import logging

import anyio

from mew_gateway.sdk import Agent, Chat, Interrupt

from .phrasebook import Phrasebook, Spoken

log = logging.getLogger(__name__)

PHRASES = Phrasebook(
    {
        "start": {
            "en": "Thinking, and not to be disturbed",
            "es": "Pensando, y sin que se me moleste",
            "pt": "Pensando, e sem ser incomodado",
        },
        "thought": {"en": "Still thinking ({n})", "es": "Sigo pensando ({n})", "pt": "Ainda pensando ({n})"},
    }
)


class MuteOptions(Spoken, frozen=True):
    """`every`: milliseconds between two thoughts."""

    every: int = 1_000


class Mute(Agent):
    """Starts to think at a chat, and goes on for ever. For demonstrations only."""

    Options = MuteOptions
    options: MuteOptions
    hears = "never"  # words do not stop it either

    async def on_chat(self, chat: Chat) -> None:
        """Begin a run that has no end."""
        language = self.options.language
        message = PHRASES.say("start", language)
        async with self.run(correlation_id=chat.id, message=message, policy="soft-stop") as run:
            n = 0
            while True:
                n += 1
                await run.thought(PHRASES.say("thought", language, n=n))
                await anyio.sleep(self.options.every / 1000)

    def take_interrupt(self, interrupt: Interrupt) -> None:
        """Hear it, and do nothing: no ack, no stop."""
        log.info("%s wants %s to stop, and gets no answer", interrupt.sender, interrupt.run)
