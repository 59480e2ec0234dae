"""An agent that acknowledges a chat and says it back: the smallest there is, to copy or to test a space with."""

from __future__ import annotations

from mew_gateway.sdk import Agent, Chat

from .phrasebook import Phrasebook, Spoken

PHRASES = Phrasebook(
    {
        "heard": {"en": "You said: {text}", "es": "Has dicho: {text}", "pt": "Você disse: {text}"},
        "nothing": {"en": "You said nothing.", "es": "No has dicho nada.", "pt": "Você não disse nada."},
    }
)


class Echo(Agent):
    """Answers every chat that is addressed to it."""

    Options = Spoken
    options: Spoken

    async def on_chat(self, chat: Chat) -> None:
        """Acknowledge, then answer."""
        await self.acknowledge(chat)
        key = "heard" if chat.text else "nothing"
        await self.reply(chat, PHRASES.say(key, self.options.language, text=chat.text))
