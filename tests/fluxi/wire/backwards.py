"""A fourth engine, as small as one can be: it answers whatever is said with the same words, backwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from sqlalchemy import Connection

from mew_agents.durable.failpoints import Failpoints
from mew_agents.fluxi.intake import Intake
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.participant.engine import Engine, UnderWay
from mew_agents.fluxi.participant.host import Host
from mew_agents.fluxi.participant.host_options import HostOptions
from mew_agents.fluxi.participant.station import Station
from mew_agents.fluxi.participant.subject import Subject
from mew_agents.fluxi.points import POINTS
from mew_agents.fluxi.ports import Thought, Witness
from mew_gateway.sdk.execution.policy import Policy


class Mirror(Engine):
    """Answers when it may. What it was told besides is there to look at."""

    def __init__(self, station: Station) -> None:
        self.may = asyncio.Event()
        self.may.set()
        self.heard: asyncio.Queue[str] = asyncio.Queue()
        self.cancelled: list[tuple[dict[str, str], str]] = []
        self.aligned: list[bool] = []
        self.parted: list[Conversation] = []
        self._fluxi = station.fluxi

    async def handle(
        self, message: Message, policy: PolicyContext, conversation: Conversation, witness: Witness
    ) -> Result:
        mirror = conversation.conversation_id
        await witness.noted([Thought(text="I look at it", subject=mirror, payload={"letters": len(message.text)})])
        self.heard.put_nowait(message.text)
        await self.may.wait()

        def answer(connection: Connection) -> Result:
            records = self._fluxi.desk.records(connection)
            intake = Intake(records, self._fluxi.catalogue, message, policy, conversation)
            if (known := intake.result()) is not None:
                return known
            result = Result(kind="reply", text=message.text[::-1], reason_code="reversed")
            scene = self._fluxi.desk.scene(records, policy, by=message.sender, cause_id=message.message_id)
            place = conversation.account_id, conversation.conversation_id
            self._fluxi.desk.queue(scene, result, *place, message.sender, message.message_id)
            intake.file(result, at=scene.at)
            records.flush()
            return result

        result = await self._fluxi.desk.write(answer, point="turn")
        await witness.noted([Thought(text=result.text, subject=mirror, payload={"said": True}, outcome="completed")])
        return result

    async def discard(
        self, message: Message, policy: PolicyContext, conversation: Conversation, *, reason_code: str
    ) -> None:
        def discard(connection: Connection) -> None:
            records = self._fluxi.desk.records(connection)
            Intake(records, self._fluxi.catalogue, message, policy, conversation).discard(reason_code)
            records.flush()

        await self._fluxi.desk.write(discard, point="receive")

    async def under_way(self, message: Message, conversation: Conversation) -> UnderWay:
        key = conversation.account_id, conversation.conversation_id, message.sender, message.message_id

        def look(connection: Connection) -> bool:
            known = self._fluxi.desk.records(connection).message(*key)
            return known is not None and known.status == "done"

        taken = await self._fluxi.database.read(look)
        return UnderWay(taken=taken, subjects=[conversation.conversation_id])

    async def cancel(self, subject: Subject, *, by: str) -> None:
        self.cancelled.append((subject.subjects, by))

    async def align(self, *, halted: bool) -> None:
        self.aligned.append(halted)

    async def part(self, conversation: Conversation) -> None:
        self.parted.append(conversation)


class Backwards(Host):
    """An agent with a mirror. It dies where MEW_FAILPOINT says."""

    file = "backwards.db"
    policy: ClassVar[Policy] = "checkpointed"
    key = "mirror_id"
    mirror: Mirror

    def __init__(self, options: HostOptions | None = None) -> None:
        super().__init__(options, failpoints=Failpoints.from_environment(POINTS))

    @asynccontextmanager
    async def engine(self, station: Station) -> AsyncIterator[Engine]:
        self.mirror = Mirror(station)
        yield self.mirror


class Patient(Backwards):
    """One that ends at the next boundary."""

    policy = "soft-stop"
