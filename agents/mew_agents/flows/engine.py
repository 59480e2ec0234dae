"""Flows: a message goes in, a result comes out; between them a dialogue that stops, persists and resumes (seed 003).

RuntimeLoop is `handle`: whatever a dialogue waited for, it goes on exactly there (docs/flows.md §2).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Self, TypeAlias

from sqlalchemy import Connection
from uuid_utils import uuid7

from mew_agents.durable import NONE
from mew_agents.durable.failpoints import Reaching
from mew_agents.flows.calling import Calling
from mew_agents.flows.chapter import Chapter
from mew_agents.flows.deciding import Deciding, Wanted, asked
from mew_agents.flows.definitions.library import Library
from mew_agents.flows.definitions.loader import shipped
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.dialogues import Dialogues
from mew_agents.flows.events import Dropped, Paused
from mew_agents.flows.operators import FlowOperators
from mew_agents.flows.state import Dialogue
from mew_agents.flows.turn import Taken, Turn
from mew_agents.flows.understanding.base import Understander
from mew_agents.flows.understanding.rules import Rules
from mew_agents.flows.unfinished import UnfinishedTurns
from mew_agents.flows.versions import register
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.desk import utc_now
from mew_agents.fluxi.engine import Fluxi, suggestion
from mew_agents.fluxi.intake import Intake
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result, readable
from mew_agents.fluxi.participant.line import Line, Place
from mew_agents.fluxi.ports import UNSEEN, Carrier, ToolPort, Witness
from mew_agents.fluxi.replies import say
from mew_agents.fluxi.unfinished import Unfinished, received
from mew_agents.language.found import Language
from mew_agents.language.speech import language_of


class _Suggested(Exception):
    """The turn was only tried: what it would have said."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.reason_code)
        self.result = result


# Around everything that a dialogue does by itself: a witness of it.
Around: TypeAlias = Callable[[Dialogue], AbstractAsyncContextManager[Witness]]


@asynccontextmanager
async def _unseen(_dialogue: Dialogue) -> AsyncIterator[Witness]:
    yield UNSEEN


def _new_id() -> str:
    return str(uuid7())


class Flows:
    """Dialogues on one database, which is Fluxi's: their questions, replies and effects are in its tables.

    `handle` may be called from many tasks; each conversation has one turn at a time. `operators` acts for people;
    `fluxi` has the outbox, the schedule and the Works that effects are; `around` is for whoever watches what is due.
    """

    around: Around = staticmethod(_unseen)

    def __init__(
        self,
        fluxi: Fluxi,
        *,
        flows: Iterable[Flow] | None = None,
        understander: Understander | None = None,
        failpoints: Reaching = NONE,
    ) -> None:
        """On a Fluxi that is open with the `effect_definitions` of the same flows; `start` comes next.

        `flows` None: those that come with it; `understander` None: rules.
        """
        self.fluxi = fluxi
        self.dialogues = Dialogues(fluxi.desk, Library(shipped() if flows is None else flows))
        self.operators = FlowOperators(self.dialogues)
        self._understander = understander or Rules()
        self._failpoints = failpoints
        self._line = Line()
        self._calling = Calling(self.dialogues, failpoints)
        fluxi.desk.parts = self.dialogues.part
        fluxi.outbox.unsaid = self.dialogues.unsaid
        fluxi.schedule.take_over("message", Unfinished(fluxi.desk, self._again))
        fluxi.schedule.take_over("turn", UnfinishedTurns(self._take_up))

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        tools: ToolPort,
        flows: Iterable[Flow] | None = None,
        understander: Understander | None = None,
        carrier: Carrier | None = None,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = _new_id,
        failpoints: Reaching = NONE,
    ) -> Self:
        """Flows on the database at a URL, its schema and the flows' versions up to date. Raises DatabaseError.

        The options are those of `Fluxi.open`.
        """
        known = shipped() if flows is None else tuple(flows)
        fluxi = await Fluxi.open(
            url,
            tools=tools,
            definitions=effect_definitions(known),
            carrier=carrier,
            clock=clock,
            new_id=new_id,
            failpoints=failpoints,
        )
        try:
            found = cls(fluxi, flows=known, understander=understander, failpoints=failpoints)
            await found.start()
        except BaseException:
            fluxi.close()
            raise
        return found

    async def start(self) -> None:
        """Stores the flows' versions, and learns those that running ones keep."""
        at, dialogues = self.fluxi.desk.now, self.dialogues
        dialogues.library = await self.fluxi.desk.write(
            lambda connection: register(connection, dialogues.library, at), point="register"
        )
        slots = (slot.slot for flow in dialogues.library.flows for slot in flow.slots.values())
        self.fluxi.catalogue.want(tool for slot in slots if (tool := getattr(slot, "tool", None)))
        await self.fluxi.learn_lists()

    def close(self) -> None:
        """Lets go of the database. What waits, waits on."""
        self.fluxi.close()

    # A message

    async def handle(
        self, message: Message, policy: PolicyContext, conversation: Conversation, witness: Witness = UNSEEN
    ) -> Result:
        """What comes of a message. The same message again has the same result, and nothing else.

        Returns when nothing is left to do now: a question waits, or all is done. Raises DatabaseError.
        """
        if policy.mode == "off":
            return Result(kind="no_action", text=say("off", policy), reason_code="off")
        if not readable(message, conversation):
            return Result(kind="failed", text=say("unreadable", policy), reason_code="unreadable")
        message = self.fluxi.desk.arrives(message, policy)
        async with self._place(conversation.account_id, conversation.conversation_id):
            return await self._handle(message, policy, conversation, witness, heard=True)

    async def _handle(
        self, message: Message, policy: PolicyContext, conversation: Conversation, witness: Witness, *, heard: bool
    ) -> Result:
        while True:
            try:
                taken, chapter = await self._turn(message, policy, conversation, heard=heard)
            except Wanted as wanted:
                await self._decide(message, policy, conversation, wanted)
                continue
            except _Suggested as suggested:
                return suggested.result
            await self.dialogues.show((chapter,), witness)
            if taken.goes_on:
                await self.go_on(chapter.dialogue.dialogue_id, witness, heard=heard)
            elif taken.result is not None:
                return taken.result

    async def _turn(
        self, message: Message, policy: PolicyContext, conversation: Conversation, *, heard: bool
    ) -> tuple[Taken, Chapter]:
        """One transaction of the turn. Raises Wanted, _Suggested."""
        fluxi, suggests = self.fluxi, policy.mode == "suggest"

        def take(connection: Connection) -> tuple[Taken, Chapter]:
            records = fluxi.desk.records(connection)
            intake = Intake(records, fluxi.catalogue, message, policy, conversation)
            at, by, cause_id = policy.at, message.sender, message.message_id
            chapter = self.dialogues.of(records, *intake.key[:3], at=at, by=by, cause_id=cause_id, heard=heard)
            known = intake.result()
            if known is not None:
                return Taken(known), chapter
            chapter.message = message.message_id
            served = in_their_language(message, policy, chapter.dialogue, self.dialogues.library)
            taken = Turn(
                chapter=chapter,
                intake=intake,
                deciding=Deciding(
                    records,
                    self._understander,
                    intake.key,
                    message.text,
                    at=at,
                    fresh=not suggests and not intake.received,  # what is only suggested is never received
                ),
                message=message,
                policy=served,
                manner=fluxi.catalogue.manner(served),
                lists=fluxi.catalogue.lists,
                whole=suggests,
            ).take()
            if suggests and taken.result is not None:
                raise _Suggested(suggestion(taken.result, policy))
            if suggests:
                raise _Suggested(suggestion(_busy(policy), policy))
            records.flush()
            return taken, chapter

        point = "suggest" if suggests else "turn"
        return await fluxi.desk.write(take, point=point)

    async def discard(
        self, message: Message, policy: PolicyContext, conversation: Conversation, *, reason_code: str
    ) -> None:
        """A message whose turn somebody stopped: what is committed stands, and nothing more comes of it."""

        def discard(connection: Connection) -> None:
            records = self.fluxi.desk.records(connection)
            intake = Intake(records, self.fluxi.catalogue, message, policy, conversation)
            at, by, cause_id = policy.at, message.sender, message.message_id
            chapter = self.dialogues.of(records, *intake.key[:3], at=at, by=by, cause_id=cause_id)
            chapter.message = message.message_id
            turn = chapter.dialogue.turn
            if turn is not None and turn.message_id == message.message_id:
                chapter.happen(Dropped(at=at, reason=reason_code))
                chapter.write()
            intake.discard(reason_code)
            records.flush()

        await self.fluxi.desk.write(discard, point="receive")

    # What goes on by itself

    async def go_on(self, dialogue_id: str, witness: Witness = UNSEEN, *, heard: bool = False) -> None:
        """Does whatever a dialogue can do without being told anything: the calls it waits for, the end of its turn.

        A turn that was cut off anywhere is taken up here; one whose slots are not known yet, with its message.
        """
        while (dialogue := await self.dialogues.read(dialogue_id)) is not None:
            if dialogue.calls:
                await self._calling.call(dialogue, dialogue.calls[0], witness, heard=heard)
            elif dialogue.turn is None:
                return
            elif not dialogue.turn.going:
                await self._finish_message(dialogue, witness)
            else:
                for acting in dialogue.effects:
                    if not acting.known and acting.work_id is not None:
                        await self.fluxi.effects.carry_out(acting.work_id, witness, heard=heard)
                await self.dialogues.change(
                    dialogue_id, _pause, point="turn", by="engine", witness=witness, heard=heard
                )

    # Understanding

    async def _decide(
        self, message: Message, policy: PolicyContext, conversation: Conversation, wanted: Wanted
    ) -> None:
        """The message is received, then the model is asked, then its answer is stored: never decided twice (§2)."""
        fluxi = self.fluxi

        def receive(connection: Connection) -> None:
            records = fluxi.desk.records(connection)
            Intake(records, fluxi.catalogue, message, policy, conversation).receive()
            records.flush()

        await fluxi.desk.write(receive, point="receive")
        self._failpoints.reach("interpret.before")
        understood = await asked(self._understander, message.text, wanted)
        self._failpoints.reach("interpret.after")

        def decide(connection: Connection) -> None:
            records = fluxi.desk.records(connection)
            key = Intake(records, fluxi.catalogue, message, policy, conversation).key
            deciding = Deciding(records, self._understander, key, message.text, at=policy.at)
            if deciding.missing(wanted.about):
                deciding.record(wanted.about, wanted.standing, understood)
                records.flush()

        await fluxi.desk.write(decide, point="decide")

    # What was left

    async def _again(self, message: Message, policy: PolicyContext, conversation: Conversation) -> None:
        """A message that was received and never finished, with what was decided about it."""
        async with self._place(conversation.account_id, conversation.conversation_id):
            await self._handle(message, policy, conversation, UNSEEN, heard=False)

    async def _take_up(self, dialogue_id: str) -> None:
        """A turn that was left, or a flow that goes on behind what somebody else has done."""
        dialogue = await self.dialogues.read(dialogue_id)
        if dialogue is not None:
            here = dialogue.account_id, dialogue.conversation_id
            async with self.around(dialogue) as witness, self._place(*here):  # the place is taken within the other
                await self.go_on(dialogue_id, witness)

    async def _finish_message(self, dialogue: Dialogue, witness: Witness) -> None:
        """The message of a turn that has had its first pass, with its slots."""
        desk, message_id = self.fluxi.desk, "" if dialogue.turn is None else dialogue.turn.message_id
        key = dialogue.account_id, dialogue.conversation_id, dialogue.participant, message_id
        found = await desk.database.read(lambda connection: received(desk, connection, key))
        if found is None:
            raise LookupError(f"the message {message_id} of an open turn of {dialogue.dialogue_id} is gone")
        await self._handle(*found, witness, heard=False)

    def _place(self, *conversation: str) -> Place:
        return self._line.place("\n".join(conversation))


def effect_definitions(flows: Iterable[Flow]) -> list[Definition]:
    """What the Works of flows' effects are opened with."""
    return [flow.effect_definition(effect) for flow in flows for effect in flow.effects]


def _pause(chapter: Chapter) -> None:
    """What the turn waits for is not to be had now: that is said."""
    if chapter.dialogue.turn is not None and not chapter.dialogue.calls:
        chapter.happen(Paused(at=chapter.at))


def _busy(policy: PolicyContext) -> Result:
    return Result(kind="reply", text=say("executing", policy), reason_code="executing")


def in_their_language(message: Message, policy: PolicyContext, dialogue: Dialogue, library: Library) -> PolicyContext:
    """The policy in the language that the person writes here, if it follows them: that of the dialogue, unless this
    message is clearly in another one, which all flows have."""
    if not policy.follows:
        return policy
    before: Language = read(dialogue.manner).get("language", policy.language)
    spoken = language_of(message.text, before)
    known = all(spoken in flow.languages for flow in library.startable)
    return replace(policy, language=spoken if known else before)
