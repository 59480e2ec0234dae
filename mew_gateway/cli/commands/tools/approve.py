"""`mew approve`: make the request that a proposal asks for, and print its result."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import msgspec
import typer
from rich.text import Text

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk.client import Client, new_id
from mew_gateway.sdk.exchange.requests import Refused
from mew_gateway.sdk.exchange.rpc import INTERNAL_ERROR, ToolError

from ...connecting import run_once
from ...connecting.access import Access, find_access
from ...connecting.sent_envelope import send
from ...framework.completion import complete_participants
from ...framework.failure import STATUSES, mistake
from ...framework.options import JsonOption, Where, seconds
from ...printing.ids import Candidate, Naming, choose, short
from ...printing.moment import clock
from ...printing.request_result import show_result
from ...printing.terminal import one_line, print_json, say, show
from ...proposals import preview

EXAMPLES = (
    "mew proposals  # what waits",
    "mew approve 1a2b3c4d  # the end of an id is enough, as long as it fits one proposal",
    "mew approve 1a2b3c4d --whole  # the one with this very id, if it is also the end of a longer one",
    "mew approve 1a2b3c4d --to calculator  # of one that is addressed to nobody",
    "mew approve 1a2b3c4d --no-wait --json",
    STATUSES,
)

_TIMEOUT = 60_000  # milliseconds


def approve(
    id: Annotated[str, typer.Argument(metavar="ID", help="The proposal, or the end of its id.")],
    *,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to", metavar="ID", help="Who does it, if it names nobody.", autocompletion=complete_participants
        ),
    ] = None,
    timeout: Annotated[
        int | None,
        typer.Option(
            "--timeout", metavar="SECONDS", parser=seconds, help="Wait no longer for the result; else a minute."
        ),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the result.")] = True,
    naming: Naming,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Approve a proposal: make the very request that it asks for, and print its result. The first approval counts.

    An ID that fits several proposals, open or decided, approves none: they are listed with what to type.
    """
    access = find_access(where)
    proposal = find_proposal(access, id, naming)
    targets = to or proposal["to"]
    if not targets and proposal["status"] == "open":
        raise mistake("It names nobody to do it: say --to, with one of those who can (`mew tools`).")
    within = (_TIMEOUT if timeout is None else timeout) if wait else None
    work = partial(_approve, access=access, proposal=proposal, to=targets, within=within, as_json=as_json)
    run_once.run(access, work, as_json=as_json)


async def _approve(
    client: Client, *, access: Access, proposal: dict[str, Any], to: list[str], within: int | None, as_json: bool
) -> int:
    check_open(proposal)
    who, what = ", ".join(map(one_line, to)), preview.summary(proposal["method"], proposal["params"])
    if not as_json:
        say(f"─ approving {in_words(proposal)}, to be done by {who}", style="dim")
    id = new_id()
    payload = {"jsonrpc": "2.0", "id": id, "method": proposal["method"], "params": proposal["params"]}
    try:
        sent = await send(client, "mcp/request", payload, to=to, correlation_id=[proposal["id"]], id=id)
    except Refused as refused:
        if refused.code in ("proposal_closed", "proposal_rejected"):  # it was decided meanwhile: say by whom
            rows = access.api.every("proposals")
            for row in [row for row in rows if (row["id"], row["proposer"]) == (proposal["id"], proposal["proposer"])]:
                check_open(row)
        raise
    if not as_json:
        say(f"✓ approved: {one_line(proposal['proposer'])}'s {what}, done by {who} ({short(sent.id)})", style="green")
    if within is None:
        if as_json:
            print_json({"request": sent.id, "proposal": proposal["id"]})
        else:
            show(Text(sent.id))
        return 0
    waiting = None if as_json else f"waiting for {who}"
    answer = await sent.answer("mcp/response", within=within, waiting=waiting)
    show_result(_result(answer), as_json=as_json)
    return 0


def find_proposal(access: Access, typed: str, naming: Naming) -> dict[str, Any]:
    """Return the proposal that is meant, of all: also of those already decided. Raises `Failure`.

    A person who listed a proposal before it was decided means that one, not another whose id ends alike.
    """
    rows: list[dict[str, Any]] = access.api.every("proposals")
    found: dict[str, Any] = choose(typed, map(_candidate, rows), what="proposal", naming=naming).row
    return found


def in_words(proposal: dict[str, Any]) -> str:
    """Return the proposal in words, before something is done with it: its proposer, all of it, and its whole id."""
    what = preview.summary(proposal["method"], proposal["params"])
    return f"{one_line(proposal['proposer'])}'s {what} ({one_line(proposal['id'], longest=len(proposal['id']))})"


def _candidate(row: dict[str, Any]) -> Candidate:
    what = f"{preview.summary(row['method'], row['params'])}, {row['status']}"
    return Candidate(row["id"], row["proposer"], what, row, row["status"] == "open")


def check_open(proposal: dict[str, Any]) -> None:
    """Raise `Refused` `proposal_rejected` or `proposal_closed`, with who decided, if it is decided."""
    if proposal["status"] == "open":
        return
    rejection = proposal["rejection"] or {}
    who, why = proposal["fulfiller"] or rejection.get("by"), rejection.get("reason") or proposal["void"]
    by, reason = f" by {who}" if who else "", f" ({why})" if why else ""
    at = clock(proposal["closed_at"])
    raise Refused(
        "proposal_rejected" if rejection else "proposal_closed",
        f"{proposal['proposer']}'s proposal is decided: {proposal['status']}{by} at {at}{reason}.",
        {"status": proposal["status"], "fulfiller": proposal["fulfiller"], "closed_by": proposal["closed_by"]},
    )


def _result(response: Envelope) -> Any:
    """Return the result of a response. Raises `ToolError` for an error."""
    payload = response.payload or {}
    if "error" not in payload:
        return payload.get("result")
    try:
        error = msgspec.convert(payload["error"], _Error)
    except msgspec.ValidationError:
        error = _Error()
    raise ToolError(error.code, f"{response.sender} answered with an error: {error.message}")


class _Error(msgspec.Struct):
    code: int = INTERNAL_ERROR
    message: str = "it does not say which."
