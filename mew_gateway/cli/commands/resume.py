"""`mew resume`: let somebody go on who was paused, or halted by an emergency."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from mew_gateway.sdk.client import Client

from .. import errand
from ..access import Access, find_access
from ..hints import command_name
from ..ids import choose, typable
from ..options import (
    CONFIG,
    AsOption,
    ConfigOption,
    JsonOption,
    ReasonOption,
    SpaceOption,
    TargetArgument,
    TokenOption,
    UrlOption,
    Where,
)
from ..sent import send
from ..terminal import print_json, say

EXAMPLES = (
    "mew resume solver  # lifts all its pauses",
    "mew resume solver 1a2b3c4d  # one pause, or the halt of one emergency",
    "mew status  # who is paused or halted, and by what",
    errand.STATUSES,
)


def resume(
    participant: TargetArgument,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Pauses or emergencies, or the ends of their ids.")
    ] = None,
    *,
    reason: ReasonOption = None,
    as_json: JsonOption = False,
    space: SpaceOption = None,
    as_: AsOption = None,
    config: ConfigOption = CONFIG,
    url: UrlOption = None,
    token: TokenOption = None,
) -> None:
    """Resume a participant: lift its pauses. An emergency's halt is lifted by its id, by who may send emergencies."""
    access = find_access(Where(space, as_, config, url, token), named=[participant])
    state = access.api.participant(participant)["state"] or {"pauses": [], "halts": []}
    standing = [one["id"] for one in state["pauses"]] + [one["interrupt"] for one in state["halts"]]
    # Of one whose state is not shown to us the gateway knows more: let it answer.
    chosen = [choose(id, standing, what="pause or emergency") if standing else id for id in ids or ()]
    work = partial(_resume, access=access, name=participant, ids=chosen, reason=reason, as_json=as_json)
    errand.run(access, work, as_json=as_json)


async def _resume(
    client: Client, *, access: Access, name: str, ids: list[str], reason: str | None, as_json: bool
) -> int:
    sent = await send(client, "participant/resume", {"reason": reason}, to=[name], correlation_id=ids)
    state = access.api.participant(name)["state"]
    if as_json:
        print_json({"resume": sent.id, "participant": name, "lifted": ids or None, "state": state})
        return 0
    say(_still(name, state))
    return 0


def _still(name: str, state: dict[str, Any] | None) -> str:
    """Whether it goes on, or what still keeps it."""
    halts, pauses = (state["halts"], state["pauses"]) if state is not None else ([], [])
    if halts:
        how = f"`{command_name()} resume {name} {typable(halts[0]['interrupt'])}`, as who may send emergencies"
        return f"{name} stays halted by {'an emergency' if len(halts) == 1 else f'{len(halts)} emergencies'}: {how}."
    if pauses:
        left = "another pause stands" if len(pauses) == 1 else f"{len(pauses)} other pauses stand"
        return f"{name} stays paused: {left}."
    return f"{name} goes on."
