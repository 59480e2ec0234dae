"""`mew halt`: send an emergency for every open sequence of a space."""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial
from typing import Annotated, Any

import typer
from rich.text import Text

from mew_gateway.protocol.reasons import EMERGENCY
from mew_gateway.sdk.client import Client
from mew_gateway.sdk.exchange.requests import Refused

from ...connecting import run_once
from ...connecting.access import Access, find_access
from ...connecting.resume_rights import grant_advice
from ...connecting.sent_envelope import send
from ...framework.failure import REFUSED, STATUSES, Failure, mistake
from ...framework.options import JsonOption, Where
from ...printing.ids import short
from ...printing.terminal import command_name, one_line, print_json, say, show

EXAMPLES = (
    "mew halt --space demo --as guardian --message 'smoke in the room'",
    "mew halt --as guardian --yes  # does not ask; nor does it where there is no terminal",
    "mew resume solver --as guardian  # afterwards, each of them",
    STATUSES,
)


def halt(
    *,
    message: Annotated[str | None, typer.Option("--message", "-m", help="Why, for the record and all here.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Halt all participants that reason in a space: an emergency for every open sequence. Waits for no answer.

    Who is halted begins nothing and does nothing more, across restarts too, until `mew resume`.
    """
    access = find_access(where)
    sequences: list[dict[str, Any]] = access.api.every("sequences", open=1)
    if not sequences:
        raise mistake(f"Nobody reasons in {access.space}: nothing is there to halt. `mew pause` keeps one from it.")
    owners = ", ".join(dict.fromkeys(one_line(one["owner"]) for one in sequences))
    if not yes and sys.stdin.isatty() and sys.stderr.isatty():
        say(Text(f"{owners} will be halted, until a participant that may send emergencies resumes them.", "bold red"))
        if not typer.confirm("Send the emergencies?", err=True):
            raise Failure("Nothing was sent.")
    run_once.run(access, partial(_halt, access=access, sequences=sequences, message=message, as_json=as_json))


async def _halt(
    client: Client, *, access: Access, sequences: list[dict[str, Any]], message: str | None, as_json: bool
) -> int:
    results = [await _halt_one(client, one, message) for one in in_turns(sequences)]
    if as_json:
        print_json({"halted": results})
    else:
        for one in results:
            show(_line(one))
        if any(one["refusal"] == "capability_violation" for one in results):
            say(f"You may not send emergencies. {grant_advice(access)}", style="yellow")
        say(f"`{command_name()} interrupts` shows what they answer; `{command_name()} resume NAME` lets one go on.")
    return REFUSED if any(one["refusal"] for one in results) else 0


def in_turns(sequences: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the sequences with one of each owner first. One halts its owner, so an
    owner with many open sequences does not delay the others."""
    seen: Counter[str] = Counter()
    turns: list[int] = []
    for one in sequences:
        turns.append(seen[one["owner"]])
        seen[one["owner"]] += 1
    return [one for _, one in sorted(zip(turns, sequences, strict=True), key=lambda pair: pair[0])]


async def _halt_one(client: Client, sequence: dict[str, Any], message: str | None) -> dict[str, Any]:
    """Send one emergency. Return its target, and its id or the refusal; once accepted, it halts at once."""
    owner, about = sequence["owner"], sequence["id"]
    payload = {"reason": "error", "class": EMERGENCY, "message": message or f"{client.welcome.you.id} halts everybody."}
    result = {"target": owner, "sequence": about, "interrupt": None, "refusal": None}
    try:
        sent = await send(client, "reasoning/interrupt", payload, to=[owner], correlation_id=[about])
    except Refused as error:
        return {**result, "refusal": error.code}
    return {**result, "interrupt": sent.id}


def _line(one: dict[str, Any]) -> Text:
    name = one_line(one["target"])
    if one["refusal"] == "sequence_closed":
        return Text(f"─ {name} had ended {short(one['sequence'])} already", "dim")
    if one["refusal"]:
        return Text(f"✗ {name} is not halted: {one['refusal']}", "bold red")
    return Text.assemble((f"■ {name} is halted", "bold red"), (f"  {short(one['interrupt'])}", "dim"))
