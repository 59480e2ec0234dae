"""`mew ack`: list the chats that wait for an acknowledgement, and acknowledge or cancel them (§3.4.1, §3.4.2)."""

from __future__ import annotations

import shlex
from functools import partial
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from mew_gateway.sdk.client import Client

from ...connecting import run_once
from ...connecting.access import Access, find_access
from ...connecting.sent_envelope import send
from ...framework.failure import STATUSES, mistake
from ...framework.options import JsonOption, Where
from ...printing.ids import Candidate, Naming, choose, short, unambiguous
from ...printing.moment import clock
from ...printing.terminal import clean, one_line, print_json, say, show
from ...record.chats_to_acknowledge import Chat, Chats

EXAMPLES = (
    "mew ack --space demo  # what waits",
    "mew ack 1a2b3c4d 5e6f7a8b  # you have seen these",
    "mew ack --all --status read",
    "mew ack 1a2b3c4d --cancel --reason handled_elsewhere  # nobody has to see to it any more",
    STATUSES,
)

_ALL = "--all"
_PAGE = 1000
_MAX_ENTRIES = 10_000  # entries of the journal: older chats no longer wait


def ack(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Chats, or the ends of their ids; else a list.")
    ] = None,
    *,
    all_: Annotated[bool, typer.Option(_ALL, help="All that wait.")] = False,
    status: Annotated[str, typer.Option("--status", metavar="WORD", help="received, read, …")] = "received",
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Cancel instead: nobody has to see to it any more. Your own chats, too.")
    ] = False,
    reason: Annotated[
        str, typer.Option("--reason", metavar="CODE", help="With --cancel: handled_elsewhere, duplicate, timeout, …")
    ] = "handled_elsewhere",
    naming: Naming,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """List the chats that wait for your acknowledgement, or acknowledge them."""
    if ids and all_:
        raise mistake("Say either which, or --all.")
    if not ids and (naming.whole or naming.from_ is not None):
        raise mistake("--whole and --from tell which ID is meant: say one.")
    access = find_access(where)
    if not ids and not all_:
        if cancel:
            raise mistake("Cancel which? Say the ids, or --all.")
        if access.participant is None:  # only the gateway knows whose token it is
            run_once.run(access, partial(_join_and_list, access=access, as_json=as_json), as_json=as_json)
        _list(access, access.participant, as_json=as_json)
        return
    kind = "chat/cancel" if cancel else "chat/acknowledge"
    payload = {"reason": reason} if cancel else {"status": status}
    work = partial(_clear, access=access, ids=ids, naming=naming, kind=kind, payload=payload, as_json=as_json)
    run_once.run(access, work, as_json=as_json)


async def _clear(
    client: Client,
    *,
    access: Access,
    ids: list[str] | None,
    naming: Naming,
    kind: str,
    payload: dict[str, Any],
    as_json: bool,
) -> int:
    me = client.welcome.you.id
    chats = _read(access, me)
    chosen = chats.waiting
    if ids is None:
        _check_all(chosen)
    else:
        pool = chats.all if kind == "chat/cancel" else chats.addressed
        waiting = {(one.sender, one.id) for one in chats.waiting}
        known = [_candidate(one, waits=(one.sender, one.id) in waiting) for one in pool]
        meant = {(one.owner, one.id) for one in [choose(id, known, what="chat", naming=naming) for id in ids]}
        chosen = [one for one in pool if (one.sender, one.id) in meant]
    for one in () if as_json else chosen:
        doing = "cancelling" if kind == "chat/cancel" else "acknowledging"
        id = one_line(one.id, longest=len(one.id))
        say(f"─ {doing} the chat of {one_line(one.sender)}: {one_line(one.text)} ({id})", style="dim")
    done = {}
    for one in chosen:  # one answer each: an auditable trail
        to = [one.sender] if one.sender != me else one.to
        done[one.id] = (await send(client, kind, payload, to=to, correlation_id=[one.id])).id
    if as_json:
        print_json({"kind": kind, **payload, "chats": done})
    else:
        word = "cancelled" if kind == "chat/cancel" else "acknowledged"
        count = f"{len(chosen)} chat{'' if len(chosen) == 1 else 's'}"
        say(f"{count} {word}." if chosen else "No chat waits for you.")
    return 0


def _check_all(waiting: list[Chat]) -> None:
    """Raise `Failure` if `--all` may mean one chat, because its sender has called it so."""
    for one in waiting:
        if one.id == _ALL:
            known = [_candidate(other, waits=True) for other in waiting]
            words = shlex.join(unambiguous(_candidate(one, waits=True), known))
            raise mistake(
                f"{_ALL} means every chat that waits, and one that waits is called so, too. Nothing was sent. "
                f"See to that one first:\n  {words}  # {one_line(one.sender)}: {one_line(one.text, longest=60)}"
            )


def _candidate(one: Chat, *, waits: bool) -> Candidate:
    return Candidate(one.id, one.sender, one_line(one.text, longest=60), one, waits)


async def _join_and_list(client: Client, *, access: Access, as_json: bool) -> int:
    _list(access, client.welcome.you.id, as_json=as_json)
    return 0


def _list(access: Access, me: str, *, as_json: bool) -> None:
    chats = _read(access, me)
    waiting = chats.waiting
    if as_json:
        print_json({"chats": [one._asdict() for one in waiting]})
    elif waiting:
        show(_table(waiting, [one.id for one in chats.addressed]))
        say("`mew ack ID…` or `mew ack --all` acknowledges.", style="dim")
    else:
        show(Text("No chat waits for you."))


def _read(access: Access, me: str) -> Chats:
    """Return the recent chats."""
    chats = Chats(me)
    page = access.api.get("history", limit=1)
    newest = page["envelopes"][-1]["position"] if page["envelopes"] else 0
    after: int | None = max(0, newest - _MAX_ENTRIES)
    while after is not None:
        page = access.api.get("history", after=after, limit=_PAGE)
        for placed in page["envelopes"]:
            chats.take(placed["envelope"])
        after = page["next"]
    return chats


def _table(waiting: list[Chat], known: list[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("chat", "at", "who", "to", "said"):
        table.add_column(heading, overflow="fold")
    for one in waiting:
        table.add_row(
            Text(short(one.id, known), style="bold"),
            Text(clock(one.at), style="dim"),
            Text(one_line(one.sender)),
            Text(", ".join(map(one_line, one.to)) or "all"),
            Text(clean(one.text)),
        )
    return table
