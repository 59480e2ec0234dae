"""The words that values are read by, as data: one file a language, in the spelling of people (docs/language.md)."""

from __future__ import annotations

from mew_agents.language.found import Language
from mew_agents.language.value_words import en, es, pt
from mew_agents.language.value_words.vocabulary import Vocabulary

VOCABULARIES: dict[Language, Vocabulary] = {"es": es.VOCABULARY, "pt": pt.VOCABULARY, "en": en.VOCABULARY}
