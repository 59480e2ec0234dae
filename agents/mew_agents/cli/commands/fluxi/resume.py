"""`mew fluxi resume`: a suspended Work goes on."""

from __future__ import annotations

from mew_agents.cli.fluxi.acted import show_work
from mew_agents.cli.fluxi.store import (
    DATABASE,
    STATUSES,
    DatabaseOption,
    OperatorOption,
    WorkArgument,
    decided,
    operator,
    whole_id,
)
from mew_gateway.cli.framework.options import JsonOption

EXAMPLES = (
    "mew fluxi resume 1a2b3c4d",
    "mew fluxi resolve 1a2b3c4d book --applied --evidence '…'  # what is in doubt is resolved instead",
    STATUSES,
)


def resume(
    id: WorkArgument,
    *,
    as_json: JsonOption = False,
    as_: OperatorOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """Let a suspended Work go on: what it had asked is asked again. One that is not suspended stays as it is."""
    work_id, by = whole_id(database, id, "work"), operator(as_)
    work = decided(database, lambda office: office.operators.resume(work_id, by=by), as_json=as_json)
    show_work(work, as_json=as_json)
