"""`mew kick`: remove a participant from a space."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from mew_gateway.sdk.client import Client

from ...connecting import run_once
from ...connecting.access import find_access
from ...connecting.sent_envelope import send
from ...framework.failure import STATUSES, mistake
from ...framework.options import JsonOption, ReasonOption, TargetArgument, Where
from ...printing.terminal import command_name, print_json, say

EXAMPLES = (
    "mew kick solver --reason 'repeats itself'",
    "mew kick solver --yes  # does not ask",
    STATUSES,
)


def kick(
    participant: TargetArgument,
    *,
    reason: ReasonOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Kick a participant: its connections end, and it may not come back until it is invited. A hosted agent is
    stopped."""
    access = find_access(where, named=[participant])
    if not yes:
        if not sys.stdin.isatty():
            raise mistake("Nobody can be asked here: say --yes.")
        typer.confirm(f"Kick {participant} out of {access.space}?", abort=True, err=True)
    run_once.run(access, partial(_kick, name=participant, reason=reason, as_json=as_json), as_json=as_json)


async def _kick(client: Client, *, name: str, reason: str | None, as_json: bool) -> int:
    sent = await send(client, "space/kick", {"participant_id": name, "reason": reason}, to=[name])
    if as_json:
        print_json({"kick": sent.id, "participant": name})
    else:
        say(f"{name} is out. `{command_name()} invite {name}` lets it come back.")
    return 0
