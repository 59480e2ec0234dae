"""`mew fluxi decline`: no to a proposal, which is discarded."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from mew_agents.cli.fluxi.store import (
    DATABASE,
    STATUSES,
    DatabaseOption,
    OperatorOption,
    ProposalArgument,
    decided,
    person,
    whole_id,
)
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.ids import short
from mew_gateway.cli.printing.terminal import print_json, show

EXAMPLES = (
    "mew fluxi proposals  # what waits",
    "mew fluxi decline 1a2b3c4d --reason 'the order is older than a year'",
    STATUSES,
)


def decline(
    id: ProposalArgument,
    *,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; whoever asked for it is told.")],
    as_json: JsonOption = False,
    as_: OperatorOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """Decline a proposal: no Work opens, and whoever asked for it is told why."""
    if not reason.strip():
        raise mistake("Say why: whoever asked for it is told the --reason.")
    proposal_id, by = whole_id(database, id, "proposal"), as_ or person()
    decided(database, lambda office: office.reviews.decline(proposal_id, by=by, reason=reason), as_json=as_json)
    if as_json:
        print_json({"proposal_id": proposal_id, "status": "discarded"})
    else:
        show(Text.assemble("declined ", (short(proposal_id), "bold")))
