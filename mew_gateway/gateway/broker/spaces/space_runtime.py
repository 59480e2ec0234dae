"""A space in service: its machine, and what the shell keeps for it while it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from mew_gateway.errors import CorruptJournal
from mew_gateway.journal.base import Entry
from mew_gateway.journal.retention import interrupting_subject, sequence_subject
from mew_gateway.space.events import Configured
from mew_gateway.space.machine import Space

from ..interfaces import Link
from .aliases import Aliases
from .fanout import Fanout


class SpaceRuntime:
    """A space's machine, with its connections' aliases and deliveries."""

    __slots__ = ("_saved", "aliases", "fanout", "machine")

    def __init__(self, machine: Space, links: Mapping[int, Link]) -> None:
        self._saved: list[str] = []  # the parts of it that the latest snapshot has
        self.machine = machine
        self.aliases = Aliases(machine.is_taken)
        self.fanout = Fanout(links, self.aliases.held)

    @classmethod
    def opened(cls, entry: Entry, links: Mapping[int, Link]) -> SpaceRuntime:
        """A new space, from its first entry. Raises `CorruptJournal`."""
        event = entry.event
        if not isinstance(event, Configured):
            raise CorruptJournal(
                f"entry {entry.position} belongs to the space {entry.space!r}, which was never configured"
            )
        return cls(Space.configured(event), links)

    @classmethod
    def restored(cls, name: str, parts: Mapping[str, bytes], links: Mapping[int, Link]) -> SpaceRuntime:
        """A space, from the parts of its snapshot. Raises `CorruptJournal`."""
        try:
            runtime = cls(Space.restored(parts), links)
        except (msgspec.MsgspecError, KeyError) as error:
            raise CorruptJournal(f"the snapshot of the space {name!r} cannot be read: {error}") from None
        runtime._saved = [*parts]
        return runtime

    def interrupted(self) -> Iterator[str]:
        """The sequences that the latest entry interrupted, and what interrupted them, as a journal retains them."""
        for one in self.machine.interrupted:
            yield sequence_subject(one.owner, one.sequence)
            if one.by is not None:
                yield one.by if one.is_recorded else interrupting_subject(one.by)

    def open_sequences(self) -> set[str]:
        """The open sequences, by the ids under which a journal retains them."""
        return {sequence_subject(one.owner, one.id) for one in self.machine.state.sequences.values()}

    def unsaved(self) -> dict[str, bytes | None]:
        """The parts that have changed since the latest snapshot; None for one that is gone."""
        gone = dict.fromkeys(self._saved)
        for part in self.machine.parts:
            gone.pop(part, None)
        return {**gone, **self.machine.snapshot(without=frozenset(self._saved))}

    def was_saved(self) -> None:
        """The latest snapshot has all its parts."""
        self._saved = self.machine.parts
