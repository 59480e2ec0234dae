"""`mew pause`: pause a participant, for a while or until it is resumed."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer
from rich.text import Text

from mew_gateway.sdk.client import Client

from ...connecting import run_once
from ...connecting.access import find_access
from ...connecting.resume_rights import who_may_send
from ...connecting.sent_envelope import send
from ...framework.failure import STATUSES, mistake
from ...framework.options import JsonOption, ReasonOption, TargetArgument, Where, span
from ...printing.ids import typable
from ...printing.moment import duration
from ...printing.terminal import command_name, print_json, say, show

EXAMPLES = (
    "mew pause solver --for 60s --reason 'the others are talking'",
    "mew pause solver  # until it is resumed",
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
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Pause yourself, too: you cannot lift that.")] = False,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Pause a participant: until resumed it can only finish, answer and give way. Prints the pause's id."""
    access = find_access(where, named=[participant])
    access.api.participant(participant)
    rows: list[dict[str, Any]] = access.api.get("participants")["participants"]
    allowed = who_may_send(rows, "participant/resume", participant)
    work = partial(_pause, name=participant, for_=for_, reason=reason, allowed=allowed, yes=yes, as_json=as_json)
    run_once.run(access, work, as_json=as_json)


async def _pause(
    client: Client, *, name: str, for_: int | None, reason: str | None, allowed: list[str], yes: bool, as_json: bool
) -> int:
    if name == client.welcome.you.id and not yes:
        who = (
            f"only {' or '.join(allowed)} may"
            if allowed
            else "nobody here may, for good"
            if for_ is None
            else "nobody may"
        )
        raise mistake(f"You could send nothing, not even what lifts it; {who}. Say --yes to pause yourself.")
    asked = {"reason": reason, "timeout_seconds": None if for_ is None else for_ / 1000}
    sent = await send(client, "participant/pause", asked, to=[name])
    if as_json:
        print_json({"pause": sent.id, "participant": name, **asked})
        return 0
    show(Text(sent.id))
    until = "until it is resumed" if for_ is None else f"for {duration(for_)}"
    how = f"`{command_name()} resume {name} {typable(sent.id)}` lifts that"
    who = (
        f"; who may: {', '.join(allowed)}"
        if allowed
        else "; nobody else here may"
        if name == client.welcome.you.id
        else ""
    )
    say(f"{name} is paused {until}. {how}{who}.")
    return 0
