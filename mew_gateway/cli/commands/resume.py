"""`mew resume`: let somebody go on who was paused, or halted by an emergency."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from mew_gateway.sdk.client import Client

from .. import errand, lifting
from ..access import Access, find_access
from ..failure import REFUSED
from ..ids import choose, short, typable
from ..lifting import Lifters
from ..options import JsonOption, ReasonOption, TargetArgument, Where
from ..sent import send
from ..standing import is_held
from ..terminal import print_json, say

EXAMPLES = (
    "mew resume solver  # lifts all its pauses",
    "mew resume solver --as guardian  # and its halts, which only who may send emergencies can lift",
    "mew resume solver 1a2b3c4d  # one pause, or the halt of one emergency",
    "mew status  # who is paused or halted, by what, and who may lift a halt",
    "Exit status: 0 done, 1 it failed, 2 a mistake in what was typed, "
    "6 refused; without an ID also where it stays halted.",
)


def resume(
    participant: TargetArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="Pauses or emergencies, or the ends of their ids; else all."),
    ] = None,
    *,
    reason: ReasonOption = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Resume a participant: lift its pauses, and those of its halts that you may lift.

    An emergency's halt is lifted only by who may send emergencies, and is not its target.
    """
    access = find_access(where, named=[participant])
    row = access.api.participant(participant)
    standing = _standing(row["state"])
    # Of one whose state is not shown to us the gateway knows more: let it answer.
    chosen = [choose(id, standing, what="pause or emergency") if standing else id for id in ids or ()]
    lifters = lifting.lifters(access.api, access.api.get("participants")["participants"]) if is_held(row) else {}
    work = partial(_resume, access=access, row=row, lifters=lifters, chosen=chosen, reason=reason, as_json=as_json)
    errand.run(access, work, as_json=as_json)


async def _resume(
    client: Client,
    *,
    access: Access,
    row: dict[str, Any],
    lifters: Lifters,
    chosen: list[str],
    reason: str | None,
    as_json: bool,
) -> int:
    name = row["id"]
    named = chosen or _liftable(row, lifters, client.welcome.you.id)
    sent = None
    if named is not None:
        sent = await send(client, "participant/resume", {"reason": reason}, to=[name], correlation_id=named)
    state = access.api.participant(name)["state"]
    if as_json:
        left = _standing(state)
        lifted = None if state is None else [id for id in _standing(row["state"]) if id not in left]
        print_json({"resume": sent and sent.id, "participant": name, "lifted": lifted, "state": state})
    else:
        say(_still(access, name, state, lifters, was_held=row["state"] is None or is_held(row)))
    return REFUSED if not chosen and state is not None and state["halts"] else 0


def _liftable(row: dict[str, Any], lifters: Lifters, me: str) -> list[str] | None:
    """What a resume has to name to lift all that `me` may lift: nothing for the pauses alone (docs/protocol.md §4).
    None: there is nothing."""
    name, state = row["id"], row["state"]
    if state is None or not state["halts"]:
        return []
    halts = [one["interrupt"] for one in state["halts"] if me in lifters.get((name, one["interrupt"]), ())]
    pauses = [one["id"] for one in state["pauses"]]
    if halts:
        return [*pauses, *halts]
    return [] if pauses else None


def _standing(state: dict[str, Any] | None) -> list[str]:
    """The ids of what keeps it, as far as that is shown."""
    return [] if state is None else [*(one["id"] for one in state["pauses"]), *_emergencies(state)]


def _emergencies(state: dict[str, Any]) -> list[str]:
    return [one["interrupt"] for one in state["halts"]]


def _still(access: Access, name: str, state: dict[str, Any] | None, lifters: Lifters, *, was_held: bool) -> str:
    """Whether it goes on, or what still keeps it."""
    if state is None:
        return f"{name} was told to go on; how it stands is not shown to you. A halt is lifted by its emergency's id."
    if state["halts"]:
        return " ".join(_halted(access, name, id, lifters) for id in _emergencies(state))
    if state["pauses"]:
        left = "another pause stands" if len(state["pauses"]) == 1 else f"{len(state['pauses'])} other pauses stand"
        return f"{name} stays paused: {left}."
    return f"{name} goes on." if was_held else f"{name} was not held."


def _halted(access: Access, name: str, id: str, lifters: Lifters) -> str:
    able = lifters.get((name, id), ())
    how = lifting.call(access, name, able, typable(id))
    return f"{name} stays halted by the emergency {short(id)}: {lifting.named(able)} may lift it with {how}."
