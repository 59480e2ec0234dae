"""Sessions: the connections that have joined, and what the connections of one participant share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Fatal
from mew_gateway.protocol.codec import Sealer

from .interfaces import Ids, Link
from .rate_limiter import RateLimiter
from .spaces.aliases import Aliases


class Session:
    """A connection that has joined. The rate limiter is its participant's, shared with its other connections."""

    __slots__ = ("connection", "limiter", "link", "participant", "sealer", "space")

    def __init__(
        self, connection: int, *, link: Link, space: str, participant: str, limiter: RateLimiter, sealer: Sealer
    ) -> None:
        self.connection = connection
        self.link = link
        self.space = space
        self.participant = participant
        self.limiter = limiter
        self.sealer = sealer

    @property
    def name(self) -> str:
        """The name that the connection uses for its participant."""
        return self.sealer.alias or self.participant


class Sessions:
    """The sessions of all spaces, by the number of their connection. `links` are their peers.

    Numbers go on after `last`: the number of a connection of an earlier run is never used again.
    """

    def __init__(self, *, limits: GatewayLimits, ids: Ids) -> None:
        self._limits = limits
        self._ids = ids
        self._sessions: dict[int, Session] = {}
        self._held: Counter[tuple[str, str]] = Counter()
        self._limiters: dict[tuple[str, str], RateLimiter] = {}
        self.links: dict[int, Link] = {}
        self.last = 0

    def open(
        self, space: str, participant: str, link: Link, *, aliases: Aliases, alias: str | None, now: int
    ) -> Session:
        """Open a session for one more connection. Raises `Fatal` 4009, `Rejected` `join_refused` for an alias."""
        if alias is not None:
            aliases.check(alias)
        who = (space, participant)
        if self._held[who] >= self._limits.connections_per_participant:
            raise Fatal(4009, f"{participant} has {self._held[who]} connections, the most allowed")
        if len(self._sessions) >= self._limits.connections:
            raise Fatal(4009, "the gateway has its maximum of connections")
        self.last += 1
        self._held[who] += 1
        if alias is not None:
            aliases.claim(self.last, participant, alias)
        sealer = Sealer(sender=participant, new_id=self._ids.new_id, alias=alias, aliases=aliases)
        limiter = self.limiter(space, participant, now)
        session = Session(self.last, link=link, space=space, participant=participant, limiter=limiter, sealer=sealer)
        self._sessions[self.last] = session
        self.links[self.last] = link
        return session

    def close(self, connection: int) -> Session | None:
        """Close the session of a connection that ended, and return it; None if it has none any more."""
        session = self._sessions.pop(connection, None)
        if session is None:
            return None
        del self.links[connection]
        who = (session.space, session.participant)
        self._held[who] -= 1
        if not self._held[who]:
            del self._held[who]
        return session

    def limiter(self, space: str, participant: str, now: int) -> RateLimiter:
        """Return the rate limiter of a participant, for all its connections and posts."""
        limits = self._limits
        limiter = self._limiters.get((space, participant))
        if limiter is None:
            limiter = self._limiters[space, participant] = RateLimiter(
                per_second=limits.envelopes_per_second,
                burst=limits.envelopes_burst,
                bytes_per_second=limits.bytes_per_second,
                frame_bytes=limits.frame_bytes,
                json_tokens=limits.json_tokens,
                connects=limits.connects,
                now=now,
            )
        return limiter

    def forget_rested(self, now: int) -> None:
        """Forget the rate limiters of participants who are away and have sent nothing for a while: guests come and go,
        and a new limiter would be the same."""
        rested = [who for who, limiter in self._limiters.items() if who not in self._held and limiter.is_rested(now)]
        for who in rested:
            del self._limiters[who]

    def get(self, connection: int) -> Session | None:
        """Return the session of a connection, if it is still open."""
        return self._sessions.get(connection)

    def __getitem__(self, connection: int) -> Session:
        return self._sessions[connection]

    def __iter__(self) -> Iterator[int]:
        return iter(self._sessions)
