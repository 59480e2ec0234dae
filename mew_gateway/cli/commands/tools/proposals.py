"""`mew proposals`: list the proposals that wait for a decision, or all."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from ...connecting.access import find_access
from ...framework.options import JsonOption, Where
from ...printing.ids import short
from ...printing.moment import duration
from ...printing.terminal import one_line, print_json, say, show
from ...proposals import preview
from ...proposals.watch_proposals import ProposalsWatch

EXAMPLES = (
    "mew proposals --space demo",
    "mew proposals --watch  # live: proposals that others decide disappear",
    "mew proposals --all --json | jq '.proposals[] | select(.status == \"fulfilled\")'",
    "mew approve 1a2b3c4d  # yes to one; mew reject 1a2b3c4d --reason unsafe: no",
)

_STYLES = {
    "open": "bold yellow",
    "fulfilled": "green",
    "withdrawn": "dim",
    **dict.fromkeys(("rejected", "voided", "expired"), "red"),
}


def proposals(
    *,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Keep it up to date, until Ctrl-C.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="Those that are decided, too.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The newest so many.")] = 200,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """List the proposals that wait for a decision. With `--watch --json`, a line for each event."""
    access = find_access(where)
    if watch:
        try:
            asyncio.run(ProposalsWatch(access, as_json=as_json).run())
        except KeyboardInterrupt:
            return
    found = access.api.get("proposals", open=None if all_ else 1, limit=limit)
    if as_json:
        print_json(found)
    elif found["proposals"]:
        sequences = {one["id"]: one for one in access.api.every("sequences")}
        every = access.api.every("proposals")
        show(_table(found["proposals"], sequences, [one["id"] for one in every], with_state=all_))
        more = sum(all_ or one["status"] == "open" for one in every) - len(found["proposals"])
        if more > 0:
            say(f"{more} older ones are not shown: --limit {len(found['proposals']) + more} shows all.")
    else:
        show(Text("No proposal was made here yet." if all_ else "No proposal is waiting."))


def _table(
    rows: list[dict[str, Any]], sequences: dict[str, dict[str, Any]], known: list[str], *, with_state: bool
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("proposal", "age", "who", "asks for", "state" if with_state else "said of it"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        state = _state(row) if with_state else _left(row)
        table.add_row(
            Text(short(row["id"], known), style="bold"),
            Text(duration(row["age_ms"])),
            _who(row),
            preview.details(row["method"], row["params"], about=preview.run_message(row, sequences)),
            state,
        )
    return table


def _who(row: dict[str, Any]) -> Text:
    to = ", ".join(map(one_line, row["to"])) or "anybody"
    return Text(f"{one_line(row['proposer'])} → {to}")


def _left(row: dict[str, Any]) -> Text:
    return Text(f"expires in {duration(max(0, row['expires_in_ms']))}", style="dim")


def _state(row: dict[str, Any]) -> Text:
    rejection = row["rejection"] or {}
    who, why = row["fulfiller"] or rejection.get("by"), rejection.get("reason") or row["void"]
    by, reason = f" by {one_line(who)}" if who else "", f": {one_line(why)}" if why else ""
    return Text(f"{row['status']}{by}{reason}", style=_STYLES.get(row["status"], ""))
