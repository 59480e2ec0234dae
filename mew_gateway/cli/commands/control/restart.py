"""`mew restart`: restart a participant; a hosted agent that has ended is started."""

from __future__ import annotations

from functools import partial

from mew_gateway.sdk.client import Client

from ...connecting import run_once
from ...connecting.access import find_access
from ...connecting.sent_envelope import send
from ...framework.failure import STATUSES
from ...framework.options import JsonOption, ReasonOption, TargetArgument, Where
from ...printing.terminal import print_json, say

EXAMPLES = (
    "mew restart solver --reason 'it repeats itself'",
    "mew status  # why one is not here",
    STATUSES,
)


def restart(
    participant: TargetArgument,
    *,
    reason: ReasonOption = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Restart a participant: its runs are cancelled. A hosted one that is not here is started."""
    access = find_access(where, named=[participant])
    present = access.api.participant(participant)["present"]
    work = partial(_restart, name=participant, reason=reason, present=present, as_json=as_json)
    run_once.run(access, work, as_json=as_json)


async def _restart(client: Client, *, name: str, reason: str | None, present: bool, as_json: bool) -> int:
    sent = await send(client, "participant/restart", {"reason": reason}, to=[name])
    if as_json:
        print_json({"restart": sent.id, "participant": name, "present": present})
    elif present:
        say(f"{name} is asked to restart.")
    else:
        say(f"{name} is not here; if the gateway hosts it, it is started; see `mew status`.")
    return 0
