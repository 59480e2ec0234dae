"""Works, a row each."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.table import Table
from rich.text import Text

from mew_agents.fluxi.lookup import ListedWork
from mew_gateway.cli.printing.ids import short
from mew_gateway.cli.printing.moment import duration
from mew_gateway.cli.printing.terminal import one_line

from .standing import standing


def table(found: Iterable[ListedWork], *, now: int) -> Table:
    """The Works, a row each."""
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("work", "age", "whose", "about", "state", "waits for"):
        drawn.add_column(heading, overflow="fold")
    for one in found:
        drawn.add_row(
            Text(short(one.work_id), style="bold"),
            Text(duration(max(0, now - one.opened_at)), style="dim"),
            Text(f"{one_line(one.owner)} in {one_line(one.account_id)}/{one_line(one.conversation_id)}"),
            Text(one_line(one.about)),
            standing(one.state, one.suspended_reason, undone=one.undone, undo_failed=one.undo_failed),
            Text(one_line(one.waits_for or "")),
        )
    return drawn
