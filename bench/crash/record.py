"""What a peer was given beside what the gateway says it was given: missing, twice, out of order."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec

from bench.inquiry import Told
from bench.mortal import Mortal
from bench.peer import Peer, Seen

_SHOWN = 5  # faults of a kind that are told one by one


@dataclass(kw_only=True)
class Verdict:
    """What was compared, and what is wrong; `lines` say where."""

    delivered: int = 0
    lost: int = 0
    twice: int = 0
    reordered: int = 0
    missed: int = 0
    lines: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.lost or self.twice or self.reordered or self.missed or self.lines)

    def add(self, other: Verdict) -> None:
        """Count another one, too."""
        self.delivered += other.delivered
        self.lost += other.lost
        self.twice += other.twice
        self.reordered += other.reordered
        self.missed += other.missed
        self.lines += other.lines


def compare(who: str, delivered: Sequence[Seen], recorded: Sequence[Seen]) -> Verdict:
    """Whether what was delivered is how the record begins."""
    found = Verdict(delivered=len(delivered))
    if list(delivered) == list(recorded[: len(delivered)]):
        return found
    held, seen = set(recorded), set(delivered)
    lost = [one for one in delivered if one not in held]
    known = [one for one in delivered if one in held]
    places = {one: at for at, one in enumerate(recorded)}
    last = max((places[one] for one in known), default=-1)
    missed = [one for one in recorded[:last] if one not in seen]
    found.lost, found.missed = len(lost), len(missed)
    found.twice = len(delivered) - len(seen)
    found.reordered = sum(places[after] < places[before] for before, after in pairwise(known))
    for what, which in (("was given", lost), ("was not given", missed)):
        found.lines += [f"{who} {what} {one.kind} {one.id}" for one in which[:_SHOWN]]
    if not found.lines:
        found.lines.append(f"{who} was given something twice or out of order")
    return found


class Checked:
    """A peer, compared with the gateway's record from where the latest comparison ended."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._since: str | None = None

    async def check(self, gateway: Mortal, *, whole: bool) -> Verdict:
        """Compare what came since. With `whole` nothing may be left that it was not given. Raises `BenchFailure`."""
        peer = self.peer
        if self._since is None:
            if not peer.welcomes:
                return Verdict()
            self._since = peer.welcomes[0]
        told = await gateway.inquiry(peer.space, peer.name).messages(self._since)
        fresh, peer.fresh = peer.fresh, []
        presences = _own_presences(peer, told)
        delivered = list(_without(fresh, presences))
        recorded = [Seen(one.id, one.kind, zlib.crc32(one.data)) for one in told if one.kind != "system/welcome"]
        recorded = list(_without(recorded, presences))
        found = compare(str(peer), delivered, recorded)
        if whole and len(recorded) > len(delivered):
            found.missed += len(recorded) - len(delivered)
            found.lines.append(f"{peer} was not given {recorded[len(delivered)].id}")
        held = {one.id for one in told} | {self._since}
        for id in peer.welcomes:
            if id not in held:
                found.lost += 1
                found.lines.append(f"{peer} was greeted with {id}, which is not held")
        peer.welcomes.clear()
        if fresh:
            self._since = fresh[-1].id
        found.lines, peer.faults = found.lines + peer.faults, []
        return found


def _own_presences(peer: Peer, told: Iterable[Told]) -> set[str]:
    """The presences that tell of the peer itself: a join goes to the others, and may be given again."""
    presences = [one for one in told if one.kind == "system/presence"]
    return {one.id for one in presences if msgspec.json.decode(one.data)["payload"]["participant"]["id"] == peer.name}


def _without(envelopes: Iterable[Seen], ids: set[str]) -> Iterable[Seen]:
    return (one for one in envelopes if one.id not in ids)
