"""`mew fluxi work`: everything about one Work."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated, Any

import msgspec
import typer
from rich.text import Text

from mew_agents.cli.fluxi.store import DATABASE, DatabaseOption, WorkArgument, looked_up, whole_id
from mew_agents.cli.fluxi.work_sheet import sheet
from mew_agents.fluxi.comparison import differences
from mew_agents.fluxi.lookup import FoundWork
from mew_agents.fluxi.lookup import work as find_work
from mew_gateway.cli.framework.failure import FAILED, Failure
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import print_json, say, show

EXAMPLES = (
    "mew fluxi work 1a2b3c4d  # the end of an id is enough",
    "mew fluxi work 1a2b3c4d --json | jq '.events[].type'  # times in ms since the epoch",
    "mew fluxi work 1a2b3c4d --replay  # whether its rows are what its events make of it",
    "Exit status: 0 done, 1 it failed or a replay differs, 2 a mistake in what was typed.",
)


def work(
    id: WorkArgument,
    *,
    replay: Annotated[bool, typer.Option("--replay", help="Fold its events, and compare with what is stored.")] = False,
    as_json: JsonOption = False,
    database: DatabaseOption = DATABASE,
) -> None:
    """Show a Work: its state, its slots with their evidence, its effects and every attempt, and its events as a
    timeline, each with the time since it was opened.
    """
    work_id = whole_id(database, id, "work")
    found = looked_up(database, partial(find_work, work_id=work_id))
    if found is None:
        raise Failure(f"There is no Work {work_id} any more.")
    if replay:
        _compare(found, as_json=as_json)
    elif as_json:
        print_json(_object(found))
    else:
        show(sheet(found, now=round(time.time() * 1000)))


def _compare(found: FoundWork, *, as_json: bool) -> None:
    different = differences(found.work, found.events)
    if as_json:
        print_json({"work_id": found.work.work_id, "events": len(found.events), "differences": different})
    elif different:
        for one in different:
            say(one, style="red")
    else:
        show(Text(f"ok: {len(found.events)} events make the Work as it is stored."))
    if different:
        raise typer.Exit(FAILED)


def _object(found: FoundWork) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return {**plain.pop("work"), **plain}
