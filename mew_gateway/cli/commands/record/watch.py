"""`mew watch`: follow a space live."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Annotated

import msgspec
import typer
from anyio import to_thread
from rich.console import RenderableType
from rich.text import Text

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Welcome
from mew_gateway.sdk.client import Reconnected

from ...connecting import resume_rights
from ...connecting.access import Access, find_access
from ...connecting.joining import joined
from ...connecting.participant_status import is_restricted, restrictions
from ...framework.completion import complete_kinds, complete_participants
from ...framework.failure import Failure
from ...framework.options import JsonOption, Where
from ...printing.ids import short
from ...printing.moment import duration
from ...printing.terminal import print_json, say, show
from ...proposals import preview
from ...record.envelope_filter import Selection
from ...record.transcript import Transcript

EXAMPLES = (
    "mew watch --space demo",
    "mew watch --space demo --no-thoughts",
    "mew watch --space demo --kind 'reasoning/*' --from solver",
    "mew watch --space demo --json | jq .payload  # one envelope a line",
)


def watch(
    *,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="PATTERN", help="Only these kinds.", autocompletion=complete_kinds),
    ] = None,
    from_: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="ID", help="Only of these senders.", autocompletion=complete_participants),
    ] = None,
    sequence: Annotated[
        str | None, typer.Option("--sequence", metavar="ID", help="Only this sequence: its id, or the end of it.")
    ] = None,
    no_thoughts: Annotated[bool, typer.Option("--no-thoughts", help="Without thoughts.")] = False,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Watch a space live, until Ctrl-C. Comes back by itself when the gateway was away."""
    selection = Selection(kinds=kind or (), senders=from_ or (), sequence=sequence, thoughts=not no_thoughts)
    access = find_access(where)
    try:
        asyncio.run(_watch(access, selection, as_json=as_json))
    except KeyboardInterrupt:
        return


async def _watch(access: Access, selection: Selection, *, as_json: bool) -> None:
    transcript = Transcript()
    async with joined(access) as client:
        await _greet(client.welcome, access, transcript)
        async for item in client:
            if isinstance(item, Reconnected):
                gap = "; not all that was said meanwhile is held" if item.missed else ""
                say(f"─ connected again{gap}; `mew timeline` shows everything", style="yellow")
                await _greet(item.welcome, access, transcript)
                continue
            line = transcript.line(item)  # for every envelope: thoughts that are not shown count, too
            if selection.admits(item):
                _print(item, line, as_json=as_json)


def _print(envelope: Envelope, line: RenderableType | None, *, as_json: bool) -> None:
    if as_json:
        print_json(msgspec.to_builtins(envelope))
    elif line is not None:
        show(line)


async def _greet(welcome: Welcome, access: Access, transcript: Transcript) -> None:
    """Print who is present, and what is already going on."""
    others = ", ".join(one.id for one in welcome.participants) or "nobody else"
    say(f"─ {access.space} as {welcome.you.id}; here: {others}. Ctrl-C ends.", style="dim")
    sequences = [one.id for one in welcome.sequences.open]
    for one in welcome.sequences.open:
        about = f"is thinking since {duration(one.age_ms)}: {short(one.id, sequences)}"
        say(Text(f"─ {one.owner} {about}", style="dim"))
    for stream in welcome.active_streams:
        say(f"─ {stream.get('stream_id')} of {stream.get('owner')} is open", style="dim")
    with contextlib.suppress(Failure):  # the gateway may be gone again a moment later: that is reported then
        rows = await to_thread.run_sync(lambda: access.api.get("participants")["participants"])
        proposals = await to_thread.run_sync(lambda: access.api.every("proposals", open=1))
        rights = await to_thread.run_sync(resume_rights.find_resume_rights, access.api, rows)
        for row in rows:
            if row["state"] is not None:
                transcript.halts.replace(row["id"], [halt["interrupt"] for halt in row["state"]["halts"]])
            if is_restricted(row):
                say(Text.assemble((f"─ {row['id']} is ", "yellow"), restrictions(row, rights)))
        ids = [row["id"] for row in proposals]
        for row in proposals:
            what = f"{row['proposer']} proposes {preview.summary(row['method'], row['params'])}"
            say(f"─ {what}: waits for approval since {duration(row['age_ms'])} {short(row['id'], ids)}", style="yellow")
