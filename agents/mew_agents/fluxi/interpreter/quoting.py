"""Words in quotation marks, for the one optional text of a definition."""

from __future__ import annotations

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import StringSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.cues import follows_cue
from mew_agents.fluxi.values.telling import quoted


def told_apart(definition: Definition, text: str, understanding: Understanding) -> Span | None:
    """The words in quotation marks that the one optional text may be; no name behind its cue."""
    words = [
        slot for slot in definition.slots if isinstance(slot, StringSlot) and slot.type == "text" and not slot.required
    ]
    span = quoted(text) if len(words) == 1 else None
    if span is None:
        return None
    named = (slot for slot in definition.slots if isinstance(slot, StringSlot) and slot.type == "string")
    return None if any(follows_cue(slot, text, span[0], understanding.language) for slot in named) else span
