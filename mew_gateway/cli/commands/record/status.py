"""`mew status`: the state of all participants, or what one reports of itself."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import msgspec
import typer
from rich import box
from rich.table import Table
from rich.text import Text

from mew_gateway.gateway.hosting.process_status import ProcessStatus, read_status

from ...connecting import resume_rights
from ...connecting.access import Access, find_access
from ...connecting.participant_status import activity, is_restricted, presence, restrictions
from ...framework.completion import complete_participants
from ...framework.failure import STATUSES, mistake
from ...framework.options import JsonOption, Where, seconds
from ...printing.terminal import print_json, show

EXAMPLES = (
    "mew status --space demo  # who is here, thinks about what, is paused or halted",
    "mew status solver  # asks it",
    "mew status solver --fields tokens,latency",
    STATUSES,
)

_TIMEOUT = 5_000  # milliseconds


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
    """Ask a participant for its status; without one, list who is here, what each does and how it stands."""
    access = find_access(where, named=[participant] if participant else [])
    if participant is None:
        if fields is not None:
            raise mistake("--fields is for one participant: say which.")
        _list(access, as_json=as_json)
        return
    row = access.api.participant(participant)
    rights = (
        resume_rights.find_resume_rights(access.api, access.api.get("participants")["participants"])
        if is_restricted(row)
        else {}
    )
    names = [name.strip() for name in fields.split(",") if name.strip()] if fields else None
    within = _TIMEOUT if timeout is None else timeout
    asking = import_module(
        "mew_gateway.cli.connecting.status_request"
    )  # its client takes longer to import than a listing to print
    does = activity(row, access.api.every("sequences", open=1))
    asking.request_status(access, row, rights, does, fields=names, within=within, as_json=as_json)


def _list(access: Access, *, as_json: bool) -> None:
    found = access.api.get("participants")
    open_ = access.api.every("sequences", open=1)
    processes = _processes(access, found["participants"])
    if as_json:
        hosted = {name: msgspec.to_builtins(process) for name, process in processes.items()}
        print_json({**found, "sequences": open_, "hosted": hosted})
        return
    rights = resume_rights.find_resume_rights(access.api, found["participants"])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("participant", "here", "does", "state"):
        table.add_column(heading, overflow="fold")
    for row in found["participants"]:
        here = presence(row, processes.get(row["id"]))
        table.add_row(Text(row["id"], style="bold"), here, activity(row, open_), restrictions(row, rights))
    show(table)


def _processes(access: Access, rows: list[dict[str, Any]]) -> dict[str, ProcessStatus]:
    """Return the condition of each process that a local gateway hosts, by participant."""
    if access.agents is None:
        return {}
    found = ((row["id"], read_status(access.agents / row["id"])) for row in rows)
    return {name: process for name, process in found if process is not None}
