"""Connections that resume: each waits until what it missed is found, in turns, up to what the next tick reads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from mew_gateway.errors import MewError
from mew_gateway.journal.base import Draft
from mew_gateway.protocol.codes import CLOSES
from mew_gateway.protocol.places import LONGEST
from mew_gateway.space.events import Connected, Resumed

from .inbox import Inbox
from .ports import Turns
from .resumption import Search
from .seats import Seat, Seats
from .spaces import Spaces


class _Waiting(NamedTuple):
    """A connection whose `Connected` is not in the inbox yet."""

    seat: Seat
    search: Search


class Resuming:
    """All of them. Their searches take turns as all that their participants have done.

    A search reads a piece in each turn, until only a few entries are behind it. Then the `Connected` goes into the
    inbox, and its tick reads the rest: nothing can come in between. If a piece cannot be read, or entries are being
    committed, the tick reads all that is left.
    """

    def __init__(
        self, spaces: Spaces, seats: Seats, inbox: Inbox, *, turns: Turns, now: Callable[[], int], most_bytes: int
    ) -> None:
        self._spaces = spaces
        self._seats = seats
        self._inbox = inbox
        self._turns = turns
        self._now = now
        self._most_bytes = most_bytes  # that a connection is given again
        self._waiting: dict[int, _Waiting] = {}
        self._searches: dict[int, Search] = {}  # of those whose `Connected` is in the inbox

    def begin(self, seat: Seat, after: str) -> None:
        """Look for what a new connection missed since an envelope."""
        draft = self._draft(seat, after[: LONGEST + 1])  # a longer one is unknown anyhow
        self._waiting[seat.connection] = _Waiting(seat, self._search(draft))
        self._turns.put((seat.space, seat.participant), partial(self._step, seat.connection, draft))

    def waits(self, connection: int) -> bool:
        """Whether nothing can be taken from a connection yet."""
        return connection in self._waiting

    def left(self, connection: int) -> bool:
        """End the search of a connection that has ended. Returns True if the journal never knew of it."""
        self._searches.pop(connection, None)
        return self._waiting.pop(connection, None) is not None

    def expel(self, space: str, participant: str) -> None:
        """Close the connections that wait of a participant who was kicked."""
        for seat, _ in list(self._waiting.values()):
            if (seat.space, seat.participant) == (space, participant):
                seat.link.close(4503, CLOSES[4503].meaning)

    def resumed(self, draft: Draft) -> Draft:
        """A `Connected` of the inbox with what it missed, as far as its participant may have it looked up. Raises
        `Unavailable`."""
        assert isinstance(draft.event, Connected)
        search = self._searches.pop(draft.event.connection, None)
        return self._spaces.resumed(draft, search or self._search(draft))

    def _step(self, connection: int, draft: Draft) -> bool:
        """Have the search read a piece. Returns True if it goes on."""
        waiting = self._waiting.get(connection)
        if waiting is None:
            return False
        try:
            if self._inbox.fault is None and self._spaces.is_idle and waiting.search.step():
                return True
            self._searches[connection] = waiting.search
        except MewError:
            pass  # the tick meets the same, and knows what to do about it
        del self._waiting[connection]
        self._inbox.put_resuming(Draft(draft.space, self._now(), draft.event), connection)
        return False

    def _draft(self, seat: Seat, after: str) -> Draft:
        return Draft(seat.space, self._now(), Connected(seat.connection, seat.participant, Resumed(after)))

    def _search(self, draft: Draft) -> Search:
        assert isinstance(draft.event, Connected)
        meter = self._seats[draft.event.connection].meter
        return self._spaces.search(
            draft, most_bytes=self._most_bytes, affords=lambda records: meter.read(records, self._now())
        )
