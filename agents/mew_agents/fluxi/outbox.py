"""What was said leaves: in order in each conversation, by one relay at a time, and done only with proof (§5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import ColumnElement, Connection, Row, Select, select

from mew_agents.durable.failpoints import Reaching
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.desk import Desk
from mew_agents.fluxi.fsm import Event
from mew_agents.fluxi.message import Conversation
from mew_agents.fluxi.ports import REMOVED, Carried, Carrier, Reply
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.tables import outbox, semantic_contexts
from mew_agents.fluxi.work import Work

# How long a relay may take for what it took, ms; whoever comes later sends the same bytes again.
_LEASE = 30_000
_AT_ONCE = 100
# The row that relays take turns on; no account is called so.
_RELAY = ("", "outbox")

_WAITING = select(outbox).where(outbox.c.status == "waiting").order_by(outbox.c.position).limit(_AT_ONCE)


# Told, within the transaction, of a dialogue whose question nobody will ever see, and why.
Unsaid: TypeAlias = Callable[[Connection, str, Carried], None]

# What the body of a reply has, at most, that no carrier has composed: the reply itself.
_UNCOMPOSED = {field.name for field in fields(Reply)}
_NEEDED = {field.name for field in fields(Reply) if field.default is MISSING}


class _Leased(NamedTuple):
    """A row that is ours for a while, and its bytes."""

    row: Row[Any]
    body: str


class Outbox:
    """Sends queued replies through a carrier; without one, hands them to whoever asks.

    `unsaid` is told of the questions of dialogues that were refused; those of Works suspend them.
    """

    def __init__(self, desk: Desk, carrier: Carrier | None, failpoints: Reaching) -> None:
        self._desk = desk
        self._carrier = carrier
        self._failpoints = failpoints
        self._one = asyncio.Lock()
        self.unsaid: Unsaid | None = None

    async def relay(self, conversation: Conversation | None = None) -> int:
        """Sends what waits, in one conversation or in all; how much went out.

        What has to wait longer, waits, and all after it in its conversation.
        """
        if self._carrier is None:
            return 0
        sent = 0
        async with self._one:
            waiting = _WAITING if conversation is None else _WAITING.where(_within(conversation))
            lease = partial(self._lease, carrier=self._carrier, waiting=waiting)
            while leased := await self._desk.write(lease, point="outbox.lease"):
                done = await self._carry(self._carrier, leased)
                sent += done
                if not done:
                    break
        return sent

    async def out(self, message_id: str, *, at: int) -> int | None:
        """Somebody has seen that this reply is out, since `at` (ms): it is done, whoever was to carry it.

        Since when the question in it counts as asked, if there is one: whoever saw it first has said so.
        """

        def mark(connection: Connection) -> int | None:
            row = connection.execute(select(outbox).where(outbox.c.message_id == message_id)).first()
            if row is None:
                return None
            if row.status == "waiting":
                _mark(connection, row, Carried(status="done", at=at), self._desk.now)
            asked = select(semantic_contexts.c.sent_at).where(semantic_contexts.c.context_id == row.context_id)
            return connection.execute(asked).scalar()

        return await self._desk.write(mark, point="outbox.mark")

    async def reclaim(self) -> None:
        """Frees what another relay holds, if any still lives: for a carrier that says the same bytes once."""
        held = outbox.c.lease_until.is_not(None) & (outbox.c.status == "waiting")
        free = outbox.update().where(held).values(lease_until=None)
        await self._desk.write(lambda connection: connection.execute(free), point="outbox.mark")

    async def take(self, account_id: str, conversation_id: str) -> list[Reply]:
        """The replies that wait in a conversation, which whoever asks delivers: they are done with this."""

        def take(connection: Connection) -> list[Reply]:
            self._desk.records(connection).lock(account_id, conversation_id)
            here = _within(Conversation(account_id, conversation_id))
            rows = connection.execute(_WAITING.where(here)).all()
            for row in rows:
                at = self._desk.asks(at=self._desk.now)
                _mark(connection, row, Carried(status="done", at=at), at)
            return [Reply(**read(row.body)) for row in rows]

        return await self._desk.write(take, point="outbox.mark")

    def _lease(self, connection: Connection, *, carrier: Carrier, waiting: Select[Any]) -> list[_Leased]:
        """Takes what is free; a conversation of which another relay holds something is left to it.

        What was queued without a carrier (mew_agents.fluxi.office) is composed now, once, before it is ever sent.
        """
        records, at = self._desk.records(connection), self._desk.now
        records.lock(*_RELAY)
        rows = connection.execute(waiting).all()
        held = {_place(row) for row in rows if (row.lease_until or 0) > at}
        free = [_Leased(row, _composed(carrier, row.body)) for row in rows if _place(row) not in held]
        for one in free:
            mine = outbox.c.position == one.row.position
            connection.execute(outbox.update().where(mine).values(lease_until=at + _LEASE, body=one.body))
        return free

    async def _carry(self, carrier: Carrier, leased: Sequence[_Leased]) -> int:
        stopped: set[tuple[str, str]] = set()
        done = 0
        for row, body in leased:
            if _place(row) in stopped:
                await self._settle(row, Carried(status="wait"))
                continue
            self._failpoints.reach("outbox.carry.before")
            carried = await carrier.carry(body)
            self._failpoints.reach("outbox.carry.after")
            if carried.status == "id_taken":
                await self._rename(row, carrier, body)
                carried = Carried(status="wait", reason=carried.reason)
            await self._settle(row, carried)
            if carried.status == "wait":
                stopped.add(_place(row))
            else:
                done += 1
        return done

    async def _settle(self, row: Row[Any], carried: Carried) -> None:
        """One transaction: a Work never waits for the answer to a question that nobody will ever see."""

        def suspend(scene: Scene, work: Work) -> None:
            if work.live and work.suspended_reason is None:
                note = {"message_id": row.message_id, "reason": carried.reason}
                scene.happen(work, Event.WORK_SUSPENDED, suspended_reason="needs_human", note=note)

        def settle(connection: Connection) -> None:
            _mark(connection, row, carried, self._desk.asks(at=self._desk.now))
            if carried.status == "refused" and carried.reason == REMOVED:
                return  # nobody is there to see it: what it is about ends for that reason
            if carried.status == "refused" and row.work_id is not None:
                self._desk.act(connection, row.work_id, suspend, by="outbox")
            elif carried.status == "refused" and row.context_id is not None:
                self._tell_dialogue(connection, row.context_id, carried)

        await self._desk.write(settle, point="outbox.mark")

    async def _rename(self, row: Row[Any], carrier: Carrier, body: str) -> None:
        """It was never said: from now on it has a fresh id, which answers to it name."""

        def rename(connection: Connection) -> None:
            id = self._desk.records(connection).new_id()
            mine = (outbox.c.position == row.position) & (outbox.c.status == "waiting")
            renamed = {"message_id": id, "body": carrier.renamed(body, id)}
            connection.execute(outbox.update().where(mine).values(**renamed))

        await self._desk.write(rename, point="outbox.mark")

    def _tell_dialogue(self, connection: Connection, context_id: str, carried: Carried) -> None:
        asker = select(semantic_contexts.c.dialogue_id).where(semantic_contexts.c.context_id == context_id)
        dialogue_id = connection.execute(asker).scalar()
        if dialogue_id is not None and self.unsaid is not None:
            self.unsaid(connection, dialogue_id, carried)


def _mark(connection: Connection, row: Row[Any], carried: Carried, at: int) -> None:
    mine = outbox.c.position == row.position
    if carried.status == "wait":
        connection.execute(outbox.update().where(mine).values(lease_until=None, reason=carried.reason))
        return
    ended = {"status": carried.status, "reason": carried.reason or None, "lease_until": None, "done_at": at}
    connection.execute(outbox.update().where(mine, outbox.c.status == "waiting").values(**ended))
    if row.context_id is not None and carried.status == "done":
        question = (semantic_contexts.c.context_id == row.context_id) & semantic_contexts.c.sent_at.is_(None)
        out_at = at if carried.at is None else carried.at
        connection.execute(semantic_contexts.update().where(question).values(sent_at=out_at))


def _composed(carrier: Carrier, body: str) -> str:
    try:
        plain = read(body)
    except ValueError:  # a carrier's bytes are its own affair
        return body
    if not isinstance(plain, dict) or not _NEEDED <= plain.keys() <= _UNCOMPOSED:
        return body
    return carrier.compose(Reply(**plain))


def _within(conversation: Conversation) -> ColumnElement[bool]:
    return (outbox.c.account_id == conversation.account_id) & (outbox.c.conversation_id == conversation.conversation_id)


def _place(row: Row[Any]) -> tuple[str, str]:
    return row.account_id, row.conversation_id
