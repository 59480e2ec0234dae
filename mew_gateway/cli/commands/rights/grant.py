"""`mew grant`: give capabilities to a participant, for a while or until they are revoked."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated, Any

import typer
from rich.text import Text

from mew_gateway.protocol.envelope import timestamp
from mew_gateway.sdk.client import Client

from ...connecting import run_once
from ...connecting.access import find_access
from ...connecting.capability_options import CapabilityOption, KindOption, PayloadOption, ToOption, capabilities
from ...connecting.sent_envelope import send
from ...framework.failure import STATUSES, mistake
from ...framework.options import JsonOption, ReasonOption, TargetArgument, Where, span
from ...printing.ids import typable
from ...printing.moment import duration
from ...printing.terminal import command_name, print_json, say, show

EXAMPLES = (
    "mew grant solver --kind mcp/request --to calculator --expires 1h",
    'mew grant solver --kind mcp/request --payload \'{"method": "tools/call", "params": {"name": "add"}}\'',
    'mew grant solver --capability \'{"kind": "stream/*"}\' --capability @more.json --reason "has earned it"',
    STATUSES,
)


def grant(
    participant: TargetArgument,
    *,
    kind: KindOption = None,
    payload: PayloadOption = None,
    to: ToOption = None,
    capability: CapabilityOption = None,
    expires: Annotated[
        int | None,
        typer.Option(
            "--expires", metavar="DURATION", parser=span, help="For how long: 90s, 30m, 1h; else until revoked."
        ),
    ] = None,
    reason: ReasonOption = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Grant capabilities to a participant. You must hold what you give. Prints the grant's id."""
    given = capabilities(kind, payload, to, capability)
    if not given:
        raise mistake("Grant what? Say --kind, or --capability with a whole pattern.")
    asked = {
        "recipient": participant,
        "capabilities": given,
        "reason": reason,
        "expires_at": None if expires is None else timestamp(time.time_ns() // 1_000_000 + expires),
    }
    access = find_access(where, named=[participant])
    run_once.run(access, partial(_grant, asked=asked, expires=expires, as_json=as_json), as_json=as_json)


async def _grant(client: Client, *, asked: dict[str, Any], expires: int | None, as_json: bool) -> int:
    recipient = asked["recipient"]
    sent = await send(client, "capability/grant", asked, to=[recipient])
    if as_json:
        print_json({"grant": sent.id, **asked})
        return 0
    show(Text(sent.id))
    until = "until it is revoked" if expires is None else f"for {duration(expires)}"
    say(f"{recipient} may do that {until}. `{command_name()} revoke {recipient} {typable(sent.id)}` takes it back.")
    return 0
