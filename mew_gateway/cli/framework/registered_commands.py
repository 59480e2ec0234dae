"""Commands that installed packages register. A module of its own, because reading metadata takes 30 ms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from .lazy_group import Registered

GROUP = "mew.commands"
OURS = "mew-gateway"  # the distribution that has this package


@cache
def registered_commands() -> Mapping[str, list[Registered]]:
    """Return the commands of the entry points in the group `mew.commands`, by name.

    Of one name those of our own distribution come first, then those of others by the names of their packages: the order
    does not depend on where these are installed.
    """
    found: dict[str, list[Registered]] = {}
    for name, one in sorted(((entry.name, _registered(entry)) for entry in entry_points(group=GROUP)), key=_order):
        found.setdefault(name, []).append(one)
    return found


def _registered(entry: EntryPoint) -> Registered:
    package = entry.module if entry.dist is None else entry.dist.name
    return Registered(package, entry.value, package == OURS, entry.load)


def _order(named: tuple[str, Registered]) -> tuple[bool, str, str]:
    one = named[1]
    return not one.is_ours, one.package, one.value
