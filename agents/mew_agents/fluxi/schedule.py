"""What is due: Works that expire, effects to try again, attempts that were left, messages that were never finished.

Recovery after a crash is this and nothing else: it runs at the start and then whenever something is due (§4.5).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection, Row, Select, exists, func, select

from mew_agents.fluxi.claim import OPEN
from mew_agents.fluxi.desk import Desk
from mew_agents.fluxi.effects import Effects
from mew_agents.fluxi.fsm import EXPIRING, Event, State
from mew_agents.fluxi.ports import UNSEEN, Witness
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.status import say_expired
from mew_agents.fluxi.tables import external_effect_claims as claims
from mew_agents.fluxi.tables import inbox, works
from mew_agents.fluxi.work import Work
from mew_gateway.errors import MewError

# Around everything that is done for one Work: the Work, why, and a witness of it.
Around: TypeAlias = Callable[[str, str], AbstractAsyncContextManager[Witness]]
MessageKey: TypeAlias = tuple[str, str, str, str]

log = logging.getLogger(__name__)
Kind: TypeAlias = Literal["recovery", "proposal", "message", "retry", "timer"]

# After so long, ms, a message that was received and not finished has been left by whoever took it.
LEFT = 60_000
# Taken up at a time; the rest comes next time.
_AT_ONCE = 100

_EXPIRED = select(works.c.work_id).where(works.c.expires_at.is_not(None)).order_by(works.c.expires_at).limit(_AT_ONCE)
_RUNNING = works.c.suspended_reason.is_(None) & works.c.cancel_requested.is_(None)
_EARLIER = claims.alias()
# Effects happen in their order: of each Work only the first that is not settled can be due.
_FIRST = ~exists().where(
    _EARLIER.c.work_id == claims.c.work_id, _EARLIER.c.position < claims.c.position, _EARLIER.c.status.in_(OPEN)
)
_TO_TRY = (
    select(claims.c.work_id)
    .join(works, works.c.work_id == claims.c.work_id)
    .where(claims.c.status == "claimed", _RUNNING, _FIRST)
    .order_by(claims.c.due_at)
    .limit(_AT_ONCE)
)
_TO_FIND_OUT = select(claims.c.work_id, claims.c.claim_id).order_by(claims.c.claim_id).limit(_AT_ONCE)
_TO_PROPOSE = _TO_FIND_OUT.where(claims.c.status == "proposed")
_UNFINISHED = select(inbox.c.account_id, inbox.c.conversation_id, inbox.c.sender, inbox.c.message_id).where(
    inbox.c.status == "received"
)


@asynccontextmanager
async def _unseen(_work_id: str, _why: str) -> AsyncIterator[Witness]:
    yield UNSEEN


class Schedule:
    """Does what is due, when it is told to look."""

    def __init__(self, desk: Desk, effects: Effects, again: Callable[[MessageKey], Awaitable[None]]) -> None:
        self._desk = desk
        self._effects = effects
        self._again = again
        self._left_until: dict[tuple[Any, ...], int] = {}

    async def run_due(self, around: Around = _unseen) -> int:
        """Everything that is due now; how much that was. What fails is left for a minute, and holds up nothing else."""
        at = self._desk.now
        due: tuple[tuple[Kind, Select[Any]], ...] = (
            ("recovery", _TO_FIND_OUT.where(_left(at))),
            ("proposal", _TO_PROPOSE.where(claims.c.due_at <= at)),
            ("message", _UNFINISHED.where(inbox.c.received_at <= at - LEFT).limit(_AT_ONCE)),
            ("retry", _TO_TRY.where(claims.c.due_at <= at)),
            ("timer", _EXPIRED.where(works.c.expires_at <= at)),
        )
        done = 0
        for kind, query in due:
            for row in dict.fromkeys(tuple(row) for row in await self._rows(query)):
                if self._left_until.get(row, 0) > at:
                    continue
                done += 1
                try:
                    await self._do(kind, row, around)
                    self._left_until.pop(row, None)
                except MewError:
                    raise  # the database, or the gateway: nothing else would go better now
                except Exception:
                    log.exception("what was due (%s) failed: %s", kind, row)
                    self._left_until[row] = at + LEFT
        return done

    async def _do(self, kind: Kind, row: tuple[Any, ...], around: Around) -> None:
        if kind == "message":
            await self._again((row[0], row[1], row[2], row[3]))
            return
        work_id = row[0]
        async with around(work_id, "recovery" if kind == "proposal" else kind) as witness:
            match kind:
                case "recovery":
                    await self._effects.find_out(work_id, row[1], witness)
                case "proposal":
                    await self._effects.propose(work_id, row[1], witness)
                case "retry":
                    await self._effects.carry_out(work_id, witness)
                case "timer":
                    await self._expire(work_id, witness)

    async def next_due(self) -> int | None:
        """When something is due next, ms since the epoch; it may be over already. None: nothing is."""
        return await self._desk.database.read(_next_due)

    async def _expire(self, work_id: str, witness: Witness) -> None:
        done = await self._desk.on_work(work_id, expire, point="timer", by="timer")
        if done is not None:
            await witness.saw(done.events)

    async def _rows(self, query: Any) -> Sequence[Row[Any]]:
        return await self._desk.database.read(lambda connection: connection.execute(query).all())


def expire(scene: Scene, work: Work) -> None:
    """A Work whose time is over expires and says so. Its questions stay: a late yes may reopen it (§3)."""
    if work.state in EXPIRING and work.expires_at is not None and work.expires_at <= scene.at:
        say_expired(scene, scene.happen(work, Event.EXPIRED, State.EXPIRED))


def _left(at: int) -> Any:
    """Attempts whose worker has left, and doubts that may be asked about again."""
    invoking = (claims.c.status == "invoking") & (claims.c.lease_until <= at)
    doubtful = (claims.c.status == "in_doubt") & (claims.c.due_at <= at)
    return invoking | doubtful


def _next_due(connection: Connection) -> int | None:
    trying = select(func.min(claims.c.due_at)).join(works, works.c.work_id == claims.c.work_id)
    due = (
        select(func.min(works.c.expires_at)),
        trying.where(claims.c.status == "claimed", _RUNNING, _FIRST),
        select(func.min(claims.c.due_at)).where(claims.c.status.in_(("in_doubt", "proposed"))),
        select(func.min(claims.c.lease_until)).where(claims.c.status == "invoking"),
        select(func.min(inbox.c.received_at) + LEFT).where(inbox.c.status == "received"),
    )
    found = [connection.execute(query).scalar() for query in due]
    return min((one for one in found if one is not None), default=None)
