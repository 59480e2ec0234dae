"""Words that several slots would take: what was asked about them, and the answer that names the slot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mew_agents.fluxi import values
from mew_agents.fluxi.answering import named_to_change
from mew_agents.fluxi.asking import asked_about
from mew_agents.fluxi.filling import Filler, Filling
from mew_agents.fluxi.interpreter.remainder import Unclear
from mew_agents.fluxi.message import Message
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.values import Attention
from mew_agents.fluxi.work import Work


def noted(unclear: Unclear, message: Message) -> dict[str, Any]:
    """What is kept of a question about such words, as JSON."""
    place = {"message_id": message.message_id, "start": unclear.start, "words": unclear.words}
    return {"unclear": {**place, "paths": list(unclear.paths)}}


def answered(scene: Scene, work: Work, filler: Filler) -> Filling | None:
    """What the message makes of the words that were asked about, if it does nothing but name one of their slots."""
    asked = asked_about(scene, work).get("unclear")
    if asked is None:
        return None
    slot = named_to_change(filler.definition, filler.message.text, scene.policy.language)
    if slot is None or slot.path not in asked["paths"]:
        return None
    # The words stand where they stood in their own message, which is their evidence.
    said = " " * asked["start"] + asked["words"]
    message = replace(filler.message, message_id=asked["message_id"], text=said)
    understanding = replace(filler.understanding, asked=slot.path)
    found = values.readings(slot, said, understanding, closely=Attention.ASKED)
    candidates = [reading.candidate(slot.path, said) for reading in found[:1]]
    filling = replace(filler, message=message, understanding=understanding, confirming=False).fill(
        dict(work.slots), candidates
    )
    return filling if filling.changes else None
