"""The report of a verification: one line an agent, and every fault with its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from rich.text import Text

from mew_gateway.config import load
from mew_gateway.errors import MewError

from ..connecting.access import find_access
from ..connecting.configured_access import choose_space
from ..framework.options import Where
from ..printing.terminal import print_json, say, show
from .progress_bar import advancing
from .timeline_files import AgentFile, agent_files, chosen_files
from .verification import MOST_FAULTS, Anchors, Verified, anchors_in, missing, verified

_STYLES = {"changed": "red", "missing": "bold red", "added": "bold red", "reordered": "red"}

_LACKS = {
    "no_update": "entries could be changed",
    "no_delete": "entries could be dropped",
    "in_order": "entries could be replaced, or given any number",
}


def report(where: Where, *, agent: str | None, file: Path | None, as_json: bool) -> bool:
    """Verify the timelines that are meant and print what was found; whether all of them are sound.

    What the gateway's journal names of them is compared where the gateway can be asked; for a `file`, never.
    """
    if file is not None:
        found = [_verified(one, {}) for one in chosen_files(where, agent=agent, file=file)]
    else:
        found = _of_space(where, agent)
    if as_json:
        print_json({"agents": [_told(one) for one in found]})
    else:
        for one in found:
            show_verified(one)
    return all(one.is_sound for one in found)


def _of_space(where: Where, agent: str | None) -> list[Verified]:
    """Of the agents that have a timeline here, and of those that must have one and do not."""
    configuration = load(where.config)
    space = choose_space(configuration, where.space, named=[agent] if agent else [])
    anchors = _anchors(replace(where, space=space))
    hosted = [name for name in configuration.spaces[space].hosted if agent in (None, name) and name in anchors]
    files = {one.agent: one for one in agent_files(configuration, space) if agent in (None, one.agent)}
    if not files and not hosted:
        chosen_files(where, agent=agent, file=None)  # says what there is
    found = [_verified(one, anchors.get(one.agent, {})) for one in files.values()]
    return [*found, *(missing(name, anchors[name]) for name in hosted if name not in files)]


def _anchors(where: Where) -> dict[str, dict[int, str]]:
    try:
        return anchors_in(find_access(where).api)
    except MewError as error:
        say(f"─ Not compared with the gateway's journal: {error}", style="yellow")
        return {}


def _verified(file: AgentFile, anchors: Anchors) -> Verified:
    with advancing(file) as advance:
        return verified(file, anchors, advance=advance)


def show_verified(found: Verified) -> None:
    """Print what was found of one timeline, each fault on a line of its own."""
    if found.error is not None:
        show(Text(f"{found.agent}: {found.error}", style="red"))
        return
    count = len(found.faults)
    state = "chain whole" if not count else f"{count}{' or more' if count >= MOST_FAULTS else ''} faults"
    told = [f"{found.events:,} events", "1 fault" if count == 1 else state]
    if found.head is not None and found.events:
        seq, _, hash = found.head.partition(":")
        told.append(f"head {seq}:{hash[:12]}…")
    if found.anchors:
        told.append(f"compared with the journal in {found.anchors} place{'s' if found.anchors > 1 else ''}")
    show(Text(f"{found.agent}: {', '.join(told)}", style="red" if count else "green" if found.is_sound else "yellow"))
    for fault in found.faults:
        line = Text.assemble((f"{fault.seq:>8} ", "dim"), (f"{fault.what:<10} ", _STYLES[fault.what]), fault.sentence)
        show(line)
    for trigger in found.unguarded:
        sentence = f"The file lacks its trigger {trigger}: {_LACKS[trigger]}."
        show(Text.assemble(" " * 9, ("unguarded  ", "red"), sentence))


def _told(found: Verified) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(found)
    return {**told, "whole": found.is_whole}
