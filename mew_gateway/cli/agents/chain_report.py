"""Report of a verification: one line an agent, and every fault with its place."""

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
from .progress_bar import progress_bar
from .timeline_files import AgentFile, agent_files, chosen_files
from .verification import MAX_FAULTS, Anchors, Verification, fetch_anchors, missing_timeline, verify

_STYLES = {"changed": "red", "missing": "bold red", "added": "bold red", "reordered": "red"}

_WITHOUT_TRIGGER = {
    "no_update": "entries could be changed",
    "no_delete": "entries could be dropped",
    "in_order": "entries could be replaced, or given any number",
}


def report(where: Where, *, agent: str | None, file: Path | None, as_json: bool) -> bool:
    """Verify the timelines that are meant and print the result. Return true if all of them are sound.

    They are compared with what the gateway's journal names of them, if the gateway can be asked; a `file` never is.
    """
    if file is not None:
        found = [_verify(one, {}) for one in chosen_files(where, agent=agent, file=file)]
    else:
        found = _verify_space(where, agent)
    if as_json:
        print_json({"agents": [_to_json(one) for one in found]})
    else:
        for one in found:
            show_verification(one)
    return all(one.is_sound for one in found)


def _verify_space(where: Where, agent: str | None) -> list[Verification]:
    """Verify the timelines of a space, and report hosted agents that must have one and have none."""
    configuration = load(where.config)
    space = choose_space(configuration, where.space, named=[agent] if agent else [])
    anchors = _anchors(replace(where, space=space))
    hosted = [name for name in configuration.spaces[space].hosted if agent in (None, name) and name in anchors]
    files = {one.agent: one for one in agent_files(configuration, space) if agent in (None, one.agent)}
    if not files and not hosted:
        chosen_files(where, agent=agent, file=None)  # says what there is
    found = [_verify(one, anchors.get(one.agent, {})) for one in files.values()]
    return [*found, *(missing_timeline(name, anchors[name]) for name in hosted if name not in files)]


def _anchors(where: Where) -> dict[str, dict[int, str]]:
    try:
        return fetch_anchors(find_access(where).api)
    except MewError as error:
        say(f"─ Not compared with the gateway's journal: {error}", style="yellow")
        return {}


def _verify(file: AgentFile, anchors: Anchors) -> Verification:
    with progress_bar(file) as advance:
        return verify(file, anchors, advance=advance)


def show_verification(found: Verification) -> None:
    """Print the result of one timeline, each fault on a line of its own."""
    if found.error is not None:
        show(Text(f"{found.agent}: {found.error}", style="red"))
        return
    count = len(found.faults)
    state = "chain whole" if not count else f"{count}{' or more' if count >= MAX_FAULTS else ''} faults"
    parts = [f"{found.events:,} events", "1 fault" if count == 1 else state]
    if found.head is not None and found.events:
        seq, _, hash = found.head.partition(":")
        parts.append(f"head {seq}:{hash[:12]}…")
    if found.anchors:
        parts.append(f"compared with the journal in {found.anchors} place{'s' if found.anchors > 1 else ''}")
    show(Text(f"{found.agent}: {', '.join(parts)}", style="red" if count else "green" if found.is_sound else "yellow"))
    for fault in found.faults:
        line = Text.assemble((f"{fault.seq:>8} ", "dim"), (f"{fault.what:<10} ", _STYLES[fault.what]), fault.sentence)
        show(line)
    for trigger in found.unguarded:
        sentence = f"The file lacks its trigger {trigger}: {_WITHOUT_TRIGGER[trigger]}."
        show(Text.assemble(" " * 9, ("unguarded  ", "red"), sentence))


def _to_json(found: Verification) -> dict[str, Any]:
    parts: dict[str, Any] = msgspec.to_builtins(found)
    return {**parts, "whole": found.is_whole}
