"""Flows behind a host: what is at stake are flows, and the Works that their effects are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import Connection, select

from mew_agents.flows import state
from mew_agents.flows.engine import Flows
from mew_agents.flows.state import Dialogue
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.participant.engine import Engine, UnderWay
from mew_agents.fluxi.participant.fluxi_engine import FluxiEngine
from mew_agents.fluxi.participant.station import Station
from mew_agents.fluxi.participant.subject import WORK, Subject
from mew_agents.fluxi.participant.thoughts import OCCASIONS
from mew_agents.fluxi.ports import Witness
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.tables import flow_dialogues as dialogues
from mew_agents.fluxi.tables import flow_events as events

FLOW = "flow_id"


class FlowEngine(Engine):
    """The flows of a station."""

    def __init__(self, station: Station, flows: Flows) -> None:
        self._flows = flows
        self._works = FluxiEngine(station)
        self._account = station.account
        self._prefix = station.prefix
        self._station = station
        flows.around = self._around

    async def handle(
        self, message: Message, policy: PolicyContext, conversation: Conversation, witness: Witness
    ) -> Result:
        return await self._flows.handle(message, policy, conversation, witness)

    async def discard(
        self, message: Message, policy: PolicyContext, conversation: Conversation, *, reason_code: str
    ) -> None:
        await self._flows.discard(message, policy, conversation, reason_code=reason_code)

    async def under_way(self, message: Message, conversation: Conversation) -> UnderWay:
        """The flows of its sender's dialogue, the one at hand last."""
        here = conversation.account_id, conversation.conversation_id, message.sender

        def look(connection: Connection) -> UnderWay:
            records = self._flows.fluxi.desk.records(connection)
            known = records.message(*here, message.message_id)
            row = records.dialogue(*here)
            stack = () if row is None else state.read(row.state).stack
            taken = known is not None and known.status == "done"
            return UnderWay(taken=taken, subjects=[frame.flow_id for frame in stack])

        return await self._flows.fluxi.database.read(look)

    async def cancel(self, subject: Subject, *, by: str) -> None:
        """The flow that something happened to last; those that wait below it go on."""
        flow_id = await self._flows.fluxi.database.read(lambda connection: self._at_stake(connection, subject))
        if flow_id is not None:
            with suppress(Refused):  # it has ended
                await self._flows.operators.cancel(flow_id, by=by, account_id=self._account)

    @asynccontextmanager
    async def _around(self, dialogue: Dialogue) -> AsyncIterator[Witness]:
        """A run for what a dialogue does by itself, in the line of its conversation."""
        words = OCCASIONS.say("resumed", self._station.options.language)
        known = {frame.flow_id: FLOW for frame in dialogue.stack}
        async with self._station.turn(dialogue.conversation_id, Subject(words, (), known)) as witness:
            yield witness

    async def align(self, *, halted: bool) -> None:
        await self._works.align(halted=halted)
        await self._flows.operators.align(halted=halted, account_id=self._account, prefix=self._prefix)

    async def part(self, conversation: Conversation) -> None:
        await self._flows.operators.part(conversation)
        await self._works.part(conversation)

    def _at_stake(self, connection: Connection, subject: Subject) -> str | None:
        records = self._flows.fluxi.desk.records(connection)
        begun = self._begun_by(connection, subject)
        if begun is not None:
            return begun
        for id, key in reversed(subject.subjects.items()):
            if key == FLOW:
                return id
            work = records.work(id) if key == WORK else None
            row = None if work is None or work.part_of is None else records.dialogue_by_id(work.part_of)
            if row is not None:
                for frame in state.read(row.state).stack:
                    if frame.acting is not None and frame.acting.work_id == id:
                        return frame.flow_id
        return None

    def _begun_by(self, connection: Connection, subject: Subject) -> str | None:
        """The flow at hand that the message of a turn has begun, if nobody has seen that yet."""
        if subject.conversation is None or subject.message_id is None:
            return None
        here = dialogues.c.conversation_id == subject.conversation.conversation_id
        mine = (dialogues.c.account_id == subject.conversation.account_id) & here
        for row in connection.execute(select(dialogues.c.dialogue_id, dialogues.c.state).where(mine)):
            top = state.read(row.state).top
            if (
                top is not None
                and top.flow_id not in subject.subjects
                and _moved(connection, row.dialogue_id, subject.message_id)
            ):
                return top.flow_id
        return None


def _moved(connection: Connection, dialogue_id: str, message_id: str) -> bool:
    """Whether the last thing that happened in a dialogue is of the turn of a message."""
    causes = select(events.c.cause).where(events.c.dialogue_id == dialogue_id).order_by(events.c.revision.desc())
    last = connection.execute(causes.limit(1)).scalar()
    return last is not None and read(last).get("id") == message_id
