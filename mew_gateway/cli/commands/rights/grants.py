"""`mew grants`: list granted capabilities: to whom, by whom, since when and until when."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer
from rich import box
from rich.table import Table
from rich.text import Text

from ...connecting.access import find_access
from ...framework.completion import complete_participants
from ...framework.options import JsonOption, Where
from ...printing.ids import short
from ...printing.moment import clock
from ...printing.terminal import clean, one_line, print_json, show

EXAMPLES = (
    "mew grants --space demo",
    "mew grants solver --all  # and what the configuration gives",
    "mew grants --json | jq '.grants[] | select(.acked | not)'",
)


def grants(
    participant: Annotated[
        str | None,
        typer.Argument(metavar="[PARTICIPANT]", help="Only what this one has.", autocompletion=complete_participants),
    ] = None,
    *,
    all_: Annotated[bool, typer.Option("--all", help="What the configuration gives, too.")] = False,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """List the capabilities that were granted at run time, and what was taken of the configured ones."""
    access = find_access(where, named=[participant] if participant else [])
    if participant is not None:
        access.api.participant(participant)
    found = access.api.get("grants", limit=1000)
    rows = access.api.get("participants")["participants"] if all_ else []
    found["grants"] = [one for one in found["grants"] if participant in (None, one["recipient"])]
    found["revocations"] = [one for one in found["revocations"] if participant in (None, one["participant"])]
    if all_:
        found["static"] = [_static(row, found["grants"]) for row in rows if participant in (None, row["id"])]
    if as_json:
        print_json(found)
        return
    table = _table(found)
    show(table if table.row_count else Text("Nothing was granted here at run time: --all shows what is configured."))


def _static(row: dict[str, Any], given: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a participant has without its grants; each grant's pattern is once in what it has now."""
    left = list(row["capabilities"])
    for pattern in [pattern for one in given if one["recipient"] == row["id"] for pattern in one["capabilities"]]:
        if pattern in left:
            left.reverse()  # grants come last
            left.remove(pattern)
            left.reverse()
    return {"participant": row["id"], "capabilities": left}


def _table(found: dict[str, Any]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("who", "may send", "by", "since", "until", "grant"):
        table.add_column(heading, overflow="fold")
    for one in found.get("static", []):
        table.add_row(
            one_line(one["participant"]), patterns(one["capabilities"]), Text("configured", style="dim"), "", "", ""
        )
    ids = [one["id"] for one in found["grants"]]
    for one in found["grants"]:
        seen = "" if one["acked"] else ", not acknowledged yet"
        table.add_row(
            Text(one_line(one["recipient"])),
            patterns(one["capabilities"]),
            Text(one_line(one["granter"]) + (f": {clean(one['reason'])}" if one["reason"] else "")),
            Text(f"{clock(one['granted_at'])}{seen}"),
            Text(clock(one["expires_at"]) if one["expires_at"] else "revoked"),
            Text(short(one["id"], ids)),
        )
    for one in found["revocations"]:
        table.add_row(
            Text(one_line(one["participant"])),
            Text.assemble(("no more: ", "red"), patterns(one["capabilities"])),
            Text("revoked", style="red"), "", "", "",
        )  # fmt: skip
    return table


def patterns(capabilities: list[dict[str, Any]]) -> Text:
    """Return capabilities, a line each."""
    return Text("\n".join(map(_pattern, capabilities)) or "only what everybody may")


def _pattern(capability: dict[str, Any]) -> str:
    kind = capability["kind"]
    text = ", ".join(map(one_line, kind)) if isinstance(kind, list) else one_line(kind)
    if "payload" in capability:
        text += f" {clean(msgspec.json.encode(capability['payload']).decode())}"
    if "to" in capability:
        to = capability["to"]
        text += f" → {', '.join(map(one_line, to)) if isinstance(to, list) else one_line(to)}"
    return text
