"""The state of a participant in words: present or not, paused, halted, kicked, shutting down, invited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from mew_gateway.gateway.hosting.process_status import ProcessStatus

from ..printing.ids import short
from ..printing.moment import clock, duration
from ..printing.terminal import one_line
from . import resume_rights
from .resume_rights import ResumeRights


def presence(row: dict[str, Any], process: ProcessStatus | None = None) -> Text:
    """Say whether it is present, and why not if its `process` is known (only for agents that a local gateway hosts)."""
    if not row["present"]:
        return Text.assemble(("○ no", "dim"), ("" if process is None else f": {process.why_away(duration)}", "yellow"))
    count = row["connections"]
    here = Text("● yes" if count in (None, 1) else f"● yes, {count} connections", style="green")
    if process is not None and process.failures > 1:
        here.append(f", after failing {process.failures} times in a row", style="yellow")
    return here


def activity(row: dict[str, Any], sequences: list[dict[str, Any]]) -> Text:
    """List what it reasons about now, a line for each open sequence."""
    parts = []
    ids = [one["id"] for one in sequences if one["owner"] == row["id"]]
    for one in sequences:
        if one["owner"] == row["id"]:
            thoughts = f"{one['thoughts']} thought{'' if one['thoughts'] == 1 else 's'}"
            what = one_line(one["message"]) if one["message"] else "thinks"
            state = "" if one["state"] == "open" else f", {one['state'].replace('_', ' ')}"
            about = f"  {thoughts} in {duration(one['age_ms'])}{state}  {short(one['id'], ids)}"
            parts.append(Text.assemble((what, "bold"), (about, "dim")))
    return Text("\n").join(parts) or Text("-", style="dim")


def restrictions(row: dict[str, Any], rights: ResumeRights) -> Text:
    """List what keeps it from sending, a line each, with who may lift a halt; or say that the state is not shown."""
    if row["state"] is None:
        return Text("not shown to you", style="dim")
    return Text("\n").join(_restriction_lines(row["state"], row["id"], rights)) or Text("-", style="dim")


def is_restricted(row: dict[str, Any]) -> bool:
    """Return true if it is known to be paused or halted."""
    return row["state"] is not None and bool(row["state"]["pauses"] or row["state"]["halts"])


def _restriction_lines(state: dict[str, Any], name: str, rights: ResumeRights) -> Iterator[Text]:
    if state["kicked"]:
        yield Text("kicked: may not come back until it is invited", style="bold red")
    ends = state["ends_in_ms"]
    if ends is not None:
        parts = f"shutting down, {duration(ends)} left" if ends > 0 else "shut down: joins again to go on"
        yield Text(parts, style="yellow")
    ids = [*(one["interrupt"] for one in state["halts"]), *(one["id"] for one in state["pauses"])]
    for halt in state["halts"]:
        parts = f"halted since {clock(halt['at'])} by the emergency {short(halt['interrupt'], ids)}"
        who = resume_rights.subject(rights.get((name, halt["interrupt"]), ()))
        yield Text.assemble((parts, "bold red"), (f"; {who} may lift it", "yellow"))
    for pause in state["pauses"]:
        until = f" until {clock(pause['until'])}" if pause["until"] else ""
        yield Text(f"paused{until} by {one_line(pause['by'])} ({short(pause['id'], ids)})", style="yellow")
    invited = state["invited"]
    if invited is not None:
        yield Text(f"invited by {one_line(invited['by'])}{'' if invited['joined'] else ', has not joined yet'}")
