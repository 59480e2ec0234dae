"""Turns in a space: a chat becomes a message, its turn a run, and what interrupts that reaches the Work."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace

from sqlalchemy import Connection, select

from mew_agents.durable.errors import DatabaseError
from mew_agents.fluxi.fsm import LIVE
from mew_agents.fluxi.message import Conversation, Message, Result
from mew_agents.fluxi.participant.inbound import Inbound, Said
from mew_agents.fluxi.participant.runs import RunWitness, Subject
from mew_agents.fluxi.participant.station import Station
from mew_agents.fluxi.participant.thoughts import OCCASIONS
from mew_agents.fluxi.ports import UNSEEN
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.tables import outbox, works
from mew_agents.fluxi.work import Work
from mew_gateway.sdk import Agent, Chat, Disconnected, Halted
from mew_gateway.sdk.execution.classifier import is_stop_word

log = logging.getLogger(__name__)

_GLANCE = 200  # ms between two looks at whether something may begin
_AGAIN = 1_000  # ms until a database that did not do it is asked again
_RUNS = 3  # runs of one turn that the gateway lost, before it goes on without one
# What was said, and is not in the outbox: it is said at once or never.
_UNKEPT = ("suggestion", "unreadable", "message_id_reused")


class Conversing:
    """Takes chats, one after the other in each conversation."""

    def __init__(self, agent: Agent, station: Station, inbound: Inbound) -> None:
        self._agent = agent
        self._inbound = inbound
        self._station = station
        self._turns: dict[str, RunWitness] = {}  # by conversation, while it is at work there

    async def hear(self, chat: Chat, said: Said | None) -> None:
        """A chat to the agent, or the input of an interrupt."""
        station = self._station
        payload = {} if said is None else said.payload
        answers = [] if said is None else said.envelope.correlation_id or []
        conversation = station.conversation(chat.sender, payload.get("conversation"))
        if station.me not in chat.to and not await self._is_ours(conversation, answers):
            return
        message = Message(
            message_id=chat.id,
            sender=chat.sender,
            text=chat.text,
            answers=answers[0] if answers else None,
        )
        stopping = await self._stop(chat, conversation) if is_stop_word(chat.text) else None
        async with station.line.place(conversation.conversation_id):
            if stopping is not None and stopping.honoured:
                policy = station.policy()
                await station.fluxi.discard(message, policy, conversation, reason_code="stopped")
                return
            message = replace(message, arrived=self._inbound.arrived(conversation, said))
            result = await self._take(message, conversation)
        if result is not None and result.reason_code in _UNKEPT and result.text:
            await self._agent.reply(chat, result.text)

    async def honour(self, witness: RunWitness) -> None:
        """Somebody has cancelled a run: its Works are cancelled, and their questions void (docs/interruption.md §3)."""
        operators, by = self._station.fluxi.operators, witness.cancelled_by or "somebody"
        for work in await self._at_stake(witness):
            if work.cancel_requested is None:
                with suppress(Refused):  # it has ended
                    await operators.cancel(work.work_id, by=by, account_id=self._station.account)

    async def align(self) -> None:
        """The Works stand still while an emergency does, and no longer: also across a restart."""
        fluxi, account = self._station.fluxi, self._station.account
        for work in await fluxi.database.read(self._live_works):
            if self._agent.halted and work.suspended_reason != "halted":
                await fluxi.operators.suspend(work.work_id, by="emergency", account_id=account)
            elif not self._agent.halted and work.suspended_reason == "halted":
                await self._resume(work)

    async def until_free(self) -> None:
        """Wait while nothing may begin."""
        while self._agent.halted or self._agent.paused:
            await self._agent.client.sleep(_GLANCE)

    # A turn

    async def _take(self, message: Message, conversation: Conversation) -> Result | None:
        """None: it was taken before, or stopped."""
        lost = 0
        while True:
            await self.until_free()
            try:
                taken, active = await self._look(message, conversation)
                if taken:
                    return None
                witness, result = await self._run(message, conversation, active, seen=lost < _RUNS)
            except (Halted, Disconnected) as error:
                log.info("a turn begins later: %s", error)
                continue
            except DatabaseError as error:
                log.warning("a turn is tried again: %s", error)
                await self._agent.client.sleep(_AGAIN)
                continue
            if result is not None:
                return result
            if witness is not None and witness.stopped:
                policy = self._station.policy()
                await self._station.fluxi.discard(message, policy, conversation, reason_code="interrupted")
                return None
            lost += not self._agent.halted

    async def _run(
        self, message: Message, conversation: Conversation, active: list[str], *, seen: bool
    ) -> tuple[RunWitness | None, Result | None]:
        station, key = self._station, conversation.conversation_id
        if not seen:
            return None, await station.fluxi.handle(message, station.policy(), conversation, UNSEEN)
        words = OCCASIONS.say("turn", station.options.language, who=message.sender)
        subject = Subject(words, (message.message_id,), dict.fromkeys(active), conversation, message.message_id)
        result: Result | None = None
        witness: RunWitness | None = None
        try:
            async with station.runs.within(subject, at_once=True) as witness:
                self._turns[key] = witness
                result = await station.fluxi.handle(message, station.policy(), conversation, witness)
        finally:
            self._turns.pop(key, None)
        return witness, result

    async def _look(self, message: Message, conversation: Conversation) -> tuple[bool, list[str]]:
        """Whether the message was taken before, and which Works its sender has going on here."""
        desk, here = self._station.fluxi.desk, (conversation.account_id, conversation.conversation_id)

        def look(connection: Connection) -> tuple[bool, list[str]]:
            records = desk.records(connection)
            known = records.message(*here, message.sender, message.message_id)
            live = records.live_in(*here)
            active = [one.work_id for one in live if one.owner == message.sender and one.suspended_reason != "in_doubt"]
            return known is not None and known.status == "done", active

        return await self._station.fluxi.database.read(look)

    async def _is_ours(self, conversation: Conversation, answers: list[str]) -> bool:
        """Whether a chat to nobody correlates to something that we have said in its sender's conversation."""
        query = select(outbox.c.message_id).where(
            outbox.c.account_id == conversation.account_id,
            outbox.c.conversation_id == conversation.conversation_id,
            outbox.c.message_id.in_(answers),
        )
        found = await self._station.fluxi.database.read(lambda connection: connection.execute(query).first())
        return found is not None

    # Interruptions

    async def _stop(self, chat: Chat, conversation: Conversation) -> RunWitness | None:
        """An exact stop word of whose run it is, while that is open, cancels it: the run, if there is one."""
        witness = self._turns.get(conversation.conversation_id)
        if witness is None or witness.run is None:
            return None
        witness.stop(by=chat.sender)
        await self._agent.alert(chat.text, class_="cancel", run=witness.run)
        if witness.attempting:
            await self.honour(witness)  # recorded now, and done as soon as the call is over
        return witness

    async def _at_stake(self, witness: RunWitness) -> list[Work]:
        """The live Works that a run is about; what it has opened and nobody has seen yet, too."""
        desk, subject = self._station.fluxi.desk, witness.subject

        def find(connection: Connection) -> list[Work]:
            records = desk.records(connection)
            known = [records.work(work_id) for work_id in subject.works]
            if subject.conversation is not None:
                place = subject.conversation
                for work in records.live_in(place.account_id, place.conversation_id):
                    if any(event.cause.get("id") == subject.message_id for event in records.history(work.work_id)):
                        known.append(work)
            found = {work.work_id: work for work in known if work is not None and work.live}
            return list(found.values())

        return await self._station.fluxi.database.read(find)

    # Emergencies

    def _live_works(self, connection: Connection) -> list[Work]:
        mine = works.c.conversation_id.startswith(self._station.prefix, autoescape=True)
        live = works.c.state.in_(LIVE) & (works.c.account_id == self._station.account)
        ids = connection.execute(select(works.c.work_id).where(live, mine)).scalars().all()
        records = self._station.fluxi.desk.records(connection)
        return [work for id in ids if (work := records.work(id)) is not None]

    async def _resume(self, work: Work) -> None:
        """It goes on; a call of its that is due is the schedule's."""
        with suppress(Refused):
            await self._station.fluxi.operators.resume(work.work_id, by="emergency", reason="halted", at_once=False)
