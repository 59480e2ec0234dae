"""Fluxi: a message goes in, a result comes out; between them, transactions of business (seed 002 §1, §2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from sqlalchemy import Connection
from uuid_utils import uuid7

from mew_agents.durable import NONE, Database
from mew_agents.durable.failpoints import Reaching
from mew_agents.fluxi.arrivals import Arrivals
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.catalogue import Catalogue
from mew_agents.fluxi.decisions import Thinking, Wanted, decision_row
from mew_agents.fluxi.definitions.loader import shipped
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.desk import Desk, Done, result_of, utc_now
from mew_agents.fluxi.effects import Effects
from mew_agents.fluxi.intake import Intake
from mew_agents.fluxi.interpreter.base import Interpreter, Understanding
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result, readable
from mew_agents.fluxi.operators import Operators
from mew_agents.fluxi.outbox import Outbox
from mew_agents.fluxi.ports import UNSEEN, Carrier, ToolPort, Witness
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.removal import Removal
from mew_agents.fluxi.replies import say
from mew_agents.fluxi.reviews import Reviews
from mew_agents.fluxi.schedule import Schedule
from mew_agents.fluxi.statements import INSERT_DECISION
from mew_agents.fluxi.tables import SCHEMA
from mew_agents.fluxi.turn import Turn
from mew_agents.fluxi.unfinished import Unfinished
from mew_agents.language.found import Language
from mew_agents.language.speech import language_of


class _Suggested(Exception):
    """The turn was only tried: what it would have said, and the decisions that were made for it."""

    def __init__(self, result: Result, decisions: Sequence[dict[str, Any]]) -> None:
        super().__init__(result.reason_code)
        self.result = result
        self.decisions = decisions


def _new_id() -> str:
    return str(uuid7())


class Fluxi:
    """The transactional runtime on one database. It never calls an assistant (invariant 1), owns no tool (8).

    `handle` may be called from many tasks, and by many processes on one database; each conversation has one turn at
    a time. `operators` and `reviews` act for people, `arrivals` takes in late answers, `schedule` does what is due,
    `outbox` sends what was said, `removal` ends what goes on with somebody who was removed.
    """

    def __init__(
        self,
        database: Database,
        *,
        tools: ToolPort,
        definitions: Iterable[Definition] | None = None,
        interpreter: Interpreter | None = None,
        carrier: Carrier | None = None,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = _new_id,
        failpoints: Reaching = NONE,
    ) -> None:
        self._interpreter = interpreter or Rules()
        self._has_read = False
        self._failpoints = failpoints
        self._tools = tools
        self.database = database
        self.catalogue = Catalogue(shipped() if definitions is None else definitions)
        self.desk = Desk(
            database=database, catalogue=self.catalogue, tools=tools, carrier=carrier, clock=clock, new_id=new_id
        )
        self.effects = Effects(self.desk, tools, failpoints)
        self.operators = Operators(self.desk, self.effects)
        self.reviews = Reviews(self.desk)
        self.removal = Removal(self.desk, self.operators)
        self.arrivals = Arrivals(self.desk, self.effects)
        self.outbox = Outbox(self.desk, carrier, failpoints)
        self.schedule = Schedule(self.desk, self.effects, {"message": Unfinished(self.desk, self._again)})

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        tools: ToolPort,
        definitions: Iterable[Definition] | None = None,
        interpreter: Interpreter | None = None,
        carrier: Carrier | None = None,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = _new_id,
        failpoints: Reaching = NONE,
    ) -> Self:
        """Fluxi on the database at a URL, its schema and definitions up to date. Raises DatabaseError.

        `definitions` None: those that come with it; `interpreter` None: rules; `carrier` None: what is said is the
        result, and what is said later waits for `outbox.take`. `clock` gives aware datetimes, `new_id` ids that sort by
        time; `failpoints` are for tests.
        """
        database = Database.open(url, schema=SCHEMA, failpoints=failpoints)
        try:
            fluxi = cls(
                database,
                tools=tools,
                definitions=definitions,
                interpreter=interpreter,
                carrier=carrier,
                clock=clock,
                new_id=new_id,
                failpoints=failpoints,
            )
            await fluxi.start()
        except BaseException:
            database.close()
            raise
        return fluxi

    async def start(self) -> None:
        """Registers the definitions, and asks the tools for the lists that slots are matched against."""
        at = self.desk.now
        await self.desk.write(lambda connection: self.catalogue.register(connection, at), point="register")
        await self.learn_lists()

    async def learn_lists(self) -> None:
        """Asks tools for their lists; one that does not answer keeps its last."""
        for tool in self.catalogue.tools():
            self._failpoints.reach("names.before")
            names = await self._tools.names(tool)
            self._failpoints.reach("names.after")
            if names is not None:
                self.catalogue.lists[tool] = names

    def close(self) -> None:
        """Lets go of the database. What is under way is taken up again by whoever opens it next."""
        self.database.close()

    async def handle(
        self, message: Message, policy: PolicyContext, conversation: Conversation, witness: Witness = UNSEEN
    ) -> Result:
        """What comes of a message (docs/fluxi.md §1). The same message again has the same result, and nothing else.

        A message id that comes again with other content is refused. Returns when nothing is left to do now.
        """
        return await self._handle(message, policy, conversation, witness, heard=True)

    async def _handle(
        self, message: Message, policy: PolicyContext, conversation: Conversation, witness: Witness, *, heard: bool
    ) -> Result:
        if policy.mode == "off":
            return Result(kind="no_action", text=say("off", policy), reason_code="off")
        if not readable(message, conversation):
            return Result(kind="failed", text=say("unreadable", policy), reason_code="unreadable")
        done = await self._turn(message, policy, conversation, heard=heard)
        await witness.saw(done.events)
        result, work_id = done.value
        if work_id is not None:
            result = await self.effects.carry_out(work_id, witness, heard=heard) or result
        return result

    async def discard(
        self, message: Message, policy: PolicyContext, conversation: Conversation, *, reason_code: str
    ) -> None:
        """A message whose turn somebody stopped before it was committed: it is done with, and nothing comes of it."""

        def discard(connection: Connection) -> None:
            records = self.desk.records(connection)
            Intake(records, self.catalogue, message, policy, conversation).discard(reason_code)
            records.flush()

        await self.desk.write(discard, point="receive")

    async def _turn(
        self, message: Message, policy: PolicyContext, conversation: Conversation, *, heard: bool
    ) -> Done[tuple[Result, str | None]]:
        """The turn's one transaction; before it, whatever an interpreter needs time for."""
        point = "suggest" if policy.mode == "suggest" else "turn"
        await self._read_ahead(message, policy, conversation)
        while True:
            try:
                return await self.desk.write(
                    lambda connection: self._take(connection, message, policy, conversation, heard), point=point
                )
            except Wanted as wanted:
                await self._decide(message, policy, conversation, wanted)
            except _Suggested as suggested:
                await self._keep(suggested)
                return Done((suggested.result, None), (), suggested.result)

    async def _read_ahead(self, message: Message, policy: PolicyContext, conversation: Conversation) -> None:
        """Reads the first message once before its transaction. Grammars are compiled when they are first used, which
        takes half a second, and a transaction that writes keeps all others out of an SQLite file.
        """
        if self._has_read or not self._interpreter.deterministic:
            return
        self._has_read = True
        definitions = self.catalogue.of_account(conversation.account_id)
        now = policy.now.astimezone(policy.zone)
        understanding = Understanding(language=policy.language, now=now, lists=self.catalogue.lists)
        await self.database.read(lambda _: self._interpreter.propose(message.text, definitions, understanding))

    def _take(
        self, connection: Connection, message: Message, policy: PolicyContext, conversation: Conversation, heard: bool
    ) -> Done[tuple[Result, str | None]]:
        records = self.desk.records(connection)
        intake = Intake(records, self.catalogue, message, policy, conversation)
        known = intake.result()
        if known is not None:
            return Done((known, None), (), known)
        policy = in_their_language(records, message, policy, conversation)
        scene = self.desk.scene(records, policy, by=message.sender, cause_id=message.message_id, heard=heard)
        Turn(scene, message, conversation, policy, Thinking(self._interpreter)).take()
        result = result_of(scene.said) if scene.said else self._executing(policy, records)
        if policy.mode == "suggest":
            raise _Suggested(suggestion(result, policy), records.decided())
        if scene.said:
            self.desk.queue(scene, result, *_place(conversation), message.sender, message.message_id)
        intake.file(result, at=scene.at)
        records.flush()
        claimed = next((one.work_id for one in records.events if one.type == "external_effect_claimed"), None)
        return Done((result, claimed), tuple(records.events), result)

    def _executing(self, policy: PolicyContext, records: Records) -> Result:
        work_id = records.events[-1].work_id
        return Result(kind="reply", text=say("executing", policy, summary=""), reason_code="executing", work_id=work_id)

    async def _decide(
        self, message: Message, policy: PolicyContext, conversation: Conversation, wanted: Wanted
    ) -> None:
        """The message is received, then the model is asked, then its answer is stored: never decided twice (§2.0)."""

        def receive(connection: Connection) -> None:
            records = self.desk.records(connection)
            Intake(records, self.catalogue, message, policy, conversation).receive()
            records.flush()

        await self.desk.write(receive, point="receive")
        self._failpoints.reach("interpret.before")
        decided = await self._interpreter.interpret(message.text, wanted.definitions, wanted.understanding)
        self._failpoints.reach("interpret.after")

        def decide(connection: Connection) -> None:
            records = self.desk.records(connection)
            intake = Intake(records, self.catalogue, message, policy, conversation)
            if wanted.work_id not in records.decisions(*intake.key):
                row = decision_row(
                    self.catalogue,
                    message,
                    conversation,
                    wanted.work_id,
                    wanted.definitions,
                    decided.on_record,
                    decided.proposal,
                    at=policy.at,
                )
                records.write(INSERT_DECISION, {"decision_id": records.new_id(), **row})
                records.flush()

        await self.desk.write(decide, point="decide")

    async def _keep(self, suggested: _Suggested) -> None:
        """A suggestion consumes nothing; but what was decided for it is on record."""

        def keep(connection: Connection) -> None:
            records = self.desk.records(connection)
            for row in suggested.decisions:
                records.lock(row["account_id"], row["conversation_id"])
                key = (row["account_id"], row["conversation_id"], row["sender"], row["message_id"])
                if row["work_id"] not in records.decisions(*key):
                    records.write(INSERT_DECISION, row)
            records.flush()

        if suggested.decisions:
            await self.desk.write(keep, point="suggest")

    async def _again(self, message: Message, policy: PolicyContext, conversation: Conversation) -> None:
        """A message that was received and never finished, with what was decided about it (docs/fluxi.md §2.0)."""
        await self._handle(message, policy, conversation, UNSEEN, heard=False)


def in_their_language(
    records: Records, message: Message, policy: PolicyContext, conversation: Conversation
) -> PolicyContext:
    """The policy in the language that the sender writes here, if it follows them: that of their last Work, unless
    this message is clearly in another one."""
    if not policy.follows:
        return policy
    last = records.last_of(*_place(conversation), message.sender)
    spoken: Language = policy.language if last is None else read(records.manner(last.work_id))["language"]
    return replace(policy, language=language_of(message.text, spoken))


def _place(conversation: Conversation) -> tuple[str, str]:
    return conversation.account_id, conversation.conversation_id


def suggestion(result: Result, policy: PolicyContext) -> Result:
    """What would have been said; nothing was asked, so there is nothing to answer."""
    text = say("suggestion", policy, text=result.text)
    data = {"suggests": result.kind, "text": result.text}
    return replace(result, kind="reply", text=text, reason_code="suggestion", work_id=None, context_id=None, data=data)
