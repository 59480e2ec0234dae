"""`mew fluxi proposals`: what was understood and waits for a person before a Work opens."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated

import msgspec
import typer
from rich import box
from rich.table import Table
from rich.text import Text

from mew_agents.cli.fluxi.store import DATABASE, AccountOption, DatabaseOption, looked_up
from mew_agents.fluxi.lookup import ListedProposal, ProposalStatus
from mew_agents.fluxi.lookup import proposals as find_proposals
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.ids import short
from mew_gateway.cli.printing.moment import duration
from mew_gateway.cli.printing.terminal import one_line, print_json, show

EXAMPLES = (
    "mew fluxi proposals",
    "mew fluxi proposals --all --json  # those that were opened or discarded, too",
    "mew fluxi accept 1a2b3c4d  # yes to one; mew fluxi decline 1a2b3c4d --reason '…': no",
)

_STYLES = {"pending": "bold yellow", "opened": "green", "discarded": "dim"}


def proposals(
    *,
    all_: Annotated[bool, typer.Option("--all", help="Those that are settled, too.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The newest so many.")] = 50,
    as_json: JsonOption = False,
    account: AccountOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """List the proposals that wait for a person: definitions with `open: review` open no Work before."""
    status: ProposalStatus | None = None if all_ else "pending"
    found = looked_up(database, partial(find_proposals, status=status, account_id=account, limit=limit))
    if as_json:
        print_json({"proposals": msgspec.to_builtins(found)})
    elif found:
        show(_table(found, now=round(time.time() * 1000)))
    else:
        show(Text("No proposal was made here yet." if all_ else "No proposal is waiting."))


def _table(found: list[ListedProposal], *, now: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("proposal", "age", "whose", "asks for", "said", "state"):
        table.add_column(heading, overflow="fold")
    for one in found:
        slots = "".join(f"\n  {one_line(path)} = “{one_line(words)}”" for path, words in one.slots.items())
        state = Text(one.status, style=_STYLES[one.status])
        table.add_row(
            Text(short(one.proposal_id), style="bold"),
            Text(duration(max(0, now - one.proposed_at)), style="dim"),
            Text(f"{one_line(one.sender)} in {one_line(one.account_id)}/{one_line(one.conversation_id)}"),
            Text(f"{one_line(one.type_id)}{slots}"),
            Text(one_line(one.text)),
            state.append(f"\n{one_line(one.reason)}", style="not bold") if one.reason else state,
        )
    return table
