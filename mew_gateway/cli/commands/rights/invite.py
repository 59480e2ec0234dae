"""`mew invite`: invite a participant into a space, and print its token."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.text import Text

from mew_gateway.sdk.client import Client
from mew_gateway.sdk.exchange.requests import TimedOut

from ...connecting import run_once
from ...connecting.access import Access, find_access
from ...connecting.capability_options import CapabilityOption, KindOption, PayloadOption, ToOption, capabilities
from ...connecting.sent_envelope import send
from ...framework.failure import STATUSES, mistake
from ...framework.options import JsonOption, ReasonOption, Where
from ...printing.terminal import command_name, print_json, say, show

EXAMPLES = (
    "mew invite reviewer --kind chat --kind mcp/proposal",
    "mew invite reviewer --kind chat --token-file reviewer.token  # the token is not printed",
    "mew invite solver  # one that is configured and was kicked may come back",
    STATUSES,
)

_ANSWERED = 10_000  # milliseconds


def invite(
    participant: Annotated[str, typer.Argument(metavar="PARTICIPANT", help="What the newcomer is called.")],
    *,
    kind: KindOption = None,
    payload: PayloadOption = None,
    to: ToOption = None,
    capability: CapabilityOption = None,
    reason: ReasonOption = None,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="FILE", help="Write the token to a new file that only you can read."),
    ] = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Invite a participant. Its token is printed once: anyone who has it can act as this participant."""
    access = find_access(where)
    asked = {
        "participant_id": participant,
        "initial_capabilities": capabilities(kind, payload, to, capability) or None,
        "reason": reason,
    }
    with _opened(token_file) as file:
        work = partial(_invite, access=access, asked=asked, file=file, token_file=token_file, as_json=as_json)
        run_once.run(access, work, as_json=as_json)


async def _invite(
    client: Client,
    *,
    access: Access,
    asked: dict[str, Any],
    file: TextIO | None,
    token_file: Path | None,
    as_json: bool,
) -> int:
    sent = await send(client, "space/invite", asked)
    try:
        answer = (await sent.answer("space/invite-ack", within=_ANSWERED, waiting=None)).payload or {}
    except TimedOut as error:
        raise TimedOut(f"{error} It is invited, and its token is not known: invite it again for another.") from None
    token = answer.get("token")
    if token is not None and file is not None:
        file.write(f"{token}\n")
        file.flush()
    if as_json:
        shown = {**answer, "token": None, "token_file": str(token_file)} if file is not None else answer
        print_json({"invitation": sent.id, **shown})
        return 0
    name = asked["participant_id"]
    if token is None:
        say(f"{name} may come back, with the token it has.")
        return 0
    if file is None:
        show(Text(token))
    where = f"$(cat {token_file})" if file is not None else "…"
    say(f"{name} is invited to {access.space}. Its token is printed only this once. It joins with")
    say(f"  MEW_TOKEN={where} {command_name()} watch --space {access.space} --url {access.url}", style="bold")
    say("and a program with MEW_URL, MEW_SPACE and MEW_TOKEN in its environment.")
    return 0


@contextlib.contextmanager
def _opened(path: Path | None) -> Iterator[TextIO | None]:
    """Create the token's file for the block, readable by its owner only; remove it if it stays empty. Raises
    `Failure`."""
    if path is None:
        yield None
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise mistake(f"--token-file {path}: {error.strerror}.") from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        try:
            yield file
        finally:
            if file.tell() == 0:
                path.unlink(missing_ok=True)
