"""Build, count and send `system/error` replies to input that is refused before it reaches the journal."""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.codec import encode
from mew_gateway.protocol.cursors import immediate_reply_id
from mew_gateway.protocol.ids import GATEWAY

from .activity_log import Activity
from .batch import Reply
from .clock import Clock
from .interfaces import Ids
from .metrics import Counters
from .sessions import Session, Sessions
from .spaces.engine import Engine
from .spaces.fanout import header


class ErrorReplies:
    """Factory of the replies. Each is counted by its code.

    The id of a reply names the position in the journal at which it was given: a client can resume from there.
    """

    def __init__(
        self, *, sessions: Sessions, engine: Engine, clock: Clock, ids: Ids, counters: Counters, activity: Activity
    ) -> None:
        self._sessions = sessions
        self._engine = engine
        self._clock = clock
        self._ids = ids
        self._counters = counters
        self._activity = activity

    def compose(self, rejected: Rejected, *, to: tuple[str, ...] = ()) -> bytes:
        """Return the envelope of a refusal."""
        self._counters.refused[rejected.code] += 1
        return encode(
            id=immediate_reply_id(self._engine.position, self._ids.new_id()),
            now=self._clock.now(),
            sender=GATEWAY,
            kind="system/error",
            payload={"error": rejected.code, "message": rejected.message, **rejected.details},
            to=to,
            correlation_id=() if rejected.correlation is None else (rejected.correlation,),
        )

    def reply(self, session: Session, rejected: Rejected) -> Reply:
        """Return the reply as an arrival, which keeps its place among the deliveries."""
        self._activity.refused(session.space, session.participant, rejected.code)
        return Reply(session.space, session.connection, self.compose(rejected, to=(session.name,)))

    def send_now(self, connection: int, rejected: Rejected) -> None:
        """Send a reply at once, outside of a tick."""
        session = self._sessions.get(connection)
        if session is not None:
            self.send(self.reply(session, rejected))

    def send(self, reply: Reply) -> None:
        """Send at once a reply that was made as an arrival."""
        link = self._sessions.links.get(reply.connection)
        if link is not None:
            link.write(header(len(reply.data)) + reply.data)
