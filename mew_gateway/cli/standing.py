"""How a participant stands: here or not, paused, halted, kicked, shutting down, invited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from . import lifting
from .ids import short
from .lifting import Lifters
from .moment import clock, duration
from .terminal import one_line


def presence(row: dict[str, Any]) -> Text:
    """Whether it is here."""
    if not row["present"]:
        return Text("○ no", style="dim")
    count = row["connections"]
    return Text("● yes" if count in (None, 1) else f"● yes, {count} connections", style="green")


def standing(row: dict[str, Any], lifters: Lifters) -> Text:
    """What keeps it from speaking, a line each, and who may lift a halt; what cannot be seen is said to be hidden."""
    if row["state"] is None:
        return Text("not shown to you", style="dim")
    return Text("\n").join(_facts(row["state"], row["id"], lifters)) or Text("-", style="dim")


def is_held(row: dict[str, Any]) -> bool:
    """Whether it is known to be paused or halted."""
    return row["state"] is not None and bool(row["state"]["pauses"] or row["state"]["halts"])


def _facts(state: dict[str, Any], name: str, lifters: Lifters) -> Iterator[Text]:
    if state["kicked"]:
        yield Text("kicked: may not come back until it is invited", style="bold red")
    ends = state["ends_in_ms"]
    if ends is not None:
        told = f"shutting down, {duration(ends)} left" if ends > 0 else "shut down: joins again to go on"
        yield Text(told, style="yellow")
    for halt in state["halts"]:
        told = f"halted since {clock(halt['at'])} by the emergency {short(halt['interrupt'])}"
        who = lifting.named(lifters.get((name, halt["interrupt"]), ()))
        yield Text.assemble((told, "bold red"), (f"; {who} may lift it", "yellow"))
    for pause in state["pauses"]:
        until = f" until {clock(pause['until'])}" if pause["until"] else ""
        yield Text(f"paused{until} by {one_line(pause['by'])} ({short(pause['id'])})", style="yellow")
    invited = state["invited"]
    if invited is not None:
        yield Text(f"invited by {one_line(invited['by'])}{'' if invited['joined'] else ', has not joined yet'}")
