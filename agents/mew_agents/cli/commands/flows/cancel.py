"""`mew flows cancel`: a flow is called off."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from rich.text import Text

from mew_agents.cli.flows.store import DATABASE, DatabaseOption, decided, flow_meant, looked_up, sheet_of, short_flow
from mew_agents.cli.flows.waiting import ended
from mew_agents.cli.fluxi.store import STATUSES, OperatorOption, operator
from mew_agents.flows.lookup import dialogue
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import print_json, show

EXAMPLES = (
    "mew flows list  # what can be cancelled",
    "mew flows cancel 1a2b3c4d.2.1 --reason 'the account is closed'",
    STATUSES,
)


def cancel(
    id: Annotated[str, typer.Argument(metavar="ID", help="The flow, or its dialogue where it is the only one.")],
    *,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why; whoever talks is told.")] = None,
    as_json: JsonOption = False,
    as_: OperatorOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """Cancel a flow while it waits, with whatever has called it, and void its question; whoever talks is told.

    While an effect of it is out, it is cancelled as soon as the outcome is known. What waits below it asks again.
    """
    line, by = flow_meant(sheet_of(database, id), id), operator(as_)
    decided(database, lambda office: office.flows.cancel(line.flow_id, by=by, reason=reason), as_json=as_json)
    after = looked_up(database, partial(dialogue, id=line.flow_id))
    is_out = after is not None and any(one.flow_id == line.flow_id for one in after.flows)
    if as_json:
        print_json({"flow_id": line.flow_id, "name": line.name, "status": "under_way" if is_out else "ended"})
    elif is_out:
        show(Text(f"{short_flow(line.flow_id)} ({line.name}) ends as soon as it is known what became of its call."))
    else:
        last = None if after is None else after.dialogue.last
        show(Text.assemble((short_flow(line.flow_id), "bold"), ": ", ended(last)))
