"""`mew flows show`: everything about one dialogue."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Annotated

import msgspec
import typer

from mew_agents.cli.flows.sheet import sheet
from mew_agents.cli.flows.store import DATABASE, DatabaseOption, sheet_of
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import print_json
from mew_gateway.cli.printing.terminal import show as shown

EXAMPLES = (
    "mew flows show 1a2b3c4d  # the beginning of an id is enough; that of a flow means its dialogue",
    "mew flows show 1a2b3c4d --json | jq '.events[].type'  # times in ms since the epoch",
)


def show(
    id: Annotated[str, typer.Argument(metavar="ID", help="The dialogue or a flow of it, or the beginning of its id.")],
    *,
    as_json: JsonOption = False,
    database: DatabaseOption = DATABASE,
) -> None:
    """Show a dialogue: its flows with what they know and wait for, and its events with all that came of them."""
    found = sheet_of(database, id)
    if as_json:
        print_json(msgspec.to_builtins(asdict(found)))
    else:
        shown(sheet(found, now=round(time.time() * 1000)))
