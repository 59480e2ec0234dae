"""`mew status`: how everybody stands, or what one says of itself."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from mew_gateway.protocol.capabilities import Capabilities, compile_capability
from mew_gateway.sdk.client import Client
from mew_gateway.sdk.requests import TimedOut

from .. import errand, lifting
from ..access import Access, find_access
from ..completion import complete_participants
from ..failure import mistake
from ..lifting import Lifters
from ..options import JsonOption, Where, seconds
from ..sent import send
from ..standing import is_held, presence, standing
from ..terminal import clean, one_line, print_json, show

EXAMPLES = (
    "mew status --space demo  # who is here, paused, halted",
    "mew status solver  # asks it",
    "mew status solver --fields tokens,latency",
    errand.STATUSES,
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
    work = partial(_ask, row=row, lifters=lifters, fields=asked, within=within, as_json=as_json)
    errand.run(access, work, as_json=as_json)


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


async def _ask(
    client: Client,
    *,
    row: dict[str, Any],
    lifters: Lifters,
    fields: list[str] | None,
    within: int,
    as_json: bool,
) -> int:
    name = row["id"]
    sent = await send(client, "participant/request-status", {"fields": fields}, to=[name])
    try:
        answer = await sent.answer(
            "participant/status", within=within, waiting=None if as_json else f"waiting for {name}"
        )
    except TimedOut as error:
        raise TimedOut(f"{error} {_why(row, lifters)}") from None
    metrics = answer.payload or {}
    if as_json:
        print_json({"participant": name, "status": metrics, "state": row["state"]})
        return 0
    table = Table.grid(padding=(0, 3))
    if is_held(row):  # the gateway's word, not the participant's
        table.add_row(Text("state", style="dim"), standing(row, lifters))
    for metric, value in metrics.items():
        table.add_row(Text(one_line(metric), style="dim"), Text(clean(value)))
    show(table)
    return 0


def _why(row: dict[str, Any], lifters: Lifters) -> str:
    """What may have kept it from answering."""
    name = row["id"]
    if not row["present"]:
        return f"{name} is not here."
    allowed = Capabilities(compile_capability(source) for source in row["capabilities"])
    if not allowed.allow("participant/status", {}, ("somebody",)):
        return f"{name} lacks the capability for participant/status: it cannot answer."
    if is_held(row):
        return f"{name} is here, and may answer. It is {', '.join(standing(row, lifters).plain.splitlines())}."
    return f"{name} is here, and may answer; perhaps it is busy."
