"""A sentence ready to be filled: for strangers or friends, at length or in brief."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.definitions.template import Template
from mew_agents.fluxi.message import Formality
from mew_agents.fluxi.replies.keys import Key
from mew_agents.fluxi.replies.sentences import TONGUES
from mew_agents.language.found import Language

_EITHER = re.compile(r"<([^<>|]*)\|([^<>|]*)>")
_FIRST_WORD = re.compile(r"(?P<before>\W*)(?P<first>[^\W\d_])(?P<rest>[\w-]*)")
_FULL_STOP_TWICE = re.compile(r"(?<=[.!?…])\.(?!\.)")


def either(text: str, formality: Formality) -> str:
    """`<desea|quieres>` as it is said to strangers, or to friends."""
    return _EITHER.sub(r"\1" if formality == "formal" else r"\2", text)


@cache
def sentence(key: Key, language: Language, formality: Formality, *, brief: bool) -> Template:
    """The template of a key. Raises `KeyError` for a key that there is none of."""
    phrasing = TONGUES[language].sentences[key]
    return template.parse(either(phrasing.brief if brief else phrasing.full, formality))


def filled(parsed: Template, values: Mapping[str, str]) -> str:
    """The sentence with its values; `name.capital` is one that begins a sentence, `name.small` one that does not."""
    cased = {f"{name}.{case.__name__}": case(value) for name, value in values.items() for case in (capital, small)}
    return _FULL_STOP_TWICE.sub("", parsed.fill({**values, **cased}))


def small(text: str) -> str:
    """The text with its first letter small, unless its first word is not usually written so: I, SWIFT, A-1001."""
    match = _FIRST_WORD.match(text)
    if match is None or not match["rest"].islower():
        return text
    return match["before"] + match["first"].lower() + text[match.end("first") :]


def capital(text: str) -> str:
    """The text with its first letter large, the rest as it is."""
    for at, sign in enumerate(text):
        if sign.isalpha():
            return text[:at] + sign.upper() + text[at + 1 :]
        if sign.isdigit():
            break
    return text
