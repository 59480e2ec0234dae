"""`mew fluxi accept`: yes to a proposal, whose Work opens."""

from __future__ import annotations

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
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.ids import short
from mew_gateway.cli.printing.terminal import print_json, show

EXAMPLES = ("mew fluxi proposals  # what waits", "mew fluxi accept 1a2b3c4d", STATUSES)


def accept(
    id: ProposalArgument,
    *,
    as_json: JsonOption = False,
    as_: OperatorOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """Accept a proposal: its Work opens, unless its gate is closed by now, and whoever asked for it is told."""
    proposal_id, by = whole_id(database, id, "proposal"), as_ or person()
    work_id = decided(database, lambda office: office.reviews.accept(proposal_id, by=by), as_json=as_json)
    if as_json:
        print_json({"proposal_id": proposal_id, "work_id": work_id})
    else:
        show(Text.assemble("opened ", (short(work_id), "bold")))
