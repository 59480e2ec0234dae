"""Budget of the work that deciding about one envelope may take, in steps (docs/protocol.md §3).

A step is an instruction of a regular expression at one character, which is what RE2 does at worst. Everything else is
counted in multiples of it. Steps are counted, never measured by a clock, so that a replay decides the same.

Searches have a second bound: together they visit at most `MAX_VISITED` nodes. Where a bound is passed, the pattern does
not match: in doubt, no permission.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MAX_VISITED = 1_000  # nodes that the searches of one check may visit together
MAX_WORK = 4_000_000  # steps that deciding about one envelope may take: about 25 ms at worst

# Steps of the other operations.
_VISIT = 100
COMPARISON = 30
EXPRESSION = 300  # each match of an expression, besides its steps a character


class BudgetExceeded(Exception):
    """Deciding would take more steps than the budget has. The caller treats it as no match."""


class Budget:
    """The budget of one envelope: `spent` of at most `most` steps.

    `left` is the nodes one capability may still visit.
    """

    __slots__ = ("left", "most", "spent")

    def __init__(self, most: int = MAX_WORK) -> None:
        self.left = MAX_VISITED
        self.most = most
        self.spent = 0

    def visit(self, comparisons: int = 1) -> bool:
        """Visit one more node with so many comparisons. Return False if no node is left. Raises `BudgetExceeded`."""
        self.left -= 1
        return self.take(_VISIT + COMPARISON * comparisons) and self.left >= 0

    def compare(self, comparisons: int) -> None:
        """Make so many comparisons. Raises `BudgetExceeded`."""
        self.take(_VISIT * comparisons)

    def take(self, steps: int) -> bool:
        """Take so many steps and return True. Raises `BudgetExceeded`."""
        self.spent += steps
        if self.spent > self.most:
            self.spent = self.most + 1  # nothing is taken, now or later
            raise BudgetExceeded
        return True


class Cost(NamedTuple):
    """The cost of matching a string pattern: `steps` for each character of a text that begins with `start`.

    0 steps: the pattern is not compiled to an expression.
    """

    steps: int
    start: str = ""

    def of(self, text: str) -> int:
        """Return the greatest number of steps that matching the text takes."""
        return self.of_length(len(text)) if text.startswith(self.start) else 0

    def of_length(self, length: int) -> int:
        """Return the same for a text of so many characters that begins with `start`."""
        return EXPRESSION + self.steps * length if self.steps else 0


def worst_cost(costs: Iterable[Cost], length: int) -> int:
    """Return the greatest number of steps that matching all these patterns with one text of a length takes.

    A text begins in one way only: the costs of two patterns add up only if one's `start` is a prefix of the other's.
    """
    most, begun = 0, [("", 0)]  # prefixes of the next start, with the sum of their costs
    for cost in sorted(costs, key=lambda cost: cost.start):
        while not cost.start.startswith(begun[-1][0]):
            begun.pop()
        begun.append((cost.start, begun[-1][1] + cost.of_length(length)))
        most = max(most, begun[-1][1])
    return most
