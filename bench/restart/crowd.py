"""Many clients in many spaces: most listen, some talk all the time, some do not even read."""

from __future__ import annotations

from collections.abc import Iterator

from bench.crash.cast import Silent, Talker
from bench.peer import Peer
from bench.spaces import configuration, everybody

TALKERS = 2  # of a space


class Deaf(Silent):
    """Takes nothing more once it is there, and answers no close frame either."""

    rests = False

    async def act(self, peer: Peer, /) -> None:
        if not self.rests:
            peer.stop_reading()


def spaces_file(*, spaces: int, each: int) -> str:
    """The `spaces.yaml`, with `each` participants of every space."""
    participants = everybody(each, ["chat"])
    return configuration({f"space{s}": {"participants": participants} for s in range(spaces)})


def crowd(*, spaces: int, each: int, deaf: int, rate: float) -> Iterator[Peer]:
    """Everybody. The talkers send `rate` envelopes a second together; the last of the first `deaf` spaces are deaf."""
    for s in range(spaces):
        for p in range(each):
            name = f"p{p}"
            if p < TALKERS:
                yield Peer(f"space{s}", name, Talker(rate / spaces / TALKERS, to=f"p{1 - p}"))
            elif p == each - 1 and s < deaf:
                yield Peer(f"space{s}", name, Deaf())
            else:
                yield Peer(f"space{s}", name, Silent())
