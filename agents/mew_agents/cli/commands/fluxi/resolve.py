"""`mew fluxi resolve`: an operator found out what became of an effect in doubt."""

from __future__ import annotations

from typing import Annotated

import typer

from mew_agents.cli.fluxi.acted import show_work
from mew_agents.cli.fluxi.store import (
    DATABASE,
    STATUSES,
    DatabaseOption,
    EffectArgument,
    OperatorOption,
    WorkArgument,
    decided,
    operator,
    whole_id,
)
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.cli.framework.options import JsonOption

EXAMPLES = (
    "mew fluxi work 1a2b3c4d  # which effect is in doubt, and with what key",
    "mew fluxi resolve 1a2b3c4d refund --applied --evidence 'bank statement of 3 March, line 12'",
    "mew fluxi resolve 1a2b3c4d refund --not-applied --evidence 'asked the bank, no such transfer'",
    "mew fluxi resolve 1a2b3c4d deposit --applied --evidence 'paid back in cash, receipt 88'  # it could not be undone",
    STATUSES,
)


def resolve(
    id: WorkArgument,
    effect: EffectArgument,
    *,
    applied: Annotated[
        bool | None, typer.Option("--applied/--not-applied", help="It happened, or it did not.", show_default=False)
    ] = None,
    evidence: Annotated[
        str, typer.Option("--evidence", metavar="TEXT", help="How you know; it stays with the effect.")
    ],
    as_json: JsonOption = False,
    as_: OperatorOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """Say what became of an effect in doubt. It is recorded once, with your name; the Work then goes on or ends. Of one
    that could not be undone, say that it was undone in another way (--applied), or that it stands (--not-applied).
    """
    if applied is None:
        raise mistake("Say --applied or --not-applied.")
    if not evidence.strip():
        raise mistake("Say how you know: the --evidence stays with the effect.")
    work_id, by = whole_id(database, id, "work"), operator(as_)
    work = decided(
        database,
        lambda office: office.operators.resolve(
            work_id, effect, "applied" if applied else "not_applied", evidence=evidence, by=by
        ),
        as_json=as_json,
    )
    show_work(work, as_json=as_json)
