"""`mew reject`: reject a proposal, with a reason."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer
from rich.text import Text

from mew_gateway.protocol.reasons import REJECTIONS
from mew_gateway.sdk.client import Client

from ...connecting import run_once
from ...connecting.access import find_access
from ...connecting.sent_envelope import send
from ...framework.failure import STATUSES
from ...framework.options import JsonOption, Where
from ...printing.ids import Naming
from ...printing.terminal import one_line, print_json, say, show
from ...proposals import preview
from .approve import check_open, find_proposal, in_words

EXAMPLES = (
    "mew reject 1a2b3c4d --reason unsafe",
    "mew reject 1a2b3c4d --reason policy --message 'Not on a Friday.'  # told to whom it concerns",
    STATUSES,
)


def _complete_reasons(incomplete: str) -> list[str]:
    return [reason for reason in REJECTIONS if reason.startswith(incomplete)]


def reject(
    id: Annotated[str, typer.Argument(metavar="ID", help="The proposal, or the end of its id.")],
    *,
    reason: Annotated[
        str,
        typer.Option(
            "--reason", metavar="CODE", help="Why: disagree, unsafe, policy, …", autocompletion=_complete_reasons
        ),
    ],
    message: Annotated[
        str | None, typer.Option("--message", "-m", metavar="TEXT", help="What to tell the proposer besides.")
    ] = None,
    naming: Naming,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Reject a proposal: nobody may approve it any more. Its proposer may make a new one that names it."""
    access = find_access(where)
    proposal = find_proposal(access, id, naming)
    run_once.run(
        access, partial(_reject, proposal=proposal, reason=reason, message=message, as_json=as_json), as_json=as_json
    )


async def _reject(client: Client, *, proposal: dict[str, Any], reason: str, message: str | None, as_json: bool) -> int:
    check_open(proposal)
    if not as_json:
        say(f"─ rejecting {in_words(proposal)}", style="dim")
    to = [proposal["proposer"]]
    payload = {"reason": reason, "message": message}
    sent = await send(client, "mcp/reject", payload, to=to, correlation_id=[proposal["id"]])
    if as_json:
        print_json({"rejection": sent.id, "proposal": proposal["id"]})
    else:
        what = preview.summary(proposal["method"], proposal["params"])
        say(f"✗ rejected ({one_line(reason)}): {one_line(proposal['proposer'])}'s {what}", style="red")
        show(Text(sent.id))
    return 0
