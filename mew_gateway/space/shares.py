"""The bounded memories of a space, shared by its participants: a flood pushes out what is the flooder's own.

A memory is a dict of the state, oldest first. While it has room everybody uses as much of it as they need. When it is
full, the participant that has most in it loses its oldest: so with n participants in a memory of m, the newest m / n of
each are safe from all others. The shares are an index over the state, rebuilt from it at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from mew_gateway.protocol.ids import GATEWAY

from .state import Interrupt, Proposal, Sequence, State

Item = TypeVar("Item")


class Memory(Generic[Item]):
    """One of them: `items` is the dict of the state, and `holder_of` tells in whose share an item is."""

    def __init__(self, items: dict[str, Item], holder_of: Callable[[Item], str]) -> None:
        self._items = items
        self._holder_of = holder_of
        self._shares: dict[str, dict[str, None]] = {}  # by holder: its keys, oldest first
        for key, item in items.items():
            self._shares.setdefault(holder_of(item), {})[key] = None

    def add(self, key: str, item: Item, *, most: int) -> None:
        """Keep an item, the newest. Past `most` items the oldest of the largest share is forgotten, of equal ones this
        holder's before all others."""
        self.drop(key)
        holder = self._holder_of(item)
        self._items[key] = item
        self._shares.setdefault(holder, {})[key] = None
        while len(self._items) > most:
            self.drop(next(iter(self._largest(holder))))

    def drop(self, key: str) -> Item | None:
        """Forget an item and return it, if there is one."""
        item = self._items.pop(key, None)
        if item is not None:
            holder = self._holder_of(item)
            share = self._shares[holder]
            del share[key]
            if not share:
                del self._shares[holder]
        return item

    def _largest(self, holder: str) -> dict[str, None]:
        """The largest share; of equal ones the holder's, else that of the last name, whatever order they are in."""
        size = max(map(len, self._shares.values()))
        own = self._shares.get(holder, {})
        if len(own) == size:
            return own
        return self._shares[max(name for name, share in self._shares.items() if len(share) == size)]


class Shares:
    """The memories of a space for what is over."""

    def __init__(self, state: State) -> None:
        self.closed: Memory[Sequence] = Memory(state.closed, lambda sequence: sequence.owner)
        self.settled: Memory[Interrupt] = Memory(state.settled, _asking)
        self.decided: Memory[Proposal] = Memory(state.decided, _deciding)


def _asking(record: Interrupt) -> str:
    """The participant that caused an interrupt: of the watchdog's, the one that it was for."""
    return record.target if record.sender == GATEWAY else record.sender


def _deciding(proposal: Proposal) -> str:
    """The participant that decided about a proposal: a proposer that proposes a thousand more does not push out
    somebody's yes or no. What nobody decided is the proposer's."""
    if proposal.rejection is not None:
        return proposal.rejection.by
    return proposal.proposer if proposal.fulfiller is None else proposal.fulfiller
