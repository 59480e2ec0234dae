"""`mew status`: how everybody stands, or what one says of itself."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from .. import lifting
from ..access import Access, find_access
from ..completion import complete_participants
from ..failure import STATUSES, mistake
from ..options import JsonOption, Where, seconds
from ..standing import is_held, presence, standing
from ..terminal import print_json, show

EXAMPLES = (
    "mew status --space demo  # who is here, paused, halted",
    "mew status solver  # asks it",
    "mew status solver --fields tokens,latency",
    STATUSES,
)

_PATIENCE = 5_000  # milliseconds


def status(
    participant: Annotated[
        str | None,
        typer.Argument(metavar="[PARTICIPANT]", help="Whom to ask; else all.", autocompletion=complete_participants),
    ] = None,
    *,
    fields: Annotated[
        str | None, typer.Option("--fields", metavar="NAMES", help="Only these metrics, with commas between.")
    ] = None,
    timeout: Annotated[
        int | None,
        typer.Option("--timeout", metavar="SECONDS", parser=seconds, help="Wait no longer for the answer; else 5 s."),
    ] = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Ask a participant for its status; without one, list how everybody stands."""
    access = find_access(where, named=[participant] if participant else [])
    if participant is None:
        if fields is not None:
            raise mistake("--fields is for one participant: say which.")
        _list(access, as_json=as_json)
        return
    row = access.api.participant(participant)
    lifters = lifting.lifters(access.api, access.api.get("participants")["participants"]) if is_held(row) else {}
    asked = [name.strip() for name in fields.split(",") if name.strip()] if fields else None
    within = _PATIENCE if timeout is None else timeout
    asking = import_module("..status_request", __package__)  # its client takes longer to import than a listing to print
    asking.request_status(access, row, lifters, fields=asked, within=within, as_json=as_json)


def _list(access: Access, *, as_json: bool) -> None:
    found = access.api.get("participants")
    if as_json:
        print_json(found)
        return
    lifters = lifting.lifters(access.api, found["participants"])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("participant", "here", "state"):
        table.add_column(heading, overflow="fold")
    for row in found["participants"]:
        table.add_row(Text(row["id"], style="bold"), presence(row), standing(row, lifters))
    show(table)
