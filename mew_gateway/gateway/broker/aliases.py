"""What the connections of a space call themselves besides their participant's id (docs/protocol.md §1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mew_gateway.errors import Rejected
from mew_gateway.protocol.ids import is_valid


class Aliases(Mapping[str, str]):
    """The live aliases of a space: whom each names. The first connection that holds one decides.

    `is_known` tells the ids of participants, those of guests who are gone included: an alias never names one.
    """

    __slots__ = ("_held", "_holders", "_is_known")

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        self._is_known = is_known
        self._held: dict[int, tuple[str, str]] = {}
        self._holders: dict[str, dict[int, str]] = {}

    def check(self, alias: str) -> None:
        """Whether somebody may call itself so. Raises `Rejected` `join_refused`."""
        if not is_valid(alias):
            raise Rejected("join_refused", f"{alias[:64]!r} is no id that a participant may have.")
        if self._is_known(alias):
            raise Rejected("join_refused", f"{alias} is somebody else in this space.")

    def claim(self, connection: int, participant: str, alias: str) -> None:
        """From here on the connection is called so."""
        self._held[connection] = (participant, alias)
        self._holders.setdefault(alias, {})[connection] = participant

    def release(self, connection: int) -> None:
        """The connection ended, and with it what it called itself."""
        held = self._held.pop(connection, None)
        if held is None:
            return
        holders = self._holders[held[1]]
        del holders[connection]
        if not holders:
            del self._holders[held[1]]

    @property
    def held(self) -> Mapping[int, tuple[str, str]]:
        """By connection: its participant's id, and its alias."""
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
