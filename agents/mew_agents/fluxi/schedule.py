"""What is due: Works that expire, effects to try again, attempts that were left, and what others have it look after.

Recovery after a crash is this and nothing else: it runs at the start and then whenever something is due (§4.5).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Connection, Select, exists, func, select

from mew_agents.fluxi.claim import OPEN
from mew_agents.fluxi.desk import Desk
from mew_agents.fluxi.duty import LEFT, Around, Duty, Key
from mew_agents.fluxi.effects import Effects
from mew_agents.fluxi.fsm import EXPIRING, Event, State
from mew_agents.fluxi.ports import UNSEEN, Witness
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.status import say_expired
from mew_agents.fluxi.tables import external_effect_claims as claims
from mew_agents.fluxi.tables import works
from mew_agents.fluxi.work import Work
from mew_gateway.errors import MewError

log = logging.getLogger(__name__)

# Taken up at a time; the rest comes next time.
_AT_ONCE = 100

_EXPIRED = select(works.c.work_id).where(works.c.expires_at.is_not(None)).order_by(works.c.expires_at)
_RUNNING = works.c.suspended_reason.is_(None) & works.c.cancel_requested.is_(None)
_EARLIER = claims.alias()
# Effects happen in their order: of each Work only the first that is not settled can be due.
_FIRST = ~exists().where(
    _EARLIER.c.work_id == claims.c.work_id, _EARLIER.c.position < claims.c.position, _EARLIER.c.status.in_(OPEN)
)
_CLAIMED = (claims.c.status == "claimed") & _RUNNING & _FIRST
_TO_TRY = (
    select(claims.c.work_id).join(works, works.c.work_id == claims.c.work_id).where(_CLAIMED).order_by(claims.c.due_at)
)
_TO_FIND_OUT = select(claims.c.work_id, claims.c.claim_id).order_by(claims.c.claim_id)
_TO_PROPOSE = _TO_FIND_OUT.where(claims.c.status == "proposed")

_NEXT_LEFT = select(func.min(claims.c.lease_until)).where(claims.c.status == "invoking")
_NEXT_DOUBT = select(func.min(claims.c.due_at)).where(claims.c.status == "in_doubt")
_NEXT_PROPOSAL = select(func.min(claims.c.due_at)).where(claims.c.status == "proposed")
_NEXT_TRY = select(func.min(claims.c.due_at)).join(works, works.c.work_id == claims.c.work_id).where(_CLAIMED)
_NEXT_EXPIRY = select(func.min(works.c.expires_at))


@asynccontextmanager
async def _unseen(_work_id: str, _why: str) -> AsyncIterator[Witness]:
    yield UNSEEN


class _OfWorks(Duty):
    """Something that falls due for Works; the first of a key is the id of one."""

    def __init__(
        self,
        why: str,
        do: Callable[[Key, Witness], Awaitable[object]],
        due: Callable[[int], Select[Any]],
        *following: Select[Any],
    ) -> None:
        self._why = why
        self._act = do
        self._query = due
        self._following = following

    def due(self, connection: Connection, *, at: int, limit: int) -> Sequence[Key]:
        return [tuple(row) for row in connection.execute(self._query(at).limit(limit))]

    async def do(self, key: Key, around: Around, /) -> None:
        async with around(key[0], self._why) as witness:
            await self._act(key, witness)

    def next_due(self, connection: Connection) -> int | None:
        return _first(connection.execute(query).scalar() for query in self._following)


class Schedule:
    """Does what is due, when it is told to look. Duties have names, and are done in the order of `duties`."""

    def __init__(self, desk: Desk, effects: Effects, duties: Mapping[str, Duty]) -> None:
        """`duties` are those of whoever hears messages; those of Works it has itself."""
        self._desk = desk
        self._effects = effects
        self._duties: dict[str, Duty] = {
            "recovery": _OfWorks("recovery", self._find_out, _left, _NEXT_LEFT, _NEXT_DOUBT),
            "proposal": _OfWorks("recovery", self._propose, _unsent, _NEXT_PROPOSAL),
            **duties,
            "retry": _OfWorks("retry", self._try, _to_try, _NEXT_TRY),
            "timer": _OfWorks("timer", self._expire, _expired, _NEXT_EXPIRY),
        }
        self._left_until: dict[tuple[str, Key], int] = {}

    def take_over(self, name: str, duty: Duty) -> None:
        """From now on the duty of this name is somebody else's, or a new one, which is done after the others."""
        self._duties[name] = duty

    async def run_due(self, around: Around = _unseen) -> int:
        """Everything that is due now; how much that was. What fails is left for a minute, and holds up nothing else."""
        at = self._desk.now
        done = 0
        for name, duty in list(self._duties.items()):
            for key in dict.fromkeys(await self._due(duty, at)):
                if self._left_until.get((name, key), 0) > at:
                    continue
                done += 1
                try:
                    await duty.do(key, around)
                    self._left_until.pop((name, key), None)
                except Exception as error:
                    if isinstance(error, MewError) and not isinstance(error, Refused):
                        raise  # the database, or the gateway: nothing else would go better now
                    log.exception("what was due (%s) failed: %s", name, key)
                    self._left_until[name, key] = at + LEFT
        return done

    async def next_due(self) -> int | None:
        """When something is due next, ms since the epoch; it may be over already. None: nothing is."""
        duties = list(self._duties.values())
        return await self._desk.database.read(lambda connection: _first(duty.next_due(connection) for duty in duties))

    async def _due(self, duty: Duty, at: int) -> Sequence[Key]:
        return await self._desk.database.read(lambda connection: duty.due(connection, at=at, limit=_AT_ONCE))

    # The duties of Works

    async def _find_out(self, key: Key, witness: Witness) -> None:
        await self._effects.find_out(key[0], key[1], witness)

    async def _propose(self, key: Key, witness: Witness) -> None:
        await self._effects.propose(key[0], key[1], witness)

    async def _try(self, key: Key, witness: Witness) -> None:
        await self._effects.carry_out(key[0], witness)

    async def _expire(self, key: Key, witness: Witness) -> None:
        done = await self._desk.on_work(key[0], expire, point="timer", by="timer")
        if done is not None:
            await witness.saw(done.events, done.thoughts)


def expire(scene: Scene, work: Work) -> None:
    """A Work whose time is over expires and says so. Its questions stay: a late yes may reopen it (§3)."""
    if work.state in EXPIRING and work.expires_at is not None and work.expires_at <= scene.at:
        say_expired(scene, scene.happen(work, Event.EXPIRED, State.EXPIRED))


def _left(at: int) -> Select[Any]:
    """Attempts whose worker has left, and doubts that may be asked about again."""
    invoking = (claims.c.status == "invoking") & (claims.c.lease_until <= at)
    doubtful = (claims.c.status == "in_doubt") & (claims.c.due_at <= at)
    return _TO_FIND_OUT.where(invoking | doubtful)


def _unsent(at: int) -> Select[Any]:
    """Proposals of whose sending nobody knows."""
    return _TO_PROPOSE.where(claims.c.due_at <= at)


def _to_try(at: int) -> Select[Any]:
    return _TO_TRY.where(claims.c.due_at <= at)


def _expired(at: int) -> Select[Any]:
    return _EXPIRED.where(works.c.expires_at <= at)


def _first(times: Iterable[int | None]) -> int | None:
    return min((one for one in times if one is not None), default=None)
