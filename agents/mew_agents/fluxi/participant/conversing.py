"""Turns in a space: a chat becomes a message, its turn a run, and what interrupts that reaches the engine."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from sqlalchemy import select

from mew_agents.durable.errors import DatabaseError
from mew_agents.fluxi.message import Conversation, Message, Result
from mew_agents.fluxi.participant.engine import Engine
from mew_agents.fluxi.participant.inbound import Inbound, Said
from mew_agents.fluxi.participant.runs import RunWitness
from mew_agents.fluxi.participant.station import Station
from mew_agents.fluxi.participant.subject import Subject
from mew_agents.fluxi.participant.thoughts import OCCASIONS
from mew_agents.fluxi.ports import REMOVED, UNSEEN
from mew_agents.fluxi.tables import outbox
from mew_gateway.sdk import Agent, Chat, Disconnected, Halted
from mew_gateway.sdk.classifier.classifier import is_stop_word

log = logging.getLogger(__name__)

_GLANCE = 200  # ms between two looks at whether something may begin
_AGAIN = 1_000  # ms until a database that did not do it is asked again
_RUNS = 3  # runs of one turn that the gateway lost, before it goes on without one
# What was said, and is not in the outbox: it is said at once or never.
_UNKEPT = ("suggestion", "unreadable", "message_id_reused")


class Conversing:
    """Takes chats, one after the other in each conversation."""

    def __init__(self, agent: Agent, station: Station, inbound: Inbound, engine: Engine) -> None:
        self._agent = agent
        self._engine = engine
        self._inbound = inbound
        self._station = station
        self._aligning = asyncio.Lock()
        self._still = False  # what is going on stands still
        self._turns: dict[str, RunWitness] = {}  # by conversation, while it is at work there

    async def hear(self, chat: Chat, said: Said | None) -> None:
        """A chat to the agent, or the input of an interrupt."""
        station = self._station
        payload = {} if said is None else said.payload
        answers = [] if said is None else said.envelope.correlation_id or []
        conversation = station.conversation(chat.sender, chat.invitation, payload.get("conversation"))
        if station.proposals.explains(answers):
            return
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
                await self._engine.discard(message, station.policy(message.sender), conversation, reason_code="stopped")
                return
            message = replace(message, arrived=self._inbound.arrived(conversation, said))
            result = await self._take(message, conversation)
        if result is not None and result.reason_code in _UNKEPT and result.text:
            await self._agent.reply(chat, result.text)

    async def part(self, place: str) -> None:
        """The guest whose conversation it is was removed: what was going on there is stopped, and ends.

        What is irreversible and under way comes to its end, and is recorded.
        """
        station, witness = self._station, self._turns.get(place)
        line = station.line.place(place)
        if witness is not None and witness.run is not None:
            witness.stop(by=REMOVED)
            await self._agent.alert(REMOVED, class_="cancel", run=witness.run)
            if witness.attempting:
                await self.honour(witness)
        async with line:
            await self.until_free()
            await self._engine.part(Conversation(station.account, place))
        station.runs.stirred()

    async def honour(self, witness: RunWitness) -> None:
        """Somebody has cancelled a run: what is at stake in it is cancelled, too (docs/interruption.md §3)."""
        witness.settled(await self._engine.cancel(witness.subject, by=witness.cancelled_by or "somebody"))

    async def align(self) -> None:
        """What is going on stands still while an emergency does, and no longer: also across a restart."""
        async with self._aligning:  # whatever comes last sees how it stands then
            halted = self._agent.halted
            self._still = self._still or halted
            await self._engine.align(halted=halted)
            self._still = halted

    async def until_free(self) -> None:
        """Wait while nothing may begin: also until what stood still goes on, or it would answer that it does not."""
        while self._agent.halted or self._agent.paused or self._still:
            await self._agent.client.sleep(_GLANCE)

    # A turn

    async def _take(self, message: Message, conversation: Conversation) -> Result | None:
        """None: it was taken before, or stopped."""
        lost = 0
        while True:
            await self.until_free()
            try:
                if self._station.is_gone(conversation.conversation_id):
                    log.info("what %s said is not heard: that guest was removed", message.sender)
                    await self._engine.discard(
                        message, self._station.policy(message.sender), conversation, reason_code=REMOVED
                    )
                    return None
                before = await self._engine.under_way(message, conversation)
                if before.taken:
                    return None
                witness, result = await self._run(message, conversation, before.subjects, seen=lost < _RUNS)
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
                await self._engine.discard(
                    message, self._station.policy(message.sender), conversation, reason_code="interrupted"
                )
                return None
            lost += not self._agent.halted

    async def _run(
        self, message: Message, conversation: Conversation, subjects: list[str], *, seen: bool
    ) -> tuple[RunWitness | None, Result | None]:
        station, key = self._station, conversation.conversation_id
        if not seen:
            return None, await self._engine.handle(message, station.policy(message.sender), conversation, UNSEEN)
        words = OCCASIONS.say("turn", station.options.language, who=message.sender)
        known = dict.fromkeys(subjects, station.runs.key)
        subject = Subject(words, (message.message_id,), known, conversation, message.message_id)
        result: Result | None = None
        witness: RunWitness | None = None
        try:
            async with station.runs.within(subject, at_once=True) as witness:
                self._turns[key] = witness
                result = await self._engine.handle(message, station.policy(message.sender), conversation, witness)
        finally:
            self._turns.pop(key, None)
        return witness, result

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
