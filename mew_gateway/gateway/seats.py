"""Who has joined: each connection with its seat, and what a participant's connections share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Fatal
from mew_gateway.protocol.codec import Sealer

from .aliases import Aliases
from .ports import Link
from .rate import Meter


class Seat:
    """What is known of a connection. The meter is its participant's, shared with the other connections."""

    __slots__ = ("connection", "link", "meter", "participant", "sealer", "space")

    def __init__(
        self, connection: int, *, link: Link, space: str, participant: str, meter: Meter, sealer: Sealer
    ) -> None:
        self.connection = connection
        self.link = link
        self.space = space
        self.participant = participant
        self.meter = meter
        self.sealer = sealer

    @property
    def name(self) -> str:
        """What the connection calls its participant."""
        return self.sealer.alias or self.participant


class Seats:
    """The seats of all spaces, by connection. `links` are their far ends.

    Numbers go on behind `last`: the connections of a run before are never meant.
    """

    def __init__(self, *, limits: GatewayLimits, new_id: Callable[[], str]) -> None:
        self._limits = limits
        self._new_id = new_id
        self._seats: dict[int, Seat] = {}
        self._held: Counter[tuple[str, str]] = Counter()
        self._meters: dict[tuple[str, str], Meter] = {}
        self.links: dict[int, Link] = {}
        self.last = 0

    def take(self, space: str, participant: str, link: Link, *, aliases: Aliases, alias: str | None, now: int) -> Seat:
        """A seat for one more connection. Raises `Fatal` 4009, `Rejected` `join_refused` for an alias."""
        if alias is not None:
            aliases.check(alias)
        who = (space, participant)
        if self._held[who] >= self._limits.connections_per_participant:
            raise Fatal(4009, f"{participant} has {self._held[who]} connections, the most allowed")
        if len(self._seats) >= self._limits.connections:
            raise Fatal(4009, "the gateway has its maximum of connections")
        self.last += 1
        self._held[who] += 1
        if alias is not None:
            aliases.claim(self.last, participant, alias)
        sealer = Sealer(sender=participant, new_id=self._new_id, alias=alias, aliases=aliases)
        meter = self.meter(space, participant, now)
        seat = Seat(self.last, link=link, space=space, participant=participant, meter=meter, sealer=sealer)
        self._seats[self.last] = seat
        self.links[self.last] = link
        return seat

    def leave(self, connection: int) -> Seat | None:
        """The seat of a connection that ended; None: it has none any more."""
        seat = self._seats.pop(connection, None)
        if seat is None:
            return None
        del self.links[connection]
        who = (seat.space, seat.participant)
        self._held[who] -= 1
        if not self._held[who]:
            del self._held[who]
        return seat

    def meter(self, space: str, participant: str, now: int) -> Meter:
        """What the participant may send, over whatever connection or post."""
        limits = self._limits
        meter = self._meters.get((space, participant))
        if meter is None:
            meter = self._meters[space, participant] = Meter(
                per_second=limits.envelopes_per_second,
                burst=limits.envelopes_burst,
                bytes_per_second=limits.bytes_per_second,
                frame_bytes=limits.frame_bytes,
                json_tokens=limits.json_tokens,
                connects=limits.connects,
                now=now,
            )
        return meter

    def forget_rested(self, now: int) -> None:
        """Forget what those may send who have no seat and have sent nothing for a while: guests come and go, and it is
        no different when they are back."""
        rested = [who for who, meter in self._meters.items() if who not in self._held and meter.is_rested(now)]
        for who in rested:
            del self._meters[who]

    def get(self, connection: int) -> Seat | None:
        """The seat of a connection, if it is still there."""
        return self._seats.get(connection)

    def __getitem__(self, connection: int) -> Seat:
        return self._seats[connection]

    def __iter__(self) -> Iterator[int]:
        return iter(self._seats)
