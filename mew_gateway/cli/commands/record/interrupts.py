"""`mew interrupts`: list every interrupt from its acceptance on."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from ...connecting.access import find_access
from ...framework.options import JsonOption, Where
from ...printing.ids import short
from ...printing.moment import clock, duration
from ...printing.terminal import clean, one_line, print_json, show

EXAMPLES = ("mew interrupts --space demo", "mew interrupts --space demo --limit 5 --json")

_STYLES = {
    "pending": "bold yellow",
    "acked": "cyan",
    "honoured": "green",
    "late": "yellow",
    "timed_out": "bold red",
    "overrun": "bold red",
    "target_left": "red",
}


def interrupts(
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The newest so many.")] = 20,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """List interrupts: from whom, to whom, the answer, and whether the answer was kept."""
    found = find_access(where).api.get("interrupts", limit=limit)
    if as_json:
        print_json(found)
        return
    if not found["interrupts"]:
        show(Text("Nobody was interrupted here yet."))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("at", "interrupt", "who", "why", "status", "answer", "then"):
        table.add_column(heading, overflow="fold")
    ids = [one["id"] for one in found["interrupts"]]
    for one in found["interrupts"]:
        table.add_row(*_row(one, ids))
    show(table)


def _row(one: dict[str, Any], ids: list[str]) -> tuple[Text, ...]:
    return (
        Text(clock(one["accepted_at"]), style="dim"),
        Text(short(one["id"], ids)),
        Text(f"{one['from']} → {one['target']}"),
        Text(f"{clean(one['reason'] or '-')} ({one['class']})"),
        Text(one["status"], style=_STYLES.get(one["status"], "")),
        Text(_answer(one)),
        Text(_then(one)),
    )


def _answer(one: dict[str, Any]) -> str:
    ack = one["ack"]
    if ack is None:
        left = one["deadline_in_ms"]
        return "" if left is None else f"{duration(max(0, left))} left"
    said = f": {one_line(ack['message'], longest=60)}" if ack["message"] else ""
    return f"{ack['status']} after {duration(ack['after_ms'])}{said}"


def _then(one: dict[str, Any]) -> str:
    due = one["conclusion_in_ms"]
    if due is not None:
        return f"concludes within {duration(max(0, due))}"
    return ", ".join(one["escalated"])
