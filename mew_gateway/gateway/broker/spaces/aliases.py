"""Aliases of a space's connections: names besides the participant's id (docs/protocol.md §1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mew_gateway.errors import Rejected
from mew_gateway.protocol.ids import is_valid


class Aliases(Mapping[str, str]):
    """The live aliases of a space, with the participant that each names: that of the first connection that holds it.

    `is_known` returns true for the ids of participants, also of guests who have left: an alias is never one of them.
    """

    __slots__ = ("_held", "_holders", "_is_known")

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        self._is_known = is_known
        self._held: dict[int, tuple[str, str]] = {}
        self._holders: dict[str, dict[int, str]] = {}

    def check(self, alias: str) -> None:
        """Raise `Rejected` `join_refused` if the name cannot be an alias."""
        if not is_valid(alias):
            raise Rejected("join_refused", f"{alias[:64]!r} is no id that a participant may have.")
        if self._is_known(alias):
            raise Rejected("join_refused", f"{alias} is another participant of this space.")

    def claim(self, connection: int, participant: str, alias: str) -> None:
        """Register the alias of a connection."""
        self._held[connection] = (participant, alias)
        self._holders.setdefault(alias, {})[connection] = participant

    def release(self, connection: int) -> None:
        """Remove the alias of a connection that has ended."""
        held = self._held.pop(connection, None)
        if held is None:
            return
        holders = self._holders[held[1]]
        del holders[connection]
        if not holders:
            del self._holders[held[1]]

    @property
    def held(self) -> Mapping[int, tuple[str, str]]:
        """Participant's id and alias, by connection."""
        return self._held

    def __getitem__(self, alias: str) -> str:
        holders = self._holders[alias]
        if self._is_known(alias):
            raise KeyError(alias)
        return next(iter(holders.values()))

    def __iter__(self) -> Iterator[str]:
        return (alias for alias in self._holders if not self._is_known(alias))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self._holders)
