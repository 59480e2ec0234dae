"""Connections that resume: each waits until what it missed is found, in turns, up to what the next tick reads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from mew_gateway.errors import MewError
from mew_gateway.protocol.codes import CLOSES
from mew_gateway.protocol.cursors import MAX_CURSOR
from mew_gateway.space.events import Connected, Resumed

from .batch import Item
from .clock import Clock
from .inbox import Inbox
from .interfaces import Turns
from .sessions import Session, Sessions
from .spaces.engine import Engine
from .spaces.resume_search import Search


class _Waiting(NamedTuple):
    """A connection whose `Connected` is not in the inbox yet."""

    session: Session
    search: Search


class Resuming:
    """All connections that resume. Their searches run in the turns of their participants.

    A search reads a piece in each turn, until only a few entries are left. Then the `Connected` goes into the inbox,
    and its tick reads the rest: nothing can come in between. If a piece cannot be read, or entries are being
    committed, the tick reads all that is left.
    """

    def __init__(
        self,
        engine: Engine,
        sessions: Sessions,
        inbox: Inbox,
        *,
        turns: Turns,
        clock: Clock,
        found: Callable[[], object],
        most_bytes: int,
    ) -> None:
        self._engine = engine
        self._sessions = sessions
        self._inbox = inbox
        self._turns = turns
        self._clock = clock
        self._found = found  # called when an item was put into the inbox
        self._most_bytes = most_bytes  # that a connection is given again
        self._waiting: dict[int, _Waiting] = {}
        self._searches: dict[int, Search] = {}  # of those whose `Connected` is in the inbox

    def begin(self, session: Session, after: str) -> None:
        """Look for what a new connection missed since an envelope."""
        item = self._item(session, after[: MAX_CURSOR + 1])  # a longer one is unknown anyhow
        self._waiting[session.connection] = _Waiting(session, self._search(item))
        self._turns.put((session.space, session.participant), partial(self._step, session.connection, item))

    def waits(self, connection: int) -> bool:
        """Return true if a connection's search has not ended: nothing is accepted from it yet."""
        return connection in self._waiting

    def left(self, connection: int) -> bool:
        """End the search of a connection that has ended. Returns True if the journal never knew of it."""
        self._searches.pop(connection, None)
        return self._waiting.pop(connection, None) is not None

    def expel(self, space: str, participant: str) -> None:
        """Close the connections that wait of a participant who was kicked."""
        for session, _ in list(self._waiting.values()):
            if (session.space, session.participant) == (space, participant):
                session.link.close(4503, CLOSES[4503].meaning)

    def resumed(self, item: Item) -> Item:
        """Return a `Connected` of the inbox with what it missed, within the rate limit. Raises `Unavailable`."""
        assert isinstance(item.event, Connected)
        search = self._searches.pop(item.event.connection, None)
        return self._engine.resumed(item, search or self._search(item))

    def _step(self, connection: int, item: Item) -> bool:
        """Have the search read a piece. Returns True if it goes on."""
        waiting = self._waiting.get(connection)
        if waiting is None:
            return False
        try:
            if self._inbox.fault is None and self._engine.is_idle and waiting.search.step():
                return True
            self._searches[connection] = waiting.search
        except MewError:
            pass  # the tick meets the same, and knows what to do about it
        del self._waiting[connection]
        self._inbox.put_resuming(Item(item.space, self._clock.now(), item.event), connection)
        self._found()
        return False

    def _item(self, session: Session, after: str) -> Item:
        event = Connected(session.connection, session.participant, Resumed(after))
        return Item(session.space, self._clock.now(), event)

    def _search(self, item: Item) -> Search:
        assert isinstance(item.event, Connected)
        limiter = self._sessions[item.event.connection].limiter
        return self._engine.search(
            item, most_bytes=self._most_bytes, affords=lambda records: limiter.read(records, self._clock.now())
        )
