"""How a language's sentences are written down.

`<desea|quieres>` is what is said to strangers and to friends; `{name}` is a value's place, `{name.capital}` begins a
sentence, and what stands in brackets is left out when a value in it is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mew_agents.fluxi.replies.keys import Key, Mood


class Phrasing(NamedTuple):
    """One thing to say: in full, and in a few words."""

    full: str
    brief: str


class Tongue(NamedTuple):
    """A language: what a warm tone opens with by mood, every sentence, and yes and no."""

    openings: Mapping[Mood, str]
    sentences: Mapping[Key, Phrasing]
    yes: str
    no: str
