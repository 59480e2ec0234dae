"""`mew resume`: lift a participant's pauses and halts."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from mew_gateway.protocol.reasons import EMERGENCY
from mew_gateway.sdk.client import Client

from ...connecting import resume_rights, run_once
from ...connecting.access import Access, find_access
from ...connecting.participant_status import is_restricted
from ...connecting.past_envelopes import past_envelopes
from ...connecting.resume_rights import ResumeRights, subject
from ...connecting.sent_envelope import send
from ...framework.failure import REFUSED, mistake
from ...framework.options import JsonOption, ReasonOption, TargetArgument, Where
from ...printing.ids import Candidate, Naming, choose, short, typable
from ...printing.moment import clock
from ...printing.terminal import one_line, print_json, say

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
    naming: Naming,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Resume a participant: lift its pauses, and those of its halts that you may lift.

    An emergency's halt is lifted only by who may send emergencies, and is not its target.
    """
    access = find_access(where, named=[participant])
    row = access.api.participant(participant)
    if not ids and (naming.whole or naming.from_ is not None):
        raise mistake("--whole and --from tell which ID is meant: say one.")
    # If its state is not shown to us, the gateway knows more: let it answer.
    chosen = list(ids or ())
    if ids and _current_ids(row["state"]):
        known = _candidates(access, participant, row["state"])
        meant = [choose(id, known, what="pause or emergency", naming=naming) for id in ids]
        chosen = [one.id for one in meant]
        for one in () if as_json else meant:
            id = one_line(one.id, longest=len(one.id))
            say(f"─ lifting {one.what} of {one_line(participant)}, by {one_line(one.owner)} ({id})", style="dim")
    rights = (
        resume_rights.find_resume_rights(access.api, access.api.get("participants")["participants"])
        if is_restricted(row)
        else {}
    )
    work = partial(_resume, access=access, row=row, rights=rights, chosen=chosen, reason=reason, as_json=as_json)
    run_once.run(access, work, as_json=as_json)


async def _resume(
    client: Client,
    *,
    access: Access,
    row: dict[str, Any],
    rights: ResumeRights,
    chosen: list[str],
    reason: str | None,
    as_json: bool,
) -> int:
    name = row["id"]
    named = chosen or _liftable(row, rights, client.welcome.you.id)
    sent = None
    if named is not None:
        sent = await send(client, "participant/resume", {"reason": reason}, to=[name], correlation_id=named)
    state = access.api.participant(name)["state"]
    if as_json:
        left = _current_ids(state)
        lifted = None if state is None else [id for id in _current_ids(row["state"]) if id not in left]
        print_json({"resume": sent and sent.id, "participant": name, "lifted": lifted, "state": state})
    else:
        say(_outcome(access, name, state, rights, was_held=row["state"] is None or is_restricted(row)))
    return REFUSED if not chosen and state is not None and state["halts"] else 0


def _liftable(row: dict[str, Any], rights: ResumeRights, me: str) -> list[str] | None:
    """Return the ids that a resume must name to lift all that `me` may lift; None if there is nothing to lift.

    To lift pauses alone it names none (docs/protocol.md §4).
    """
    name, state = row["id"], row["state"]
    if state is None or not state["halts"]:
        return []
    halts = [one["interrupt"] for one in state["halts"] if me in rights.get((name, one["interrupt"]), ())]
    pauses = [one["id"] for one in state["pauses"]]
    if halts:
        return [*pauses, *halts]
    return [] if pauses else None


def _current_ids(state: dict[str, Any] | None) -> list[str]:
    """Return the ids of its pauses and emergencies, as far as they are shown."""
    return [] if state is None else [*(one["id"] for one in state["pauses"]), *_emergencies(state)]


def _candidates(access: Access, name: str, state: dict[str, Any]) -> list[Candidate]:
    """Return its pauses and emergencies, the newest past ones included."""
    standing = _current_ids(state)
    found = [
        Candidate(one["id"], one["from"], "a pause that is over", live=False)
        for one in past_envelopes(access, "participant/pause")
        if name in (one.get("to") or ()) and one["id"] not in standing
    ]
    senders = {}
    for one in access.api.every("interrupts"):
        if one["class"] == EMERGENCY and one["target"] == name:
            senders[one["id"]] = one["from"]
            if one["id"] not in standing:
                found.append(Candidate(one["id"], one["from"], "an emergency that is over", live=False))
    found += [Candidate(one["id"], one["by"], f"a pause since {clock(one['at'])}") for one in state["pauses"]]
    for one in state["halts"]:
        what = f"the emergency of {clock(one['at'])}"
        found.append(Candidate(one["interrupt"], senders.get(one["interrupt"], ""), what))
    return found


def _emergencies(state: dict[str, Any]) -> list[str]:
    return [one["interrupt"] for one in state["halts"]]


def _outcome(access: Access, name: str, state: dict[str, Any] | None, rights: ResumeRights, *, was_held: bool) -> str:
    """Say that it goes on, or what still restricts it."""
    if state is None:
        return f"{name} was asked to go on; its state is not shown to you. A halt is lifted by its emergency's id."
    if state["halts"]:
        return " ".join(_halt_sentence(access, name, id, rights, _current_ids(state)) for id in _emergencies(state))
    if state["pauses"]:
        left = "another pause stands" if len(state["pauses"]) == 1 else f"{len(state['pauses'])} other pauses stand"
        return f"{name} stays paused: {left}."
    return f"{name} goes on." if was_held else f"{name} was not held."


def _halt_sentence(access: Access, name: str, id: str, rights: ResumeRights, known: list[str]) -> str:
    allowed = rights.get((name, id), ())
    how = resume_rights.resume_command(access, name, allowed, typable(id, known))
    return f"{name} stays halted by the emergency {short(id, known)}: {subject(allowed)} may lift it with {how}."
