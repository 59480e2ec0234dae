"""A tool's register: what was asked of it and what it answered, kept in the same commit as what it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import apsw
import msgspec

from mew_gateway.sdk import ToolError
from mew_gateway.sdk.exchange.rpc import INVALID_PARAMS
from mew_gateway.storage.sqlite_files import transaction

from .answer import Answer, Declined, is_applied, not_applied, repeated, unknown
from .call import Call
from .effect import Effect

TABLES: Final = """
create table requests (
    sender text not null, id text not null, digest blob not null, answer text not null, at integer not null,
    primary key (sender, id)
) strict, without rowid;
create table keys (
    key text primary key, digest blob, fence integer not null, attempt integer not null, answer text
) strict, without rowid;
"""

_REQUEST = "select digest, answer from requests where sender = ? and id = ?"
_KEEP = "insert into requests values (?, ?, ?, ?, ?)"
_KEY = "select digest, fence, attempt, answer from keys where key = ?"
_MARK = """
insert into keys values (:key, :digest, :fence, :attempt, :answer) on conflict do update set
digest = coalesce(excluded.digest, digest), fence = excluded.fence, attempt = excluded.attempt, answer = excluded.answer
"""


class _Known(NamedTuple):
    """What is known of a key: its highest rank up to now, and the answer that was given at that."""

    digest: bytes | None
    rank: tuple[int, int]
    answer: Answer | None


class Register:
    """Sees to it that one effect happens once: one transaction holds request, key, what was done and the answer.

    - A request that was seen before gets the answer it got: a resume delivers at least once.
    - A key that was applied is answered as it was then, whoever asks, at whatever time and under whatever fence.
    - A key stands for one tool with one set of arguments; with others it is refused (-32602).
    - What is below the highest rank (fence, then attempt) that was seen for its key is refused, and so is what comes
      after its deadline. A refusal is final for its rank, so that two requests for one attempt cannot differ.

    Keys belong to the space and not to who sends them: whoever fulfils a proposal does so in their own name. Nothing is
    ever forgotten: a row an effect and one a request, as many as there are rows of what was done.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def perform(self, call: Call, work: Callable[[], Answer], *, now: int) -> Answer:
        """Do it, unless it was done. `work` writes to the same connection, and raises `Declined` to undo that.

        `now` is milliseconds since the epoch. Raises `ToolError` -32602 (nothing was done) for a key or a request id
        that stands for something else; what the disk raises leaves nothing done, unless it is the commit that fails.
        """
        try:
            with transaction(self._connection):
                answer = self._answered(call)
                if answer is None:
                    answer = self._decide(call, work, now)
                    self._connection.execute(_KEEP, (call.sender, call.request, call.digest, _encoded(answer), now))
            return answer
        except apsw.BusyError:  # of `begin`: in the write-ahead log nothing after it waits for others
            return not_applied("busy")

    def status(self, key: str, effect: Effect | None) -> Answer:
        """What is known of a key: the answer it was applied with, or *not applied*.

        With an effect, whose fence is above that of the attempt that is asked about, *not applied* stays true: every
        lower rank is refused from now on, however late it arrives. Without one it is only how things are. Who asks
        below what was seen is told *unknown*: a later attempt may be on its way.
        """
        if effect is not None and effect.key != key:
            raise ToolError(INVALID_PARAMS, "The key that is asked about is not the key of the effect.")
        try:
            with transaction(self._connection):
                return self._find_out(key, effect)
        except apsw.BusyError:
            return unknown("busy", key=key)

    def _answered(self, call: Call) -> Answer | None:
        """What was answered to this very request."""
        row = self._row(_REQUEST, (call.sender, call.request))
        if row is None:
            return None
        digest, answer = row
        _check(digest, call, "The request id")
        return repeated(_decoded(answer))

    def _decide(self, call: Call, work: Callable[[], Answer], now: int) -> Answer:
        effect = call.effect
        if effect is None:
            return self._attempt(work)
        known = self._known(effect.key)
        if known is not None:
            if known.digest is not None:
                _check(known.digest, call, "The key")
            if known.answer is not None and (is_applied(known.answer) or effect.rank == known.rank):
                return repeated(known.answer)
            if effect.rank < known.rank:
                return not_applied("fenced", key=effect.key, fence=known.rank[0], attempt=known.rank[1])
        late = now > effect.deadline
        answer = not_applied("too_late", deadline=effect.deadline) if late else self._attempt(work)
        self._mark(effect, call.digest, answer)
        return answer

    def _find_out(self, key: str, effect: Effect | None) -> Answer:
        known = self._known(key)
        if known is not None and known.answer is not None and is_applied(known.answer):
            return {**known.answer, "key": key}
        if effect is None:
            return not_applied("absent", key=key)
        if known is not None and effect.rank < known.rank:
            return unknown("fenced", key=key, fence=known.rank[0], attempt=known.rank[1])
        if known is None or effect.rank > known.rank:
            self._mark(effect, None, None)
        return not_applied("absent", key=key, barred_below=effect.fence)

    def _attempt(self, work: Callable[[], Answer]) -> Answer:
        try:
            with self._connection:  # a savepoint
                answer = work()
        except Declined as no:
            answer = not_applied(no.code, **no.details)
        return answer

    def _known(self, key: str) -> _Known | None:
        row = self._row(_KEY, (key,))
        if row is None:
            return None
        digest, fence, attempt, answer = row
        return _Known(digest, (fence, attempt), None if answer is None else _decoded(answer))

    def _mark(self, effect: Effect, digest: bytes | None, answer: Answer | None) -> None:
        said = None if answer is None else _encoded(answer)
        row = {"key": effect.key, "digest": digest, "fence": effect.fence, "attempt": effect.attempt, "answer": said}
        self._connection.execute(_MARK, row)

    def _row(self, query: str, bindings: tuple[str, ...]) -> Any:
        return next(iter(self._connection.execute(query, bindings).fetchall()), None)


def _check(digest: bytes, call: Call, what: str) -> None:
    if digest != call.digest:
        raise ToolError(INVALID_PARAMS, f"{what} was used before, for something else: nothing was done.")


def _encoded(answer: Answer) -> str:
    return msgspec.json.encode(answer).decode()


def _decoded(text: str) -> Answer:
    return msgspec.json.decode(text, type=Answer)
