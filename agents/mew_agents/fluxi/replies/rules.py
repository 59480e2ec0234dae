"""The rules of a PolicyContext, as far as Fluxi knows them: sentences that the account adds to what it says.

`before: SENTENCE` is said before every reply, `after: SENTENCE` after it; `after completed: SENTENCE` only with the
replies of one key. Anything else is meant for others, or a mistake: `unknown` finds it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import NamedTuple

from mew_agents.fluxi.replies.keys import MANNERS, Key

_RULE = re.compile(r"(?P<place>before|after)(?: +(?P<key>[a-z_]+))? *: *(?P<sentence>\S.*\S|\S)", re.DOTALL)


class Addition(NamedTuple):
    """What is said around a reply."""

    before: tuple[str, ...]
    after: tuple[str, ...]


def unknown(rules: Iterable[str], *, keys: Container[Key] = MANNERS) -> tuple[str, ...]:
    """The rules that are not known: whoever takes options from a person refuses them. `keys`: what is ever said."""
    read = ((rule, _read(rule)) for rule in rules)
    return tuple(rule for rule, known in read if known is None or (known[1] is not None and known[1] not in keys))


@lru_cache(maxsize=256)
def additions(rules: tuple[str, ...], key: Key) -> Addition:
    """What the rules add to the replies of a key, in their order."""
    known = [rule for rule in map(_read, rules) if rule is not None and rule[1] in (None, key)]
    return Addition(
        tuple(sentence for place, _, sentence in known if place == "before"),
        tuple(sentence for place, _, sentence in known if place == "after"),
    )


def _read(rule: str) -> tuple[str, Key | None, str] | None:
    match = _RULE.fullmatch(rule.strip())
    if match is None:
        return None
    return match["place"], match["key"], match["sentence"]
