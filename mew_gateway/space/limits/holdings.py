"""What one participant holds: its own capabilities (configured, or of its invitation), and those of each grant.

Each of these is a group, put and dropped by itself. Everything that is asked about all of them (their JSON, their size,
what they take to compile) is kept as a sum or a part of each group. So a grant takes work in proportion to itself,
however much its recipient holds already.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from mew_gateway.protocol.budget import Cost
from mew_gateway.protocol.capabilities import Capabilities, Capability
from mew_gateway.protocol.patterns import Weight, weigh

from .given_capabilities import Shares, given_size

OWN = ""  # the group of a participant's own capabilities; others have the id of their grant

_tell = msgspec.json.Encoder().encode


class _Group(NamedTuple):
    """What is kept of a group. `told` is its JSON without brackets, `charged` its bytes, charged to the `giver`.

    `size`, `weight` and `costs` are those of what was given at run time beyond what every guest has: that is bounded
    for each participant.
    """

    told: bytes = b""
    giver: str | None = None
    charged: int = 0
    size: int = 0
    weight: Weight = Weight(0, 0, 0)
    costs: tuple[Cost, ...] = ()


class Holding:
    """The capabilities of one participant, and their sums. `shares` are charged for what it was given."""

    def __init__(self, name: str, shares: Shares) -> None:
        self.capabilities = Capabilities()
        self.size = 0  # bytes that were given, in JSON, each with a comma
        self.expressions = 0  # in what was given
        self.globs = 0
        self._name = name
        self._shares = shares
        self._groups: dict[str, _Group] = {OWN: _Group()}
        self._costed: dict[str, None] = {}  # groups with costs
        self._told: msgspec.Raw | None = None

    def put(
        self, group: str, capabilities: Sequence[Capability], *, giver: str | None, given: Sequence[Capability]
    ) -> None:
        """Replace a group; a new one is the last. `given` are those of it that are bounded for each participant.

        `giver` is charged for all of it (None: it is configured).
        """
        self._count(group, -1)
        self.capabilities.put(group, capabilities)
        told = [_tell(one.source) for one in capabilities]
        sources = [one.source for one in given]
        self._groups[group] = _Group(
            told=b",".join(told),
            giver=giver,
            charged=sum(len(one) + 1 for one in told),
            size=given_size(sources),
            weight=weigh(sources),
            costs=tuple(cost for one in given for cost in one.costs),
        )
        self._count(group, 1)

    def drop(self, group: str) -> None:
        """Remove a group."""
        self._count(group, -1)
        self.capabilities.drop(group)
        self._groups.pop(group, None)

    @property
    def told(self) -> msgspec.Raw:
        """The capabilities in JSON, encoded once: every welcome tells those of all."""
        if self._told is None:
            self._told = msgspec.Raw(b"[" + b",".join([one.told for one in self._groups.values() if one.told]) + b"]")
        return self._told

    @property
    def costs(self) -> list[Cost]:
        """The costs of what was given."""
        return [cost for group in self._costed for cost in self._groups[group].costs]

    def _count(self, group: str, sign: int) -> None:
        """Add a group to the sums, or take it from them."""
        self._told = None
        one = self._groups.get(group)
        if one is None:
            return
        self.size += sign * one.size
        self.expressions += sign * one.weight.expressions
        self.globs += sign * one.weight.globs
        if sign > 0 and one.costs:
            self._costed[group] = None
        else:
            self._costed.pop(group, None)
        if one.giver is not None:
            self._shares.add(self._name, one.giver, sign * one.charged)
