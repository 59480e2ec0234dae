"""Entry points of installed packages: the commands that they register. Reading this metadata takes 30 ms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import metadata

from .registered_commands import Registered

GROUP = "mew.commands"
OURS = "mew-gateway"  # the distribution that has this package


@cache
def registered_commands() -> Mapping[str, list[Registered]]:
    """Return the commands of the entry points in the group `mew.commands`, by name.

    Of one name those of our own distribution come first, then those of others by the names of their packages: the order
    does not depend on where these are installed.
    """
    found: dict[str, list[Registered]] = {}
    entries = metadata.entry_points(group=GROUP)
    for name, one in sorted(((entry.name, _registered(entry)) for entry in entries), key=_order):
        found.setdefault(name, []).append(one)
    return found


def _registered(entry: metadata.EntryPoint) -> Registered:
    package = entry.module if entry.dist is None else entry.dist.name
    return Registered(package, entry.value, package == OURS, entry.load)


def _order(named: tuple[str, Registered]) -> tuple[bool, str, str]:
    one = named[1]
    return not one.is_ours, one.package, one.value
