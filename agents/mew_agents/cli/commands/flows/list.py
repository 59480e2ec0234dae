"""`mew flows list`: the dialogues of a database, and what each flow that is under way waits for."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated

import msgspec
import typer
from rich.text import Text

from mew_agents.cli.flows.store import DATABASE, DatabaseOption, looked_up
from mew_agents.cli.flows.waiting import table
from mew_agents.cli.fluxi.store import AccountOption
from mew_agents.flows.lookup import dialogues
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import print_json, show

EXAMPLES = (
    "mew flows list",
    "mew flows list --all  # dialogues in which nothing is under way, too",
    "mew flows list --database sqlite:///.mew/agents/office/flows/flows.db --json  # times in ms since the epoch",
)


def list_(
    *,
    all_: Annotated[bool, typer.Option("--all", help="Dialogues without a flow under way, too.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="So many, what changed last first.")] = 50,
    as_json: JsonOption = False,
    account: AccountOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """List the flows that are under way: with whom, at which step, and what each waits for."""
    found = looked_up(database, partial(dialogues, under_way=not all_, account_id=account, limit=limit))
    if as_json:
        print_json({"dialogues": msgspec.to_builtins(found)})
    elif found:
        show(table(found, now=round(time.time() * 1000)))
    else:
        show(Text("Nothing was said here yet." if all_ else "No flow is under way."))
