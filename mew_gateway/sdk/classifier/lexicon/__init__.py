"""Lexicons of the rule classifier, as data: one file for each language."""

from __future__ import annotations

from mew_gateway.sdk.classifier.lexicon.base import Lexicon, Sign, phrases
from mew_gateway.sdk.classifier.lexicon.en import ENGLISH
from mew_gateway.sdk.classifier.lexicon.es import SPANISH
from mew_gateway.sdk.classifier.lexicon.pt import PORTUGUESE

LEXICONS: tuple[Lexicon, ...] = (ENGLISH, SPANISH, PORTUGUESE)

__all__ = ["LEXICONS", "Lexicon", "Sign", "phrases"]
