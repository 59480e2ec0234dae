"""`mew fluxi works`: the Works of a database, and what each waits for."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated, Literal

import msgspec
import typer
from rich.text import Text

from mew_agents.cli.fluxi.store import DATABASE, AccountOption, DatabaseOption, looked_up
from mew_agents.cli.fluxi.work_table import table
from mew_agents.fluxi.fsm import LIVE, State
from mew_agents.fluxi.lookup import works as find_works
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import print_json, show

EXAMPLES = (
    "mew fluxi works",
    "mew fluxi works --state live  # only those that have not ended",
    "mew fluxi works --state FAILED --account demo --json  # times in ms since the epoch",
)

Wanted = Literal[
    "live",
    "CREATED",
    "ACTIVE",
    "WAITING_USER",
    "WAITING_CONFIRMATION",
    "EXECUTING",
    "COMPLETED",
    "FAILED",
    "EXPIRED",
    "CANCELLED",
]


def works(
    *,
    state: Annotated[
        Wanted | None,
        typer.Option("--state", metavar="STATE", help="Only in this state, or `live`.", case_sensitive=False),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The newest so many.")] = 50,
    as_json: JsonOption = False,
    account: AccountOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """List Works: what each is about, where it stands, and what it waits for."""
    states = LIVE if state == "live" else None if state is None else (State(state),)
    found = looked_up(database, partial(find_works, states=states, account_id=account, limit=limit))
    if as_json:
        print_json({"works": msgspec.to_builtins(found)})
    elif found:
        show(table(found, now=round(time.time() * 1000)))
    else:
        show(Text("There is no such Work here." if state or account else "No Work was opened here yet."))
