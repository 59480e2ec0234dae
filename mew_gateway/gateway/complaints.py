"""What a sender is told about what never reaches the journal: one `system/error`, and one count."""

from __future__ import annotations

from collections.abc import Callable

from mew_gateway.errors import Rejected
from mew_gateway.protocol.codec import encode
from mew_gateway.protocol.ids import GATEWAY

from .activity import Activity
from .asides import Reply
from .fanout import header
from .metrics import Counters
from .seats import Seat, Seats


class Complaints:
    """Composes and counts them. `new_id` is asked for their ids, `now` for the gateway's time."""

    def __init__(
        self, seats: Seats, *, new_id: Callable[[], str], now: Callable[[], int], counters: Counters, activity: Activity
    ) -> None:
        self._seats = seats
        self._new_id = new_id
        self._now = now
        self._counters = counters
        self._activity = activity

    def compose(self, rejected: Rejected, *, to: tuple[str, ...] = ()) -> bytes:
        """The envelope."""
        self._counters.refused[rejected.code] += 1
        return encode(
            id=self._new_id(),
            now=self._now(),
            sender=GATEWAY,
            kind="system/error",
            payload={"error": rejected.code, "message": rejected.message, **rejected.details},
            to=to,
            correlation_id=() if rejected.correlation is None else (rejected.correlation,),
        )

    def reply(self, seat: Seat, rejected: Rejected) -> Reply:
        """The one that takes its place among what the connection is sent."""
        self._activity.refused(seat.space, seat.participant, rejected.code)
        return Reply(seat.space, seat.connection, self.compose(rejected, to=(seat.name,)))

    def tell(self, connection: int, rejected: Rejected) -> None:
        """Send it at once, where nothing else goes out."""
        seat = self._seats.get(connection)
        if seat is not None:
            self.send(self.reply(seat, rejected))

    def send(self, reply: Reply) -> None:
        """Send one that could not take its place."""
        link = self._seats.links.get(reply.connection)
        if link is not None:
            link.write(header(len(reply.data)) + reply.data)
