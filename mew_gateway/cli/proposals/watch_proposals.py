"""Live view of open proposals: a table that is redrawn on a terminal, else a line for each event."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import anyio
from anyio import to_thread
from rich import box
from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from mew_gateway.sdk.client import Client, Item, Reconnected

from ..connecting.access import Access
from ..connecting.joining import joined
from ..framework.failure import Failure
from ..printing.ids import short
from ..printing.moment import duration
from ..printing.terminal import one_line, out, print_json, say, show
from . import preview
from .open_proposals import OpenProposal, OpenProposals, ProposalEvent

_REDRAW = 1.0  # seconds: ages are shown
_REFRESH = 5_000  # milliseconds between reads of the list: with addressed routing some envelopes do not arrive here
_MARKS = {"proposed": ("+", "bold yellow"), "rejected": ("!", "red"), "fulfilled": ("✓", "green")}


class ProposalsWatch:
    """Shows the proposals of a space until it is cancelled. A decision by anyone removes one from the list."""

    def __init__(self, access: Access, *, as_json: bool) -> None:
        self._access = access
        self._as_json = as_json
        self._proposals = OpenProposals(_now)
        self._live: Live | None = None
        self._filled_at = 0
        self._ids: dict[str, None] = {}  # of all proposals, also decided ones, so that each shortened id is unambiguous

    async def run(self) -> None:
        """Join and show. Raises `Failure` if no connection can be made."""
        async with joined(self._access) as client:
            say(f"─ proposals in {self._access.space} as {client.welcome.you.id}. Ctrl-C ends.", style="dim")
            with self._screen():
                self._print(await self._refresh())
                while True:
                    self._print(await self._next_events(client))

    @contextlib.contextmanager
    def _screen(self) -> Iterator[None]:
        if self._as_json or not out().is_terminal:
            yield
            return
        with Live(console=out(), auto_refresh=False, vertical_overflow="visible") as self._live:
            yield

    async def _next_events(self, client: Client) -> list[ProposalEvent]:
        """Return the events of the next envelope, none if nothing comes for a while."""
        item: Item | None = None
        with anyio.move_on_after(_REDRAW):
            item = await client.receive()
        if item is None or isinstance(item, Reconnected):
            is_due = item is not None or _now() - self._filled_at >= _REFRESH
            return await self._refresh() if is_due else []
        return self._proposals.take(item)

    async def _refresh(self) -> list[ProposalEvent]:
        self._filled_at = _now()
        try:
            found = await to_thread.run_sync(lambda: self._access.api.every("proposals"))
        except Failure:
            return []  # the connection reports when it is back
        self._ids = dict.fromkeys(row["id"] for row in found)
        return self._proposals.fill(found)

    def _print(self, events: list[ProposalEvent]) -> None:
        self._ids |= dict.fromkeys(one.proposal.id for one in events)
        for one in events:
            if self._as_json:
                print_json(_as_object(one))
            elif self._live is None:
                show(_line(one, self._ids))
            elif one.outcome != "proposed":
                self._live.console.print(_line(one, self._ids))
        if self._live is not None:
            self._live.update(_table(self._proposals.waiting, self._ids), refresh=True)


def _now() -> int:
    return time.monotonic_ns() // 1_000_000


def _line(event: ProposalEvent, ids: Iterable[str]) -> Text:
    mark, style = _MARKS.get(event.outcome, ("−", "yellow"))
    one, what = event.proposal, event.outcome
    who = f" by {one_line(event.by)}" if event.by and what != "proposed" else ""
    why = f": {one_line(event.reason)}" if event.reason else ""
    to = ", ".join(map(one_line, one.to)) or "anybody"
    text = f"{one_line(one.proposer)} → {to}: {preview.summary(one.method, one.params)}"
    return Text.assemble(
        (f"{datetime.now():%H:%M:%S} ", "dim"),
        (f"{mark} {what}{who}{why}", style),
        f"  {text}  ",
        (short(one.id, ids), "dim"),
    )


def _as_object(event: ProposalEvent) -> dict[str, Any]:
    one = event.proposal
    proposal = {"id": one.id, "proposer": one.proposer, "to": one.to, "method": one.method, "params": one.params}
    return {"event": event.outcome, "by": event.by, "reason": event.reason, "proposal": proposal}


def _table(waiting: list[OpenProposal], ids: Iterable[str]) -> RenderableType:
    if not waiting:
        return Text("No proposal is waiting.", style="dim")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("proposal", "age", "who", "asks for"):
        table.add_column(heading, overflow="fold")
    for one in waiting:
        to = ", ".join(map(one_line, one.to)) or "anybody"
        table.add_row(
            Text(short(one.id, ids), style="bold"),
            Text(duration(max(0, _now() - one.since) // 1000 * 1000)),
            Text(f"{one_line(one.proposer)} → {to}"),
            preview.details(one.method, one.params),
        )
    return Group(table, Text("`mew approve ID` says yes, `mew reject ID --reason …` no.", style="dim"))
