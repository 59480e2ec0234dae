"""Replay at a start: the newest snapshot is loaded, and the entries after it are handled again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import NamedTuple

from mew_gateway.errors import CorruptJournal
from mew_gateway.journal.base import Entry
from mew_gateway.space.events import Configured
from mew_gateway.space.machine import VERSION

from ..interfaces import Link, Store
from .space_runtime import SpaceRuntime

logger = logging.getLogger("mew.spaces")


class Replayed(NamedTuple):
    """Position and time of the newest entry, and of the newest that the latest snapshot covers."""

    position: int
    time: int
    saved_position: int
    saved_time: int


def replay(
    journal: Store, runtimes: dict[str, SpaceRuntime], links: Mapping[int, Link], *, handle: Callable[[Entry], object]
) -> Replayed:
    """Bring the spaces, which are put into `runtimes`, to where the journal ends. `handle` handles an entry after the
    snapshot.

    Raises `CorruptJournal` if the snapshot cannot be read, or for an entry of another version of the machine.
    """
    snapshot = journal.latest()
    position = time = saved_position = saved_time = 0
    if snapshot is not None:
        position, time = saved_position, saved_time = snapshot.position, snapshot.time
        for name, parts in by_space(snapshot.states).items():
            runtimes[name] = SpaceRuntime.restored(name, parts, links)
    for entry in journal.read(position):
        if entry.space in runtimes:
            check_version(entry, runtimes[entry.space])
        handle(entry)
        position, time = entry.position, entry.time
    if position != saved_position:
        logger.info("replayed %d entries", position - saved_position)
    return Replayed(position, time, saved_position, saved_time)


def check_version(entry: Entry, runtime: SpaceRuntime) -> None:
    """Raise `CorruptJournal` for an entry that another version of the machine has handled: to this one it may mean
    something else. What follows the `Configured` of this version is its own."""
    event, version = entry.event, runtime.machine.state.version
    if version != VERSION and not (isinstance(event, Configured) and event.version == VERSION):
        raise CorruptJournal(
            f"The space {entry.space!r} was left in the middle by version {version} of its machine, and this is "
            f"version {VERSION}: start the gateway that wrote the journal once more and stop it in good order, "
            "then start this one."
        )


def by_space(states: Mapping[str, bytes | None]) -> dict[str, dict[str, bytes]]:
    """Return the parts of each space's snapshot: they are kept as `SPACE/PART`, and no space has a `/` in its id."""
    found: dict[str, dict[str, bytes]] = {}
    for key, state in states.items():
        name, _, part = key.partition("/")
        if state is not None:
            found.setdefault(name, {})[part] = state
    return found
