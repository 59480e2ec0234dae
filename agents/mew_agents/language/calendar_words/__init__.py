"""The words and phrases that dates and times are made of, per language: data for `phrases`."""

from __future__ import annotations

from collections.abc import Mapping

from mew_agents.language.calendar_words import en, es, pt
from mew_agents.language.calendar_words.vocabulary import CalendarWords
from mew_agents.language.found import Language

CALENDAR_WORDS: Mapping[Language, CalendarWords] = {"es": es.WORDS, "pt": pt.WORDS, "en": en.WORDS}
