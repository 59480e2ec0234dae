"""Fluxi behind a host: what is at stake are Works."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy import Connection, select

from mew_agents.fluxi.fsm import LIVE
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.participant.engine import Engine, UnderWay
from mew_agents.fluxi.participant.station import Station
from mew_agents.fluxi.participant.subject import Subject
from mew_agents.fluxi.ports import Witness
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.tables import works
from mew_agents.fluxi.work import Work

_EMERGENCY = "emergency"


class FluxiEngine(Engine):
    """The runtime of a station, with its Works."""

    def __init__(self, station: Station) -> None:
        self._fluxi = station.fluxi
        self._account = station.account
        self._prefix = station.prefix

    async def handle(
        self, message: Message, policy: PolicyContext, conversation: Conversation, witness: Witness
    ) -> Result:
        return await self._fluxi.handle(message, policy, conversation, witness)

    async def discard(
        self, message: Message, policy: PolicyContext, conversation: Conversation, *, reason_code: str
    ) -> None:
        await self._fluxi.discard(message, policy, conversation, reason_code=reason_code)

    async def under_way(self, message: Message, conversation: Conversation) -> UnderWay:
        """The Works are those that its sender has going on."""
        here = conversation.account_id, conversation.conversation_id

        def look(connection: Connection) -> UnderWay:
            records = self._fluxi.desk.records(connection)
            known = records.message(*here, message.sender, message.message_id)
            mine = [one for one in records.live_in(*here) if one.owner == message.sender]
            active = [one.work_id for one in mine if one.suspended_reason != "in_doubt"]
            return UnderWay(taken=known is not None and known.status == "done", subjects=active)

        return await self._fluxi.database.read(look)

    async def cancel(self, subject: Subject, *, by: str) -> None:
        for work in await self._at_stake(subject):
            if work.cancel_requested is None:
                with suppress(Refused):  # it has ended
                    await self._fluxi.operators.cancel(work.work_id, by=by, account_id=self._account)

    async def align(self, *, halted: bool) -> None:
        for work in await self._fluxi.database.read(self._live):
            if halted and work.suspended_reason != "halted":
                await self._fluxi.operators.suspend(work.work_id, by=_EMERGENCY, account_id=self._account)
            elif not halted and work.suspended_reason == "halted":
                await self._resume(work)

    async def part(self, conversation: Conversation) -> None:
        await self._fluxi.removal.part(conversation)

    async def _at_stake(self, subject: Subject) -> list[Work]:
        """The live Works that a run is about; what it has opened and nobody has seen yet, too."""

        def find(connection: Connection) -> list[Work]:
            records = self._fluxi.desk.records(connection)
            known = [records.work(work_id) for work_id in subject.subjects]
            if subject.conversation is not None:
                place = subject.conversation
                for work in records.live_in(place.account_id, place.conversation_id):
                    if any(event.cause.get("id") == subject.message_id for event in records.history(work.work_id)):
                        known.append(work)
            found = {work.work_id: work for work in known if work is not None and work.live}
            return list(found.values())

        return await self._fluxi.database.read(find)

    def _live(self, connection: Connection) -> list[Work]:
        mine = works.c.conversation_id.startswith(self._prefix, autoescape=True)
        live = works.c.state.in_(LIVE) & (works.c.account_id == self._account)
        ids = connection.execute(select(works.c.work_id).where(live, mine)).scalars().all()
        records = self._fluxi.desk.records(connection)
        return [work for id in ids if (work := records.work(id)) is not None]

    async def _resume(self, work: Work) -> None:
        """It goes on; a call of its that is due is the schedule's."""
        operators = self._fluxi.operators
        with suppress(Refused):
            await operators.resume(
                work.work_id, by=_EMERGENCY, reason="halted", account_id=self._account, at_once=False
            )
