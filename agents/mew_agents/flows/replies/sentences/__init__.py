"""The sentences of each language: data, written as those of Fluxi are (docs/definitions.md)."""

from collections.abc import Mapping
from typing import Final

from mew_agents.fluxi.replies.keys import Key
from mew_agents.fluxi.replies.sentences.phrasing import Phrasing
from mew_agents.language.found import Language

from . import en, es, pt

SENTENCES: Final[Mapping[Language, Mapping[Key, Phrasing]]] = {
    "es": es.SENTENCES,
    "pt": pt.SENTENCES,
    "en": en.SENTENCES,
}
