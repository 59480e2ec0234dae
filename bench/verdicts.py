"""What is wanted of a figure, whether it is so, and a table of such figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rich.table import Table
from rich.text import Text


def verdict(*, met: bool) -> str:
    """The word for it, in colour (rich markup)."""
    return "[green]met[/green]" if met else "[red]missed[/red]"


class Target(NamedTuple):
    """A bound on a figure or a ratio."""

    sense: Literal["≥", "≤"]
    bound: float

    def is_met(self, value: float) -> bool:
        """Whether this is good enough."""
        return value >= self.bound if self.sense == "≥" else value <= self.bound

    def verdict(self, value: float) -> str:
        """The same as a word, in colour."""
        return verdict(met=self.is_met(value))

    def __str__(self) -> str:
        return f"{self.sense} {self.bound:g}"


class Row(NamedTuple):
    """What was counted, the figure, what is wanted of it, and whether it is so; None: nothing is wanted."""

    what: str
    figure: str
    wanted: str = ""
    is_met: bool | None = None


def zero(what: str, count: int) -> Row:
    """Something that must not be."""
    return Row(what, str(count), "0", count == 0)


def table(title: str, rows: Sequence[Row]) -> Table:
    """All of it, for a person."""
    table = Table(title=title, title_justify="left")
    for heading in ("what", "figure", "wanted", ""):
        table.add_column(heading, no_wrap=True)
    for what, figure, wanted, is_met in rows:
        table.add_row(what, figure, wanted, "" if is_met is None else Text.from_markup(verdict(met=is_met)))
    return table
