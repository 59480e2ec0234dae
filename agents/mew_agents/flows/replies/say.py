"""What flows say: their own keys, and Fluxi's, which say the same of a flow where it is the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mew_agents.flows.replies.keys import MANNERS
from mew_agents.flows.replies.sentences import SENTENCES
from mew_agents.fluxi.replies import FLUXI, Book
from mew_agents.fluxi.replies.keys import Key, Manner

BOOK: Final[Book] = FLUXI.with_more(MANNERS, SENTENCES)
KEYS: Final[Mapping[Key, Manner]] = BOOK.manners

say = BOOK.say
