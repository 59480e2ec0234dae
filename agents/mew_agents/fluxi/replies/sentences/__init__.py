"""The sentences of each language: data. `docs/definitions.md` says how they are written."""

from typing import Final

from mew_agents.fluxi.replies.sentences.phrasing import Tongue
from mew_agents.language.found import Language

from . import en, es, pt

TONGUES: Final[dict[Language, Tongue]] = {"es": es.TONGUE, "pt": pt.TONGUE, "en": en.TONGUE}
