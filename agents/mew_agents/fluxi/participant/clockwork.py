"""What the agent does by itself: what is due, what is to be said, and where to go on after a restart."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sqlalchemy import Connection, select

from mew_agents.fluxi.participant.conversing import Conversing
from mew_agents.fluxi.participant.inbound import Inbound
from mew_agents.fluxi.participant.station import Station
from mew_agents.fluxi.participant.subject import WORK, Subject
from mew_agents.fluxi.participant.thoughts import OCCASIONS
from mew_agents.fluxi.ports import Witness
from mew_agents.fluxi.tables import outbox
from mew_gateway.errors import MewError
from mew_gateway.sdk import Agent

log = logging.getLogger(__name__)

# The longest pause: a person at the command line acts on the same database, and says so to nobody. ms
_GLANCE = 2_000
_AGAIN = 1_000  # ms, where something could not be done
_BACKOFF = 10_000  # ms at most between two tries at saying something

_ANYTHING = select(outbox.c.position).where(outbox.c.status == "waiting").limit(1)


class Clockwork:
    """Three loops, each of which goes on whatever happens in it."""

    def __init__(self, agent: Agent, station: Station, conversing: Conversing, inbound: Inbound) -> None:
        self._agent = agent
        self._station = station
        self._conversing = conversing
        self._inbound = inbound
        self._due = asyncio.Event()
        self._queued = asyncio.Event()

    def stir(self) -> None:
        """Something was committed: there may be something due, or something to say."""
        self._due.set()
        self._queued.set()

    async def keep_time(self) -> None:
        """Does what is due when it is: at the start what an earlier life has left, which is all that recovery is."""
        await self._forever("what is due", self._do_due, self._due)

    async def relay(self) -> None:
        """Says what is to be said."""
        await self._forever("saying something", self._say, self._queued)

    async def keep_mark(self) -> None:
        """Writes down where to go on after a restart."""
        while True:
            await asyncio.sleep(_AGAIN / 1000)
            self._station.resumption.write()

    async def _forever(self, name: str, work: Callable[[], Awaitable[int]], event: asyncio.Event) -> None:
        while True:
            event.clear()
            await self._conversing.until_free()
            try:
                pause = await work()
            except MewError as error:
                log.warning("%s: %s", name, error)
                pause = _AGAIN
            except Exception:
                log.exception("%s failed", name)
                pause = _AGAIN
            await self._pause(event, pause)

    async def _pause(self, event: asyncio.Event, milliseconds: int) -> None:
        """Wait, by the client's clock, but no longer than until something happens."""
        waits = asyncio.ensure_future(event.wait())
        sleeps = asyncio.ensure_future(self._agent.client.sleep(milliseconds))
        try:
            await asyncio.wait((waits, sleeps), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waits.cancel()
            sleeps.cancel()

    async def _do_due(self) -> int:
        """Returns how long there is nothing to do, ms."""
        fluxi = self._station.fluxi
        await self._follow_proposals()
        done = await fluxi.schedule.run_due(self._around)
        if done:
            self._queued.set()
        due = await fluxi.schedule.next_due()
        left = _GLANCE if due is None else due - fluxi.desk.now
        # What is over and was not done is somebody else's, or has failed: it will not go better at once.
        return min(_GLANCE, left if left > 0 else _AGAIN)

    async def _follow_proposals(self) -> None:
        proposals = self._station.proposals
        for id, cursor in await proposals.refresh():
            since = None if cursor is None else await self._agent.client.history(cursor)
            if since is None:
                proposals.confirm(id)
            for envelope in since or ():
                news = proposals.take(envelope)
                if news is not None:
                    log.info("the proposal %s was dealt with before", id)
                    await self._inbound.news(news)
        for news in await proposals.withdraw(self._agent.participant):
            await self._inbound.news(news)

    async def _say(self) -> int:
        carrier = self._station.carrier
        if not await self._station.fluxi.database.read(_waits):
            return _GLANCE
        carrier.waiting = False
        await self._station.fluxi.outbox.relay()
        return _AGAIN if carrier.waiting else _GLANCE

    @asynccontextmanager
    async def _around(self, work_id: str, why: str) -> AsyncIterator[Witness]:
        """A run for what is due of a Work, in the line of its conversation."""
        station, desk = self._station, self._station.fluxi.desk
        place = await station.fluxi.database.read(lambda connection: desk.records(connection).place_of(work_id))
        subject = Subject(OCCASIONS.say(why, station.options.language), (), {work_id: WORK})
        async with station.turn(work_id if place is None else place[1], subject) as witness:
            yield witness


def _waits(connection: Connection) -> bool:
    return connection.execute(_ANYTHING).first() is not None
