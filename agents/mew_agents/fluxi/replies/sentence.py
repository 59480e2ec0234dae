"""A sentence: for strangers or friends, its places filled, its first letter large."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mew_agents.fluxi.definitions.template import Template
from mew_agents.fluxi.message import Formality

_EITHER = re.compile(r"<([^<>|]*)\|([^<>|]*)>")
_FIRST_WORD = re.compile(r"(?P<before>\W*)(?P<first>[^\W\d_])(?P<rest>[\w-]*)")
_FULL_STOP_TWICE = re.compile(r"(?<=[.!?…])\.(?!\.)")


def either(text: str, formality: Formality) -> str:
    """`<desea|quieres>` as it is said to strangers, or to friends."""
    return _EITHER.sub(r"\1" if formality == "formal" else r"\2", text)


def filled(parsed: Template, values: Mapping[str, str]) -> str:
    """The sentence with its values; `name.capital` is one that begins a sentence, `name.small` one that does not."""
    cased = {f"{name}.{case.__name__}": case(value) for name, value in values.items() for case in (capital, small)}
    return _FULL_STOP_TWICE.sub("", parsed.fill({**values, **cased}))


def small(text: str) -> str:
    """The text with its first letter small, unless its first word is not usually written so: I, SWIFT, A-1001."""
    match = _FIRST_WORD.match(text)
    if match is None or not (match["rest"].islower() or (not match["rest"] and match["first"] != "I")):
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
