"""An agent that speaks: it answers at length, a sentence a chunk of a stream, and may be interrupted at each."""

from __future__ import annotations

import json
from typing import Annotated, Any

from msgspec import Meta

from mew_gateway.sdk import Agent, Interrupt, Span, capability

from .phrasebook import Phrasebook, Spoken
from .repertoire import Speech, compose

_GLANCE = 0.5  # seconds between two looks at whether it is still paused

PHRASES = Phrasebook(
    {
        "said": {
            "en": "I have said all {of} sentences.",
            "es": "He dicho las {of} frases.",
            "pt": "Disse todas as {of} frases.",
        },
        "stopped": {
            "en": "I stopped after sentence {n} of {of}.",
            "es": "Me he detenido tras la frase {n} de {of}.",
            "pt": "Parei depois da frase {n} de {of}.",
        },
        "again": {
            "en": "I was saying: “{sentence}” I go on.",
            "es": "Decía: «{sentence}» Sigo.",
            "pt": "Eu dizia: «{sentence}» Continuo.",
        },
    }
)


class SpeakerOptions(Spoken, frozen=True):
    """`language` is the one it speaks where the words to it show none."""

    words_per_minute: Annotated[float, Meta(gt=0)] = 160.0


class Speaker(Agent):
    """Speaks at a chat. What somebody says meanwhile may stop it, turn it to something else, or make it repeat.

    Each chunk is a text frame of JSON: `n` of `of` sentences, its `text`, the `language`, the `run`. The thought that
    follows when it has been said is its transcript. What is told to stop ends with the sentence it is at: that has left
    whole, and no other does.
    """

    Options = SpeakerOptions
    options: SpeakerOptions
    at_once = 1  # it has one voice

    def __init__(self, options: SpeakerOptions | None = None) -> None:
        super().__init__(options)
        self._speech: Speech | None = None
        self._sentence = ""

    @capability(policy="soft-stop", kind="speak")
    async def speak(self, run: Span, words: str) -> str:
        """Say what there is to say to these words."""
        speech = self._speech = compose(words, language=self.options.language, before=self._speech)
        said, of = 0, len(speech.sentences)
        stream = self.participant.open_stream(
            content_type="application/json", description=f"speech: {speech.topic}", language=speech.language
        )
        try:
            async with stream as voice:
                for n, sentence in enumerate(speech.sentences, 1):
                    chunk = {"n": n, "of": of, "text": sentence, "language": speech.language, "run": run.run_id}
                    await run.write(voice, json.dumps(chunk, ensure_ascii=False))
                    said, self._sentence = n, sentence
                    await self.pronounce(run, sentence)
                    await self._wait_while_paused(run)
                    await run.thought(sentence, n=n, of=of)
        finally:  # however it ends
            text = PHRASES.say("said" if said == of else "stopped", speech.language, n=said, of=of)
            run.conclude(text, said=said, of=of, partial=said < of, language=speech.language)
        return text

    async def pronounce(self, run: Span, sentence: str) -> None:
        """Wait for as long as a sentence takes, unless it is to be the last. With real sound: until it was played."""
        await run.sleep(60 * len(sentence.split()) / self.options.words_per_minute)

    async def _wait_while_paused(self, run: Span) -> None:
        while self.paused:
            await run.boundary()
            await run.sleep(_GLANCE)

    async def on_clarification(self, input: Any, interrupt: Interrupt) -> str:  # noqa: ARG002
        """Somebody did not understand: say the sentence again, to them, and go on."""
        language = self.options.language if self._speech is None else self._speech.language
        text = PHRASES.say("again", language, sentence=self._sentence)
        await self.client.send("chat", {"text": text}, to=[interrupt.sender], correlation_id=[interrupt.id])
        return text
