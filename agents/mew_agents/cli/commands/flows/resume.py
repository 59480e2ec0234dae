"""`mew flows resume`: a dialogue goes on that a person has taken over."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from mew_agents.cli.flows.store import DATABASE, DatabaseOption, decided, sheet_of, short_flow
from mew_agents.cli.fluxi.store import STATUSES, OperatorOption, operator
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import print_json, show

EXAMPLES = (
    "mew flows list --all  # whom a person has taken over",
    "mew flows resume 1a2b3c4d",
    STATUSES,
)


def resume(
    id: Annotated[str, typer.Argument(metavar="ID", help="The dialogue or a flow of it, or the beginning of its id.")],
    *,
    as_json: JsonOption = False,
    as_: OperatorOption = None,
    database: DatabaseOption = DATABASE,
) -> None:
    """Let a dialogue go on in which somebody wanted a person: what its flow at hand had asked is asked again."""
    found, by = sheet_of(database, id), operator(as_)
    dialogue_id = found.dialogue.dialogue_id
    if not found.flows:
        raise mistake(
            f"No flow is under way in the dialogue {short_flow(dialogue_id)}: there is nothing to go on with."
        )
    decided(database, lambda office: office.flows.release(found.flows[0].flow_id, by=by), as_json=as_json)
    if as_json:
        print_json({"dialogue_id": dialogue_id, "status": "going_on"})
    else:
        show(Text.assemble((short_flow(dialogue_id), "bold"), " goes on"))
