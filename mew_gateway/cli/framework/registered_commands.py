"""Commands that installed packages register. A module of its own, because reading metadata takes 30 ms."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points

GROUP = "mew.commands"


def registered_commands() -> Mapping[str, EntryPoint]:
    """Return the entry points of the group `mew.commands`, by name."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}
