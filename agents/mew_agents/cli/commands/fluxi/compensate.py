"""`mew fluxi compensate`: an effect that was done is to be undone."""

from __future__ import annotations

from functools import partial

from mew_agents.cli.fluxi.acted import show_work
from mew_agents.cli.fluxi.store import (
    DATABASE,
    STATUSES,
    DatabaseOption,
    EffectArgument,
    OperatorOption,
    WorkArgument,
    decided,
    looked_up,
    operator,
    whole_id,
)
from mew_agents.fluxi.lookup import work as find_work
from mew_gateway.cli.framework.failure import Failure
from mew_gateway.cli.framework.options import JsonOption

EXAMPLES = ("mew fluxi work 1a2b3c4d  # which effects were done", "mew fluxi compensate 1a2b3c4d book", STATUSES)


def compensate(
    id: WorkArgument,
    effect: EffectArgument,
    *,
    as_json: JsonOption = False,
    as_: OperatorOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """Undo an effect of a Work that has ended, with what its definition names for that: an effect of its own, once."""
    work_id, by = whole_id(database, id, "work"), operator(as_)
    decided(database, lambda office: office.operators.compensate(work_id, effect, by=by), as_json=as_json)
    found = looked_up(database, partial(find_work, work_id=work_id))
    if found is None:
        raise Failure(f"There is no Work {work_id} any more.")
    show_work(found.work, as_json=as_json, goes_on=True)
