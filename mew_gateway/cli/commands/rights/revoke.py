"""`mew revoke`: take capabilities from a participant, at once."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from mew_gateway.sdk.client import Client

from ...connecting import run_once
from ...connecting.access import Access, find_access
from ...connecting.capability_options import CapabilityOption, KindOption, PayloadOption, ToOption, capabilities
from ...connecting.past_envelopes import past_envelopes
from ...connecting.sent_envelope import send
from ...framework.failure import STATUSES, mistake
from ...framework.options import JsonOption, ReasonOption, TargetArgument, Where
from ...printing.ids import Candidate, Naming, choose, short
from ...printing.terminal import one_line, print_json, say
from .grants import patterns

EXAMPLES = (
    "mew grants solver  # what was given, and the ids",
    "mew revoke solver 1a2b3c4d  # one grant",
    "mew revoke solver --kind 'mcp/*'  # whatever that pattern covers, the configured capabilities too",
    STATUSES,
)


def revoke(
    participant: TargetArgument,
    grant_id: Annotated[
        str | None, typer.Argument(metavar="[GRANT_ID]", help="The grant, or the end of its id.")
    ] = None,
    *,
    kind: KindOption = None,
    payload: PayloadOption = None,
    to: ToOption = None,
    capability: CapabilityOption = None,
    reason: ReasonOption = None,
    naming: Naming,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Revoke one grant, or every capability that a pattern covers. In force before anything else is said."""
    taken = capabilities(kind, payload, to, capability)
    if bool(taken) == (grant_id is not None):
        raise mistake("Revoke what? Say either a grant's id (`mew grants`) or --kind or --capability.")
    access = find_access(where, named=[participant])
    asked: dict[str, Any] = {"recipient": participant, "reason": reason}
    if grant_id is not None:
        grant = _grant(access, participant, grant_id, naming)
        asked["grant_id"] = grant.id
        if not as_json:
            say(
                f"─ revoking the grant {one_line(grant.id, longest=len(grant.id))} of {_description(grant)}",
                style="dim",
            )
    elif naming.whole or naming.from_ is not None:
        raise mistake("--whole and --from tell which GRANT_ID is meant: say one.")
    else:
        asked["capabilities"] = taken
    run_once.run(access, partial(_revoke, asked=asked, as_json=as_json), as_json=as_json)


async def _revoke(client: Client, *, asked: dict[str, Any], as_json: bool) -> int:
    sent = await send(client, "capability/revoke", asked, to=[asked["recipient"]])
    if as_json:
        print_json({"revocation": sent.id, **asked})
    else:
        what = f"the grant {short(asked['grant_id'])}" if "grant_id" in asked else "what that pattern covers"
        say(f"{asked['recipient']} has lost {what}.")
    return 0


def _grant(access: Access, participant: str, typed: str, naming: Naming) -> Candidate:
    """Return the grant that is meant, of current and past ones."""
    standing = [one for one in access.api.every("grants") if one["recipient"] == participant]
    ids = [one["id"] for one in standing]
    given = [
        (one, one.get("payload") or {}) for one in past_envelopes(access, "capability/grant") if one["id"] not in ids
    ]
    over = [
        Candidate(one["id"], one["from"], "over", live=False)
        for one, payload in given
        if payload.get("recipient") == participant
    ]
    now = [Candidate(one["id"], one["granter"], _what(one)) for one in standing]
    return choose(typed, [*over, *now], what=f"grant to {participant}", naming=naming)


def _what(grant: dict[str, Any]) -> str:
    return one_line(", ".join(patterns(grant["capabilities"]).plain.split("\n")))


def _description(grant: Candidate) -> str:
    return f"{one_line(grant.owner)}: {grant.what}"
