"""Where transactions are made: a scene is set, something happens in it, and all of it is committed or nothing is.

What is said goes into the outbox with it, and the result of the message that caused it into the inbox.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeAlias, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from mew_agents.durable import CommitUnknown, Database
from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.catalogue import Catalogue
from mew_agents.fluxi.message import Message, PolicyContext, Result
from mew_agents.fluxi.ports import Carrier, Reply, Thought, ToolPort
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.scene import Said, Scene
from mew_agents.fluxi.statements import INSERT_REPLY, UPDATE_MESSAGE
from mew_agents.fluxi.transaction import Stale
from mew_agents.fluxi.waiting import begin_what_waits
from mew_agents.fluxi.work import Work, WorkEvent

T = TypeVar("T")
Parts: TypeAlias = Callable[[Scene, Work], Result | None]

# Who loses a race sees at the next try what the winner did. More often than this it is no race.
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """What came of a transaction: the value of its work, its events, its result if anything was said, and what came
    of it in a dialogue."""

    value: T
    events: tuple[WorkEvent, ...]
    result: Result | None
    thoughts: tuple[Thought, ...] = ()


class Desk:
    """Makes transactions. `clock` gives aware datetimes, `new_id` ids that sort by time.

    `parts` is told, within the transaction, what happened to a Work that is a part of a dialogue: such a Work says
    nothing itself. What it returns is what came of that. None: nobody here knows dialogues, and their parts are left.
    """

    def __init__(
        self,
        *,
        database: Database,
        catalogue: Catalogue,
        tools: ToolPort,
        carrier: Carrier | None,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self.database = database
        self.catalogue = catalogue
        self.tools = tools
        self.carrier = carrier
        self.clock = clock
        self._new_id = new_id
        self.parts: Parts | None = None
        # Of what has arrived and of what was asked, the last: of the same millisecond, each is behind the other.
        self._arrived = self._asked = 0

    @property
    def now(self) -> int:
        """The time, ms since the epoch."""
        return round(self.clock().timestamp() * 1000)

    def arrives(self, message: Message, policy: PolicyContext) -> Message:
        """A message that comes in, before it waits for anything: behind every question that is out by now."""
        if message.arrived is not None:
            return message
        self._arrived = max(policy.at, self.now, self._asked + 1)
        return replace(message, arrived=self._arrived)

    def asks(self, *, at: int) -> int:
        """When a question goes out that is out with the result: not before whatever has come in meanwhile."""
        self._asked = max(at, self.now, self._arrived)
        return self._asked

    def records(self, connection: Connection) -> Records:
        """The records of a transaction."""
        return Records(connection, new_id=self._new_id)

    async def write(self, work: Callable[[Connection], T], *, point: str) -> T:
        """One transaction, made again as a whole when somebody else was first."""
        for left in reversed(range(_TRIES)):
            try:
                return await self.database.write(work, point=point)
            except (IntegrityError, Stale, CommitUnknown):
                # Of a commit that may have happened, too: what it wrote is found by its key, and nothing is done twice.
                if not left:
                    raise
        raise AssertionError("unreachable")

    async def on_work(
        self,
        work_id: str,
        do: Callable[[Scene, Work], T],
        *,
        point: str,
        by: str,
        cause_id: str | None = None,
        heard: bool = False,
    ) -> Done[T] | None:
        """Something happens to one Work, in the turn of its conversation. None: there is no such Work.

        `heard`: somebody waits for the result, and needs no other delivery if there is no carrier.
        """

        def act(connection: Connection) -> Done[T] | None:
            return self.act(connection, work_id, do, by=by, cause_id=cause_id, heard=heard)

        return await self.write(act, point=point)

    def act(
        self,
        connection: Connection,
        work_id: str,
        do: Callable[[Scene, Work], T],
        *,
        by: str,
        cause_id: str | None = None,
        heard: bool = False,
    ) -> Done[T] | None:
        """The same within a transaction. Raises Refused for a part of a dialogue where nobody knows dialogues."""
        records = self.records(connection)
        work = records.take(work_id)
        if work is None:
            return None
        if work.part_of is not None and self.parts is None:
            raise Refused("part_of_flow", f"The Work {work_id} is a part of a flow: its agent acts on it.")
        scene = self.scene(records, self.policy(records.manner(work_id)), by=by, cause_id=cause_id, heard=heard)
        value = do(scene, work)
        result = self.finish(scene, records.work(work_id) or work)
        return Done(value, tuple(records.events), result, tuple(scene.thoughts))

    def scene(
        self, records: Records, policy: PolicyContext, *, by: str, cause_id: str | None, heard: bool = False
    ) -> Scene:
        """A scene at the policy's time."""
        return Scene(
            records=records,
            catalogue=self.catalogue,
            tools=self.tools,
            policy=policy,
            at=policy.at,
            by=by,
            direct=heard and self.carrier is None,
            cause_id=cause_id,
        )

    def policy(self, manner: str) -> PolicyContext:
        """The PolicyContext of a stored message, now."""
        plain = read(manner)
        return PolicyContext(**{**plain, "rules": tuple(plain["rules"])}, now=self.clock())

    def finish(self, scene: Scene, work: Work) -> Result | None:
        """Queues what was said, gives it to the message that caused it, and sends everything to the database.

        Of a part of a dialogue nothing is said: what happened to it is told to whoever knows the dialogue.
        """
        result = None
        begin_what_waits(scene)
        if work.part_of is not None:
            result = self._tell_whole(scene, work)
        elif scene.said:
            result = result_of(scene.said)
            cause = scene.cause if scene.cause and scene.cause["by"] == work.owner else {}
            self.queue(scene, result, work.account_id, work.conversation_id, work.owner, cause.get("id"))
            if cause.get("id") is not None:
                self._give(scene, work, cause["id"], result)
        scene.records.flush()
        return result

    def _tell_whole(self, scene: Scene, work: Work) -> Result | None:
        happened = any(event.work_id == work.work_id for event in scene.records.events)
        return self.parts(scene, work) if self.parts is not None and happened else None

    def tell(self, scene: Scene, account_id: str, conversation_id: str, recipient: str) -> None:
        """Queues what was said for somebody who has not asked just now."""
        self.queue(scene, result_of(scene.said), account_id, conversation_id, recipient, None)

    def queue(
        self, scene: Scene, result: Result, account_id: str, conversation_id: str, recipient: str, answers: str | None
    ) -> None:
        """Puts a reply into the outbox; where somebody waits for the result, and there is no carrier, it is out."""
        reply = Reply(
            message_id=scene.records.new_id(),
            account_id=account_id,
            conversation_id=conversation_id,
            recipient=recipient,
            text=result.text,
            kind=result.kind,
            correlates=answers,
            work_id=result.work_id,
            question=result.context_id,
            flow_id=result.data.get("flow_id"),
        )
        scene.records.write(
            INSERT_REPLY,
            {
                "message_id": reply.message_id,
                "account_id": account_id,
                "conversation_id": conversation_id,
                "recipient": recipient,
                "work_id": reply.work_id,
                "context_id": reply.question,
                "body": self.carrier.compose(reply) if self.carrier else written(reply),
                "status": "done" if scene.direct else "waiting",
                "queued_at": scene.at,
                "done_at": scene.at if scene.direct else None,
            },
        )

    def _give(self, scene: Scene, work: Work, message_id: str, result: Result) -> None:
        key = {"_account_id": work.account_id, "_conversation_id": work.conversation_id}
        row = {**key, "_sender": work.owner, "_message_id": message_id, "result": written(plain_result(result))}
        scene.records.write(UPDATE_MESSAGE, row)


def result_of(said: list[Said]) -> Result:
    """One result of everything that was said: the last thing decides what it is."""
    last = said[-1]
    why = next((one.reason_code for one in said if one.reason_code == "invalid_value"), last.reason_code)
    return Result(
        kind=last.kind,
        text="\n".join(one.text for one in said),
        reason_code=why if last.kind in ("reply", "failed") else last.reason_code,
        work_id=next((one.work_id for one in reversed(said) if one.work_id), None),
        context_id=last.context_id,
        data=last.data,
    )


def plain_result(result: Result) -> dict[str, Any]:
    """A result as JSON."""
    return {
        "kind": result.kind,
        "text": result.text,
        "reason_code": result.reason_code,
        "work_id": result.work_id,
        "context_id": result.context_id,
        "data": dict(result.data),
    }


def utc_now() -> datetime:
    """The wall clock."""
    return datetime.now(UTC)
