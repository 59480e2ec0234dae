"""What deciding about an envelope may take, and what asking a pattern takes, in steps (docs/protocol.md §3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MAX_VISITED = 1_000  # nodes that the searches of one check may visit together
MAX_WORK = 4_000_000  # steps that deciding about one envelope may take: some 25 ms at worst

# What takes how many steps. One is an instruction of an expression at a character, where RE2 has to follow them all.
_VISIT = 100
COMPARISON = 30
EXPRESSION = 300  # to ask one at all


class Spent(Exception):
    """Deciding would take more work than there is a budget for: no match."""


class Budget:
    """What is left of the nodes that the searches of one capability may visit, and the work on one envelope: `spent` of
    at most `most` steps."""

    __slots__ = ("left", "most", "spent")

    def __init__(self, most: int = MAX_WORK) -> None:
        self.left = MAX_VISITED
        self.most = most
        self.spent = 0

    def spend(self, comparisons: int = 1) -> bool:
        """Visit one more node, of which so much is asked; False when the bound is passed. Raises `Spent`."""
        self.left -= 1
        return self.affords(_VISIT + COMPARISON * comparisons) and self.left >= 0

    def compare(self, comparisons: int) -> None:
        """Make so many comparisons. Raises `Spent`."""
        self.affords(_VISIT * comparisons)

    def affords(self, steps: int) -> bool:
        """Take so many steps: True. Raises `Spent`."""
        self.spent += steps
        if self.spent > self.most:
            self.spent = self.most + 1  # they are not taken, and nothing is any more
            raise Spent
        return True


class Price(NamedTuple):
    """What asking a string pattern takes: so many steps for each character of a text that begins with `start`, 0 for
    one that is no expression."""

    steps: int
    start: str = ""

    def on(self, text: str) -> int:
        """How many steps it takes at most to ask about a text."""
        return self.at(len(text)) if text.startswith(self.start) else 0

    def at(self, length: int) -> int:
        """The same, of a text with so many characters that begins so."""
        return EXPRESSION + self.steps * length if self.steps else 0


def worst(prices: Iterable[Price], length: int) -> int:
    """How many steps it takes at most to ask all of these about one text of a length: no text begins in two ways."""
    most, begun = 0, [("", 0)]  # and what those take whose starts are the start of the next
    for price in sorted(prices, key=lambda price: price.start):
        while not price.start.startswith(begun[-1][0]):
            begun.pop()
        begun.append((price.start, begun[-1][1] + price.at(length)))
        most = max(most, begun[-1][1])
    return most
