"""The events of a dialogue as a timeline: what happened, and under it everything that came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, assert_never

import msgspec
from rich.table import Table
from rich.text import Text

from mew_agents.flows.commands import AnyCommand, CorrectSlot, SetSlot, StartFlow
from mew_agents.flows.effects import (
    Act,
    AnyEffect,
    Ask,
    CallOff,
    Close,
    Finished,
    Open,
    Page,
    Reply,
    Started,
    Stepped,
)
from mew_agents.flows.events import AnyEvent, Commanded, Heard, Sending, name_of
from mew_agents.fluxi.canonical import written
from mew_gateway.cli.printing.ids import short
from mew_gateway.cli.printing.moment import clock_of, duration
from mew_gateway.cli.printing.terminal import one_line

from .waiting import OUTCOMES

_LONGEST = 100
# What says when, and what would only be read by programs.
_LEFT_OUT = ("event", "at", "content", "request", "cursor")


class Told(NamedTuple):
    """An event with what came of it. `by`: who caused it. `differences` from the record, where it was done again."""

    revision: int
    event: AnyEvent
    by: str
    effects: Sequence[AnyEffect]
    differences: Sequence[str] = ()


def timeline(told: Iterable[Told], names: Mapping[str, str]) -> Table:
    """A row an event and a row an effect, with the time since the first one. `names` of flows by their ids."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    first: int | None = None
    for one in told:
        first = one.event.at if first is None else first
        since = one.event.at - first
        when = f"+{duration(since)}" if since > 0 else clock_of(one.event.at)
        grid.add_row(Text(when, style="dim"), Text(str(one.revision), style="dim"), _event(one))
        for effect in one.effects:
            grid.add_row("", "", Text("  ").append_text(_effect(effect, names)))
        for difference in one.differences:
            grid.add_row("", "", Text(f"  ≠ {one_line(difference)}", style="bold red"))
    return grid


def names_of(told: Iterable[Told]) -> dict[str, str]:
    """What the flows of a dialogue are called, by their ids."""
    return {effect.flow_id: effect.name for one in told for effect in one.effects if isinstance(effect, Started)}


def shown(value: Any, *, longest: int = 60) -> str:
    """A value on one line: texts as they are, anything else as JSON."""
    return one_line(value if isinstance(value, str) else written(value), longest=longest)


def _event(one: Told) -> Text:
    match one.event:
        case Heard(text=text):
            return Text.assemble((f"{one_line(one.by)}: ", "bold"), f"“{one_line(text, longest=_LONGEST)}”")
        case Commanded(command=command):
            return Text(_command(command), style="cyan")
        case Sending():
            return Text("sending", style="cyan")
        case _:
            plain = msgspec.to_builtins(one.event)
            parts = [_part(name, value) for name, value in plain.items() if name not in _LEFT_OUT and value is not None]
            return Text.assemble((name_of(one.event), "cyan"), "".join(f"  {part}" for part in parts if part))


def _part(name: str, value: Any) -> str:
    return f"{name} {short(value) if name in ('key', 'work_id') else shown(value)}" if value else ""


def _command(command: AnyCommand) -> str:
    name = str(type(command).__struct_config__.tag)
    match command:
        case StartFlow():
            rivals = f" (or {', '.join(command.rivals)})" if command.rivals else ""
            return f"{name} {command.flow}{rivals}"
        case SetSlot() | CorrectSlot():
            doubtful = "" if command.checked else ", to be asked back"
            evidence = f"“{one_line(command.evidence, longest=60)}”"
            return f"{name} {command.path} = {shown(command.value)} from {evidence}{doubtful}"
        case _:
            return name


def _effect(effect: AnyEffect, names: Mapping[str, str]) -> Text:
    match effect:
        case Started():
            return Text(f"{effect.name} begins ({effect.version})", style="dim")
        case Stepped():
            return Text(f"{names.get(effect.flow_id, '')}: {effect.step}", style="dim")
        case Ask():
            about = "" if effect.path is None else f" about {effect.path}"
            return Text(f"asks at {effect.step}{about}, and waits", style="yellow")
        case Close():
            return Text(f"the question is {effect.status}", style="dim")
        case Act():
            return Text(f"calls {effect.tool} {shown(dict(effect.arguments), longest=_LONGEST)}")
        case Open():
            return Text(f"the effect {effect.step} is to happen, once: Work {short(effect.work_id)}", style="bold")
        case CallOff():
            return Text(f"the Work {short(effect.work_id)} is to be called off")
        case Finished():
            why = "" if effect.code == effect.outcome else f": {one_line(effect.code)}"
            why += "" if effect.why is None else f" ({one_line(effect.why)})"
            return Text(f"{effect.name} {effect.outcome}{why}", style=OUTCOMES[effect.outcome])
        case Page():
            return Text(f"a person is wanted: {one_line(effect.text)}", style="bold yellow")
        case Reply():
            return Text(f"← {one_line(effect.text, longest=2 * _LONGEST)}", style="bold")
        case _:
            assert_never(effect)
