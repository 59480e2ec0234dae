"""A table of what was counted, beside what it should be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.table import Table


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
        table.add_row(what, figure, wanted, "" if is_met is None else "met" if is_met else "MISSED")
    return table
