"""The transactions of conversations with a graph: words come in, what the graph made of them goes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
from sqlalchemy import Connection, select

from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.desk import Desk
from mew_agents.fluxi.intake import Intake
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.participant.engine import UnderWay
from mew_agents.fluxi.ports import REMOVED, RunOutcome
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.statements import DIALOGUE_BY_ID
from mew_agents.fluxi.tables import flow_dialogues
from mew_agents.fluxi.transaction import bound
from mew_agents.graphs.dialogues import Opened
from mew_agents.graphs.phrases import REPLIES
from mew_agents.graphs.state import Asked, Dialogue, Turn, dialogue_of
from mew_agents.language.found import Language

_D = flow_dialogues.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What came of a graph's work: it asks, or has said something (`text`, and as `told` in a dialogue), or failed."""

    asks: tuple[Asked, ...] = ()
    text: str = ""
    told: str | None = None
    checkpoint_id: str | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What a transaction has made of a dialogue. `result` None: its turn is under way. `event`: what happened, "" for
    nothing; `outcome`: how the dialogue stands then."""

    dialogue: Dialogue
    result: Result | None = None
    event: str = ""
    outcome: RunOutcome | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """A dialogue that somebody has left in the middle, and where it is."""

    conversation: Conversation
    dialogue: Dialogue
    participant: str

    @property
    def message(self) -> Message | None:
        """The words that it is at."""
        turn = self.dialogue.turn
        return None if turn is None else message_of(turn, self.participant)


class Turns:
    """Makes transactions on the tables of a Fluxi, by its desk: in conversations whose ids begin with `prefix`."""

    def __init__(self, desk: Desk, *, prefix: str) -> None:
        self._desk = desk
        self._prefix = prefix

    def policy(self, turn: Turn) -> PolicyContext:
        """How whoever said these words is served, now."""
        return self._desk.policy(turn.manner)

    async def of(self, conversation: Conversation, participant: str) -> Dialogue:
        """The dialogue with a participant, or how a new one would be."""

        def read(connection: Connection) -> Dialogue:
            return Opened.of(self._desk.records(connection), conversation, participant).dialogue

        return await self._desk.database.read(read)

    async def left(self, dialogue_id: str) -> Left | None:
        """What a dialogue is at."""

        def read(connection: Connection) -> Left | None:
            row = connection.execute(DIALOGUE_BY_ID, bound(dialogue_id=dialogue_id)).first()
            if row is None:
                return None
            conversation = Conversation(row.account_id, row.conversation_id)
            opened = Opened(self._desk.records(connection), conversation, row.participant, row)
            return Left(conversation, opened.dialogue, row.participant)

        return await self._desk.database.read(read)

    async def under_way(self, message: Message, conversation: Conversation) -> UnderWay:
        """Whether a message is done with; and the thread that it is about."""

        def look(connection: Connection) -> UnderWay:
            records = self._desk.records(connection)
            known = records.message(
                conversation.account_id, conversation.conversation_id, message.sender, message.message_id
            )
            thread_id = Opened.of(records, conversation, message.sender).dialogue.thread_id
            return UnderWay(taken=known is not None and known.status == "done", subjects=[thread_id])

        return await self._desk.database.read(look)

    async def begin(self, message: Message, policy: PolicyContext, conversation: Conversation) -> Committed:
        """A message is taken: refused, or given to the graph. Where other words are at work, nothing happens."""

        def begin(connection: Connection) -> Committed:
            act = _Act(self._desk, self._desk.records(connection), message, policy, conversation)
            return act.take()

        return await self._desk.write(begin, point="thread.begin")

    async def settle(self, dialogue: Dialogue, ending: Ending) -> Committed:
        """What came of a dialogue's turn. Nothing, if somebody has cancelled it meanwhile."""

        def settle(connection: Connection) -> Committed:
            records = self._desk.records(connection)
            opened = Opened.known(records, dialogue.dialogue_id)
            if opened is None or dialogue.turn is None:
                raise LookupError(f"the dialogue {dialogue.dialogue_id} has no turn")
            act = _Act.of(self._desk, opened, dialogue.turn)
            known = act.intake.result()
            return act.end(opened, ending) if known is None else Committed(dialogue=opened.dialogue, result=known)

        return await self._desk.write(settle, point="thread.settle")

    async def discard(
        self,
        message: Message,
        policy: PolicyContext,
        conversation: Conversation,
        *,
        reason_code: str,
        asks: tuple[Asked, ...],
    ) -> None:
        """A message is done with, and nothing comes of it; if it was an answer, what is asked now is asked again."""

        def discard(connection: Connection) -> None:
            act = _Act(self._desk, self._desk.records(connection), message, policy, conversation)
            act.discard(reason_code, asks)

        await self._desk.write(discard, point="thread.discard")

    async def part(self, conversation: Conversation, *, language: Language) -> None:
        """Whoever talks there was removed: as if each thread of theirs was cancelled, for that reason."""

        def find(connection: Connection) -> list[str]:
            here = _D.conversation_id == conversation.conversation_id
            query = select(flow_dialogues.c.state).where(here, _D.account_id == conversation.account_id)
            states = connection.execute(query).scalars()
            return [msgspec.json.decode(one, type=Dialogue).thread_id for one in states]

        for thread_id in await self._desk.database.read(find):
            await self.cancel(thread_id, by=REMOVED, language=language)

    async def cancel(self, thread_id: str, *, by: str, language: Language) -> bool:
        """Ends what a thread is about, if anything, and tells whom it was about; its questions are void. Whether there
        was anything. `language`: of what is said where no words are at work."""

        def cancel(connection: Connection) -> bool:
            records = self._desk.records(connection)
            opened = Opened.known(records, dialogue_of(thread_id))
            if opened is None or opened.dialogue.thread_id != thread_id:
                return False
            if not opened.conversation.conversation_id.startswith(self._prefix):
                return False  # another agent's on the same database
            dialogue, at = opened.dialogue, self._desk.now
            if dialogue.turn is None and dialogue.open is None:
                return False
            if dialogue.turn is not None:
                _Act.of(self._desk, opened, dialogue.turn).intake.discard(REMOVED if by == REMOVED else "cancelled")
            opened.close("void", by=by, at=at)
            opened.start_over()
            self._tell_cancelled(opened, dialogue.turn, by=by, language=language)
            opened.save("cancelled", cause={"by": by}, at=at)
            records.flush()
            return True

        return await self._desk.write(cancel, point="thread.cancel")

    def _tell_cancelled(self, opened: Opened, turn: Turn | None, *, by: str, language: Language) -> None:
        place = opened.conversation
        now = PolicyContext(now=self._desk.clock(), language=language)
        policy = now if turn is None else self.policy(turn)
        text = REPLIES.say("cancelled", policy.language)
        told = Result(kind="reply", text=text, reason_code="cancelled")
        scene = self._desk.scene(opened.records, policy, by=by, cause_id=None)
        answers = None if turn is None else turn.message_id
        self._desk.queue(scene, told, place.account_id, place.conversation_id, opened.participant, answers)


@dataclass(slots=True)
class _Act:
    """One message in one transaction."""

    desk: Desk
    records: Records
    message: Message
    policy: PolicyContext
    conversation: Conversation
    intake: Intake = field(init=False)

    def __post_init__(self) -> None:
        self.intake = Intake(self.records, self.desk.catalogue, self.message, self.policy, self.conversation)

    @classmethod
    def of(cls, desk: Desk, opened: Opened, turn: Turn) -> _Act:
        """The message that a dialogue is at, again."""
        message = message_of(turn, opened.participant)
        return cls(desk, opened.records, message, desk.policy(turn.manner), opened.conversation)

    def take(self) -> Committed:
        opened = Opened.of(self.records, self.conversation, self.message.sender)
        known = self.intake.result()
        if known is not None or opened.dialogue.turn is not None:
            return Committed(dialogue=opened.dialogue, result=known)
        question = self._correlated(opened)
        refused = self._refused(opened, question)
        if refused is not None:
            return self._say(opened, refused, "refused", None)
        answers = None
        if opened.dialogue.open is not None:
            opened.close("consumed", by=self.message.sender, at=self.policy.at)
            opened.change(asked=opened.dialogue.answered(self.message.text).asked)
            following = opened.dialogue.next
            if following is not None:
                return self._ask(opened, following)
            answers = opened.dialogue.asked
        turn = Turn(
            message_id=self.message.message_id,
            text=self.message.text,
            answered=self.message.answers,
            arrived=self.message.arrived,
            manner=self.desk.catalogue.manner(self.policy),
            received_at=self.policy.at,
            answers=answers,
        )
        opened.change(turn=turn, asked=())
        self._save(opened, "input" if answers is None else "answered")
        return Committed(dialogue=opened.dialogue)

    def end(self, opened: Opened, ending: Ending) -> Committed:
        opened.change(turn=None)
        if ending.asks:
            opened.change(asked=ending.asks, back=False)
            return self._ask(opened, ending.asks[0])
        if ending.failed:
            text = REPLIES.say("graph_failed", self.policy.language)
            failed = Result(kind="failed", text=text, reason_code="graph_failed")
            opened.change(back=False)
            return self._say(opened, failed, "failed", "failed")
        opened.change(kept=ending.checkpoint_id, back=False, told=ending.told)
        completed = Result(kind="completed", text=ending.text, reason_code="completed")
        return self._say(opened, completed, "completed", "completed")

    def discard(self, reason_code: str, asks: tuple[Asked, ...]) -> None:
        self.intake.discard(reason_code)
        opened = Opened.of(self.records, self.conversation, self.message.sender)
        turn = opened.dialogue.turn
        if turn is not None and turn.message_id == self.message.message_id:
            if turn.answers is not None and asks:
                opened.change(turn=None, asked=asks)
                self._queue(_question(asks[0], opened.ask(asks[0], at=self.policy.at)))
            else:
                opened.start_over()
            self._save(opened, "discarded")
        self.records.flush()

    # Whose question, and whether it is open (docs/fluxi.md §3)

    def _correlated(self, opened: Opened) -> SemanticContext | None:
        reference = self.message.answers
        return None if reference is None else self.records.question_of(opened.dialogue.dialogue_id, reference)

    def _refused(self, opened: Opened, question: SemanticContext | None) -> Result | None:
        reference, asked = self.message.answers, opened.dialogue.open
        if question is not None:
            return None if question.status == "pending" else self._refusal("question_closed")
        place = (self.conversation.account_id, self.conversation.conversation_id)
        if reference is not None and self.records.said_to_another(*place, self.message.sender, reference):
            return self._refusal("not_yours")
        if asked is not None and not self._came_after(self.records.open_of(opened.dialogue.dialogue_id)):
            return self._refusal("question_not_out", question_id=asked.question_id, text=asked.text)
        return None

    def _came_after(self, questions: Sequence[SemanticContext]) -> bool:
        """Words that were on their way before the question was out are no answer to it."""
        arrived = self.policy.at + 1 if self.message.arrived is None else self.message.arrived
        return all(one.sent_at is not None and arrived > one.sent_at for one in questions)

    def _refusal(self, key: str, *, question_id: str | None = None, **values: str) -> Result:
        """With a question in it, it asks that: the first time may never have reached anybody."""
        text = REPLIES.say(key, self.policy.language, **values)
        return Result(kind="reply", text=text, reason_code=key, context_id=question_id)

    # What is written

    def _ask(self, opened: Opened, asked: Asked) -> Committed:
        question_id = opened.ask(asked, at=self.policy.at)
        return self._say(opened, _question(asked, question_id), "asked", "waiting")

    def _say(self, opened: Opened, result: Result, event: str, outcome: RunOutcome | None) -> Committed:
        self._queue(result)
        self.intake.file(result, at=self.policy.at)
        self._save(opened, event, question_id=result.context_id)
        return Committed(dialogue=opened.dialogue, result=result, event=event, outcome=outcome)

    def _queue(self, result: Result) -> None:
        if result.text:
            sender, cause = self.message.sender, self.message.message_id
            scene = self.desk.scene(self.records, self.policy, by=sender, cause_id=cause)
            place = (self.conversation.account_id, self.conversation.conversation_id)
            self.desk.queue(scene, result, *place, sender, cause)

    def _save(self, opened: Opened, event: str, *, question_id: str | None = None) -> None:
        cause = {"by": self.message.sender, "id": self.message.message_id}
        opened.save(event, cause=cause, at=self.policy.at, question=question_id)
        self.records.flush()


def message_of(turn: Turn, sender: str) -> Message:
    """The message that a turn is about."""
    return Message(
        message_id=turn.message_id, sender=sender, text=turn.text, answers=turn.answered, arrived=turn.arrived
    )


def _question(asked: Asked, question_id: str) -> Result:
    return Result(kind="request_slot", text=asked.text, reason_code="asked", context_id=question_id)
