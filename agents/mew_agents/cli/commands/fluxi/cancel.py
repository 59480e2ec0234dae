"""`mew fluxi cancel`: a Work is called off."""

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

EXAMPLES = ("mew fluxi works --state live  # what can be cancelled", "mew fluxi cancel 1a2b3c4d", STATUSES)


def cancel(
    id: WorkArgument,
    *,
    as_json: JsonOption = False,
    as_: OperatorOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """Cancel a Work that has not ended, and void its questions; whose it is, is told.

    While a call is out, it is cancelled as soon as its outcome is known. What its definition undoes then, is undone.
    """
    work_id, by = whole_id(database, id, "work"), operator(as_)
    work = decided(database, lambda office: office.operators.cancel(work_id, by=by), as_json=as_json)
    show_work(work, as_json=as_json)
