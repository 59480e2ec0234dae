"""What an agent says to people, in English, Spanish and Portuguese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from mew_gateway.sdk import Options

Language: TypeAlias = Literal["en", "es", "pt"]
LANGUAGES: tuple[Language, ...] = ("en", "es", "pt")


class Spoken(Options, frozen=True):
    """Options of an agent that talks to people."""

    language: Language = "en"


class Phrasebook:
    """Templates by key and language: `phrases["greeting"]["es"]`. Every key has every language."""

    def __init__(self, phrases: Mapping[str, Mapping[Language, str]]) -> None:
        self.phrases = phrases

    def say(self, key: str, language: Language, /, **values: object) -> str:
        """The phrase with its places filled. A `float` is written as the language writes it, with one decimal,
        below 1 with two."""
        written = {name: _written(value, language) for name, value in values.items()}
        return self.phrases[key][language].format(**written)


def _written(value: object, language: Language) -> str:
    if not isinstance(value, float):
        return str(value)
    written = f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"
    return written if language == "en" else written.replace(".", ",")
