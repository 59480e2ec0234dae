"""One dialogue as people read it: its flows with their values, what is asked, and its events as a timeline."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mew_agents.flows.lookup import DialogueSheet, FlowLine
from mew_gateway.cli.printing.ids import short
from mew_gateway.cli.printing.moment import duration
from mew_gateway.cli.printing.terminal import one_line

from .store import short_flow
from .timeline import Told, names_of, shown, timeline
from .waiting import ended, suspension, waits_for

_SPACE = Text("")


def sheet(found: DialogueSheet, *, now: int) -> RenderableType:
    """All of it. `now` in ms since the epoch."""
    told = [Told(one.revision, one.event, str(one.cause.get("by")), one.effects) for one in found.events]
    parts: list[RenderableType] = [*_head(found, now)]
    for line in found.flows:
        parts += [_SPACE, *_flow(line)]
    return Group(*parts, _SPACE, timeline(told, names_of(told)))


def _head(found: DialogueSheet, now: int) -> Iterator[Text]:
    one = found.dialogue
    place = f"{one_line(one.account_id)}/{one_line(one.conversation_id)}"
    yield Text.assemble((f"{one_line(one.participant)} in {place}", "bold"), "  ", (one.dialogue_id, "dim"))
    if found.events:
        since = duration(max(0, now - found.events[0].at))
        yield Text(f"{one.revision} events, the first {since} ago", style="dim")
    if one.suspended is not None:
        yield Text(suspension(one.suspended), style="bold red")
    if not found.flows:
        yield Text.assemble("no flow is under way; the last one: ", ended(one.last))


def _flow(line: FlowLine) -> Iterator[RenderableType]:
    head = Text.assemble((line.name, "bold"), f"  {short_flow(line.flow_id)}  ", (line.version, "dim"))
    yield head
    waits = Text(f"  at {line.step or 'its end'}, waits for {waits_for(line)}", style="yellow")
    if line.work_id is not None:
        waits.append(f" (Work {short(line.work_id)}: `mew fluxi work` shows it)", style="dim")
    yield waits
    if line.values:
        yield _values(line)


def _values(line: FlowLine) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("slot", "value"):
        table.add_column(heading, overflow="fold")
    for path, value in line.values.items():
        table.add_row(Text(one_line(path), style="bold"), Text(shown(value, longest=160)))
    return table
