"""Bounded caches of finished things, with fair eviction: a flood evicts only what belongs to the flooder.

A cache is a dict of the state, oldest first. While it has room, every participant uses as much as it needs. When it is
full, the participant with the largest share loses its oldest item. So with n participants in a cache of m items, the
newest m / n items of each are safe from all others. The shares are an index over the state, which can be rebuilt from
it at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from mew_gateway.protocol.ids import GATEWAY

from ..state import Interrupt, Proposal, Sequence, State

Item = TypeVar("Item")


class FairCache(Generic[Item]):
    """A cache that evicts fairly. `items` is the dict of the state; `holder_of` returns the holder of an item."""

    def __init__(self, items: dict[str, Item], holder_of: Callable[[Item], str]) -> None:
        self._items = items
        self._holder_of = holder_of
        self._shares: dict[str, dict[str, None]] = {}  # by holder: its keys, oldest first
        for key, item in items.items():
            self._shares.setdefault(holder_of(item), {})[key] = None

    def add(self, key: str, item: Item, *, most: int) -> None:
        """Add an item as the newest.

        Beyond `most` items the oldest of the largest share is dropped; among equal shares, this holder's before all
        others.
        """
        self.drop(key)
        holder = self._holder_of(item)
        self._items[key] = item
        self._shares.setdefault(holder, {})[key] = None
        while len(self._items) > most:
            self.drop(next(iter(self._largest(holder))))

    def drop(self, key: str) -> Item | None:
        """Remove an item and return it; None if there is none."""
        item = self._items.pop(key, None)
        if item is not None:
            holder = self._holder_of(item)
            share = self._shares[holder]
            del share[key]
            if not share:
                del self._shares[holder]
        return item

    def _largest(self, holder: str) -> dict[str, None]:
        """Return the largest share.

        Among equal ones it is the holder's, else that of the last name: the order is fixed.
        """
        size = max(map(len, self._shares.values()))
        own = self._shares.get(holder, {})
        if len(own) == size:
            return own
        return self._shares[max(name for name, share in self._shares.items() if len(share) == size)]


class FinishedItems:
    """The caches of a space: closed sequences, settled interrupts and decided proposals."""

    def __init__(self, state: State) -> None:
        self.closed: FairCache[Sequence] = FairCache(state.closed, lambda sequence: sequence.owner)
        self.settled: FairCache[Interrupt] = FairCache(state.settled, _interrupt_holder)
        self.decided: FairCache[Proposal] = FairCache(state.decided, _proposal_holder)


def _interrupt_holder(record: Interrupt) -> str:
    """Return the participant that caused an interrupt; for one of the watchdog, its target."""
    return record.target if record.sender == GATEWAY else record.sender


def _proposal_holder(proposal: Proposal) -> str:
    """Return the participant that decided about a proposal; if nobody did, the proposer.

    So a proposer that makes a thousand proposals more does not evict the decisions of others.
    """
    if proposal.rejection is not None:
        return proposal.rejection.by
    return proposal.proposer if proposal.fulfiller is None else proposal.fulfiller
