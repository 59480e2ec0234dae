"""The status that a participant tells of itself, asked for and shown."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

from rich.table import Table
from rich.text import Text

from mew_gateway.protocol.capabilities import Capabilities, compile_capability
from mew_gateway.sdk.client import Client
from mew_gateway.sdk.exchange.requests import TimedOut

from ..printing.terminal import clean, one_line, print_json, show
from . import run_once as errand
from .access import Access
from .participant_status import is_held, standing
from .resume_rights import Lifters
from .sent import send


def request_status(
    access: Access,
    row: dict[str, Any],
    lifters: Lifters,
    does: Text,
    *,
    fields: list[str] | None,
    within: int,
    as_json: bool,
) -> NoReturn:
    """Ask the participant of this listed row, print what it `does` and says, and end the command."""
    work = partial(_ask, row=row, lifters=lifters, does=does, fields=fields, within=within, as_json=as_json)
    errand.run(access, work, as_json=as_json)


async def _ask(
    client: Client,
    *,
    row: dict[str, Any],
    lifters: Lifters,
    does: Text,
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
    if does.plain != "-":
        table.add_row(Text("does", style="dim"), does)
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
