"""Turn what peers send into arrivals of the next batch: count it, decode it, refuse it (docs/protocol.md §2, §7).

Everything a peer sends is counted before it is decoded: bytes, tokens of JSON, envelopes. A decode cannot be
interrupted, so a message that would take long waits for a turn of its own (`has_turn`), and one beyond `json_tokens` is
never decoded. Input that is refused here never reaches the journal. The answer is a `Reply` that keeps its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Fatal, Rejected
from mew_gateway.protocol.codec import Sealer, count_tokens, peek, receive
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import HEARTBEAT, JOIN, URGENT
from mew_gateway.space.events import Received

from .batch import Arrival, Frame, Item, Message, Post, Reply, about_frame, is_frame, stream_of
from .error_replies import ErrorReplies
from .interfaces import Ids
from .rate_limiter import FLOOD, RateLimiter
from .sessions import Session, Sessions
from .spaces.aliases import Aliases

TOKENS_AT_ONCE = 4_096  # of JSON, in what a connection brings: 1 ms; what comes after has a turn of its own
_LONG = 65_536  # bytes of an envelope that always has one
_LONG_TOGETHER = 262_144  # bytes of messages: what comes after has one, too
MOST_REFUSED = 1_000  # messages of those that a connection brings at once; an answer takes 8 µs


def most_at_once(limits: GatewayLimits) -> int:
    """Return how many messages of a connection at once are a flood whatever they are: `MOST_REFUSED` of them would be
    refused."""
    return MOST_REFUSED + 2 * limits.envelopes_burst  # as many pass at most, and as many urgent ones


class Intake(NamedTuple):
    """The accepted part of the messages that a connection brought at once."""

    arrivals: Sequence[Arrival]
    taken: int  # messages; those after them wait for a turn
    size: int  # bytes of the messages
    flood: Fatal | None = None  # the connection is to be closed; its further messages are dropped


class Ingress:
    """Decoder of messages and posts, within their senders' rates."""

    def __init__(self, *, sessions: Sessions, ids: Ids, limits: GatewayLimits, error_replies: ErrorReplies) -> None:
        self._sessions = sessions
        self._ids = ids
        self._limits = limits
        self._error_replies = error_replies

    def take(self, session: Session, messages: Sequence[Message], now: int, *, has_turn: bool) -> Intake:
        """Take the messages that a connection brought at once, as many as one turn allows.

        Messages that take long to decode are taken only with `has_turn`: one at least, and those after it while they
        are small.
        """
        arrivals: list[Arrival] = []
        refused = tokens = taken = size = 0
        try:
            for data, is_text in messages:
                size += len(data)
                own = 0
                if not is_frame(data):
                    if len(data) > _LONG and not has_turn:
                        break
                    own = self._tokens(data, session.limiter, now)
                    if own > TOKENS_AT_ONCE and not has_turn:
                        break
                taken += 1
                tokens += own
                if is_frame(data):
                    arrival: Arrival | None = self._frame(session, data, now, is_text=is_text)
                else:
                    arrival = self._envelope(session, data, now, tokens=own)
                if arrival is not None:
                    arrivals.append(arrival)
                    refused += isinstance(arrival, Reply)
                    if refused == MOST_REFUSED:
                        raise Fatal(4029, f"flooding: {refused} messages that came at once were refused")
                if tokens > TOKENS_AT_ONCE or size > _LONG_TOGETHER:
                    break
        except Fatal as flood:
            return Intake(arrivals, taken, size, flood)
        return Intake(arrivals, taken, size)

    def post(self, space: str, participant: str, data: bytes, now: int, *, aliases: Aliases, post: Post) -> Item | None:
        """Return the item of an envelope that was posted over HTTP; None for a heartbeat, which is answered at once.
        Raises `Rejected`."""
        sealer = Sealer(sender=participant, new_id=self._ids.new_id, aliases=aliases)
        limiter = self._sessions.limiter(space, participant, now)
        try:
            envelope, sealed = self._decode(data, sealer, limiter, now, tokens=self._tokens(data, limiter, now))
        except Fatal as flood:
            raise _slowed(flood) from None
        if envelope.kind == HEARTBEAT and envelope.sender == participant:
            post.accept(envelope)
            return None
        return Item(space, now, Received(participant, 0, crc32(data), sealed, envelope), post=post)

    def post_frame(self, space: str, participant: str, data: bytes, now: int, *, is_text: bool) -> Frame:
        """Return the stream's frame that was posted over HTTP. Raises `Rejected`."""
        try:
            limiter = self._sessions.limiter(space, participant, now)
            limiter.admit(len(data), now, urgent=False, correlation=None)
        except Fatal as flood:
            raise _slowed(flood) from None
        return Frame(space, participant, 0, stream_of(data), data, is_text)

    def _envelope(self, session: Session, data: bytes, now: int, *, tokens: int) -> Item | Reply | None:
        """Return an envelope's item, or the reply that refuses it; None for a heartbeat, which needs nothing. Raises
        `Fatal` 4029."""
        try:
            envelope, sealed = self._decode(data, session.sealer, session.limiter, now, tokens=tokens)
        except Rejected as rejected:
            return self._error_replies.reply(session, rejected)
        if envelope.kind == HEARTBEAT and envelope.sender == session.participant:
            return None
        return Item(
            session.space, now, Received(session.participant, session.connection, crc32(data), sealed, envelope)
        )

    def _frame(self, session: Session, data: bytes, now: int, *, is_text: bool) -> Frame | Reply:
        """Return a stream's frame, or the reply that refuses it. Raises `Fatal` 4029."""
        try:
            session.limiter.admit(len(data), now, urgent=False, correlation=None)
            return Frame(session.space, session.participant, session.connection, stream_of(data), data, is_text)
        except Rejected as rejected:
            return self._error_replies.reply(session, about_frame(rejected, data))

    def _tokens(self, data: bytes, limiter: RateLimiter, now: int) -> int:
        """Return the tokens of JSON in a message; 0 for a long one that is refused whatever they are: counting takes 2
        to 10 ms a megabyte."""
        if len(data) > _LONG and not limiter.affords(len(data), now, tokens=0) and peek(data)[1] not in URGENT:
            return 0
        return count_tokens(data, most=self._limits.json_tokens)

    def _decode(
        self, data: bytes, sealer: Sealer, limiter: RateLimiter, now: int, *, tokens: int
    ) -> tuple[Envelope, bytes]:
        """Return an envelope and the bytes to journal. Raises `Rejected`; `Fatal` 4029 for a flood, of garbage too.

        A message beyond its sender's rates, or too complex, is not decoded: only its id and its kind are looked for.
        """
        size, most = len(data), self._limits.json_tokens
        if tokens > most:
            id, _ = peek(data)
            limiter.admit(size, now, urgent=False, correlation=id)
            message = f"The JSON has more than {most} brackets, commas and colons."
            raise Rejected("too_complex", message, correlation=id, limit=most)
        is_counted = not limiter.affords(size, now, tokens=tokens)
        if is_counted:
            id, kind = peek(data)
            limiter.admit(size, now, urgent=kind in URGENT, correlation=id, tokens=tokens)
        try:
            envelope, sealed = receive(data, sealer, now=now, depth=self._limits.json_depth)
        except Rejected as rejected:
            if not is_counted:
                limiter.admit(size, now, urgent=False, correlation=rejected.correlation, tokens=tokens)
            raise
        if not is_counted:
            limiter.admit(size, now, urgent=envelope.kind in URGENT, correlation=envelope.id, tokens=tokens)
        if envelope.kind == JOIN:  # refused here: the journal must not have its token
            raise Rejected("reserved_kind", "You have joined already.", correlation=envelope.id)
        return envelope, sealed


def _slowed(flood: Fatal) -> Rejected:
    """Return what a flood is to a poster, who has no connection that could be closed."""
    return Rejected("rate_limited", f"Too fast: {flood.reason}.", retry_after_ms=FLOOD)
