"""`mew pause`: let somebody do nothing for a while."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from rich.text import Text

from mew_gateway.sdk.client import Client

from .. import errand
from ..access import find_access
from ..failure import STATUSES
from ..hints import command_name
from ..ids import typable
from ..moment import duration
from ..options import JsonOption, ReasonOption, TargetArgument, Where, span
from ..sent import send
from ..terminal import print_json, say, show

EXAMPLES = (
    "mew pause solver --for 60s --reason 'the others are talking'",
    "mew pause solver  # until somebody resumes it",
    STATUSES,
)


def pause(
    participant: TargetArgument,
    *,
    for_: Annotated[
        int | None,
        typer.Option("--for", metavar="DURATION", parser=span, help="How long: 60s, 5m; else until it is resumed."),
    ] = None,
    reason: ReasonOption = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Pause a participant: until resumed it can only finish, answer and give way. Prints the pause's id."""
    access = find_access(where, named=[participant])
    access.api.participant(participant)
    errand.run(access, partial(_pause, name=participant, for_=for_, reason=reason, as_json=as_json), as_json=as_json)


async def _pause(client: Client, *, name: str, for_: int | None, reason: str | None, as_json: bool) -> int:
    asked = {"reason": reason, "timeout_seconds": None if for_ is None else for_ / 1000}
    sent = await send(client, "participant/pause", asked, to=[name])
    if as_json:
        print_json({"pause": sent.id, "participant": name, **asked})
        return 0
    show(Text(sent.id))
    until = "until it is resumed" if for_ is None else f"for {duration(for_)}"
    say(f"{name} is paused {until}. `{command_name()} resume {name} {typable(sent.id)}` lifts that.")
    return 0
