"""Words in quotation marks or behind the label and a colon, for the one optional text of a definition."""

from __future__ import annotations

import re
from typing import Final

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import StringSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.trailing import trailing
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.cues import follows_cue
from mew_agents.fluxi.values.telling import quoted
from mew_agents.language.folding import fold

_NOTES: Final = "nota|notas|observacion|observaciones|observacao|observacoes|note|notes|comentario|comentarios|comment"
_FEWEST: Final = 3  # words that tell something


def told_apart(definition: Definition, text: str, understanding: Understanding) -> Span | None:
    """The words in quotation marks that the one optional text may be, but no name behind its cue; within a Work also
    those behind its label and a colon: "put as the reason: I fell on Monday".
    """
    words = [
        slot for slot in definition.slots if isinstance(slot, StringSlot) and slot.type == "text" and not slot.required
    ]
    span = quoted(text) if len(words) == 1 else None
    if span is None:
        within = len(words) == 1 and understanding.within is not None
        return _behind_label(definition, words[0], text, understanding) if within else None
    named = (slot for slot in definition.slots if isinstance(slot, StringSlot) and slot.type == "string")
    return None if any(follows_cue(slot, text, span[0], understanding.language) for slot in named) else span


def _behind_label(definition: Definition, slot: StringSlot, text: str, understanding: Understanding) -> Span | None:
    """The words behind a text's label and a colon, but for values of other slots that they end with.

    What stands before the label has no figure, so that it is no value.
    """
    folded, language = fold(text), understanding.language
    said = (slot.label.get(language, ""), *(cue.rstrip(": ") for cue in slot.cues.get(language, ())))
    labels = "|".join(re.escape(fold(one).text) for one in said if one)
    match = re.search(rf"\b(?:{labels}|{_NOTES})\b(?: \w+){{0,3}}: *(?=\w)", folded.text) if labels else None
    if match is None or any(map(str.isdigit, folded.text[: match.start()])):
        return None
    start, end = folded.origin(match.start(), match.end())[1], trailing(definition, text, understanding)
    words = text[start:end].rstrip(" .!?,;")
    return (start, start + len(words)) if len(words.split()) >= _FEWEST else None
