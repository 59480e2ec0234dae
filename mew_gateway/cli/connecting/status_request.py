"""A request for the status that a participant reports of itself."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

from rich.table import Table
from rich.text import Text

from mew_gateway.protocol.capabilities import Capabilities, compile_capability
from mew_gateway.sdk.client import Client
from mew_gateway.sdk.exchange.requests import TimedOut

from ..printing.terminal import clean, one_line, print_json, show
from . import run_once
from .access import Access
from .participant_status import is_restricted, restrictions
from .resume_rights import ResumeRights
from .sent_envelope import send


def request_status(
    access: Access,
    row: dict[str, Any],
    rights: ResumeRights,
    does: Text,
    *,
    fields: list[str] | None,
    within: int,
    as_json: bool,
) -> NoReturn:
    """Request the status of the participant in `row`, print it with what the participant `does`, and end the
    command."""
    work = partial(_ask, row=row, rights=rights, does=does, fields=fields, within=within, as_json=as_json)
    run_once.run(access, work, as_json=as_json)


async def _ask(
    client: Client,
    *,
    row: dict[str, Any],
    rights: ResumeRights,
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
        raise TimedOut(f"{error} {_likely_cause(row, rights)}") from None
    metrics = answer.payload or {}
    if as_json:
        print_json({"participant": name, "status": metrics, "state": row["state"]})
        return 0
    table = Table.grid(padding=(0, 3))
    if is_restricted(row):  # according to the gateway, not to the participant
        table.add_row(Text("state", style="dim"), restrictions(row, rights))
    if does.plain != "-":
        table.add_row(Text("does", style="dim"), does)
    for metric, value in metrics.items():
        table.add_row(Text(one_line(metric), style="dim"), Text(clean(value)))
    show(table)
    return 0


def _likely_cause(row: dict[str, Any], rights: ResumeRights) -> str:
    """Return the likely reason why no answer came."""
    name = row["id"]
    if not row["present"]:
        return f"{name} is not here."
    allowed = Capabilities(compile_capability(source) for source in row["capabilities"])
    if not allowed.allow("participant/status", {}, ("another",)):
        return f"{name} lacks the capability for participant/status: it cannot answer."
    if is_restricted(row):
        return f"{name} is here, and may answer. It is {', '.join(restrictions(row, rights).plain.splitlines())}."
    return f"{name} is here, and may answer; perhaps it is busy."
