"""Fluxi as a participant of a space (docs/fluxi-in-a-space.md)."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from mew_agents.durable import NONE
from mew_agents.durable.errors import DatabaseError
from mew_agents.durable.failpoints import Reaching
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.participant.catching_up import missed
from mew_agents.fluxi.participant.clockwork import Clockwork
from mew_agents.fluxi.participant.conversing import Conversing
from mew_agents.fluxi.participant.gateway_carrier import GatewayCarrier
from mew_agents.fluxi.participant.gateway_port import GatewayPort
from mew_agents.fluxi.participant.inbound import Inbound
from mew_agents.fluxi.participant.line import Line
from mew_agents.fluxi.participant.operations import Operations
from mew_agents.fluxi.participant.options import (
    FluxiOptions,
    check_database,
    check_timezone,
    definitions_of,
    interpreter_of,
)
from mew_agents.fluxi.participant.proposals import Proposals
from mew_agents.fluxi.participant.resumption import NAME, Resumption
from mew_agents.fluxi.participant.runs import Runs, Subject
from mew_agents.fluxi.participant.station import Station, time_of
from mew_agents.fluxi.participant.wire import Wire
from mew_gateway.sdk import Chat, Client, Disconnected, Interrupt, Misconfigured, Reconnected, Run
from mew_gateway.sdk.apart.apart import Apart
from mew_gateway.sdk.chat import chat_in, chat_of
from mew_gateway.sdk.client import Item
from mew_gateway.sdk.tasks import Tasks
from mew_gateway.sdk.timeline_store import Timeline

log = logging.getLogger(__name__)

DATABASE = "fluxi.db"
_START = "reasoning/start"


class FluxiAgent(Operations):
    """Takes what people say to it, and does what comes of it: in its conversations, by its tools, in runs.

    `failpoints` are for tests.
    """

    Options = FluxiOptions
    options: FluxiOptions
    # Chat to it is an answer, and never an interruption but for a stop word of whose run it is: see `Conversing`.
    hears = "never"
    listens_to_all = True
    at_once = 1_000
    waiting = 10_000

    def __init__(self, options: FluxiOptions | None = None, *, failpoints: Reaching = NONE) -> None:
        super().__init__(options)
        check_timezone(self.options)
        check_database(self.options)
        self._definitions = definitions_of(self.options)
        self._interpreter = interpreter_of(self.options)
        self._failpoints = failpoints
        self._ready = asyncio.Event()
        self._tasks = Tasks()
        self._where: Station | None = None
        self._warned = False

    @property
    def fluxi(self) -> Fluxi:
        return self._station.fluxi

    @property
    def account(self) -> str:
        return self._station.account

    @property
    def runs(self) -> Runs:
        return self._station.runs

    # Living.

    async def live(self, client: Client, *, timeline: Timeline | None = None, apart: Apart | None = None) -> None:
        """Serve as any agent does, with the database open. Raises `Misconfigured` where that cannot be."""
        with ExitStack() as stack:
            folder = self.state_folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            await anyio.Path(folder).mkdir(parents=True, exist_ok=True)
            self._home = asyncio.get_running_loop()
            self._tasks, self._ready = Tasks(), asyncio.Event()
            station = await self._settle(client, folder)
            stack.callback(station.fluxi.close)
            try:
                await super().live(client, timeline=timeline, apart=apart)
            finally:
                await self._tasks.aclose()
                station.resumption.write()
                self._where = None

    async def beside(self) -> None:
        """What was said while it was away, then what is due, for good."""
        await self._conversing.align()
        await self._catch_up()
        await self.fluxi.outbox.reclaim()
        await self.fluxi.learn_lists()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._clockwork.keep_time)
            tasks.start_soon(self._clockwork.relay)
            tasks.start_soon(self._clockwork.keep_mark)

    async def _settle(self, client: Client, folder: Path) -> Station:
        wire = Wire(client)
        port = GatewayPort(wire, approval=round(self.options.approval * 1000))
        carrier = GatewayCarrier(wire)
        resumption = Resumption(folder / NAME)
        resumption.mark = resumption.mark or client.newest
        resumption.write()  # before anything happens: it may be the last chance
        self._held = resumption.note(None)  # until what was missed is dealt with
        fluxi = await self._opened(folder, port, carrier, wire)
        runs = Runs(
            language=self.options.language,
            resumption=resumption,
            open_run=self._open_run,
            honour=lambda witness: self._conversing.honour(witness),
            stirred=lambda: self._clockwork.stir(),
        )
        station = self._where = Station(
            space=client.space,
            me=client.welcome.you.id,
            account=self.options.account or client.space,
            options=self.options,
            fluxi=fluxi,
            wire=wire,
            port=port,
            carrier=carrier,
            proposals=Proposals(fluxi.arrivals, fluxi.database),
            line=Line(),
            resumption=resumption,
            runs=runs,
        )
        self._inbound = Inbound(station, self._tasks, learn=fluxi.learn_lists)
        self._conversing = Conversing(self, station, self._inbound)
        self._clockwork = Clockwork(self, station, self._conversing, self._inbound)
        return station

    async def _opened(self, folder: Path, port: GatewayPort, carrier: GatewayCarrier, wire: Wire) -> Fluxi:
        logging.getLogger("alembic").setLevel(logging.WARNING)  # it tells of each plugin
        try:
            return await Fluxi.open(
                self.options.database or f"sqlite:///{folder / DATABASE}",
                tools=port,
                carrier=carrier,
                definitions=self._definitions,
                interpreter=self._interpreter,
                clock=partial(time_of, wire),
                failpoints=self._failpoints,
            )
        except DatabaseError as error:
            raise Misconfigured(f"{error.code}: {error}") from None

    async def _catch_up(self) -> None:
        """What was said while nobody listened is heard now, in its order, before anything that comes after it."""
        station = self._station
        station.port.join(self.participant)
        for envelope in await missed(self.client, station.resumption.mark):
            said = self._inbound.recall(envelope)
            if said is not None:
                self._tasks.start_soon(self._hear, chat_in(envelope))
        self._inbound.caught_up()
        self._held.done()
        self._ready.set()

    # What arrives.

    def arrived(self, item: Item) -> None:
        if isinstance(item, Reconnected):
            self._station.wire.reconnected()
            self._clockwork.stir()
        else:
            self._inbound.take(item)

    async def on_chat(self, chat: Chat) -> None:
        """What somebody says, to this agent or in answer to it."""
        await self._ready.wait()
        await self._hear(chat)

    async def _hear(self, chat: Chat) -> None:
        said = self._inbound.said(chat.sender, chat.id)
        try:
            if said is not None or self.me in chat.to:
                await self._conversing.hear(chat, said)
        except Exception:
            log.exception("what %s said could not be dealt with", chat.sender)
            await self.acknowledge(chat, status="failed")
        if said is not None:
            said.pending.done()

    async def on_clarification(self, input: Any, interrupt: Interrupt) -> str:
        """The words are a message like any other, and the run goes on."""
        self._tasks.start_soon(self._hear, chat_of(input, interrupt, me=self.me))
        return "queued"

    def take_interrupt(self, interrupt: Interrupt) -> None:
        self._home.call_soon_threadsafe(self._interrupted, interrupt)  # before the decision: a run may end behind it
        super().take_interrupt(interrupt)

    async def on_halted(self) -> None:
        await self._conversing.align()

    async def on_released(self) -> None:
        await self._conversing.align()
        self._clockwork.stir()

    async def on_restart(self) -> None:
        await self._catch_up()

    def _interrupted(self, interrupt: Interrupt) -> None:
        for witness in self.runs.interrupted(interrupt):
            self._tasks.start_soon(self._conversing.honour, witness)

    # Inside.

    @property
    def _station(self) -> Station:
        if self._where is None:
            raise Disconnected("The agent has not joined a space yet.")
        return self._where

    def _open_run(self, subject: Subject, work_id: str | None) -> Run | None:
        if not self.participant.may(_START, {}):
            if not self._warned:
                log.warning("without the capability for %s nobody sees what this agent does, or can stop it", _START)
            self._warned = True
            return None
        linked: dict[str, Any] = {} if work_id is None else {"work_id": work_id}
        before = self._station.resumption.runs.get(work_id or "")
        linked |= {} if before is None else {"continues": before}
        return self.run(message=subject.words, correlation_id=subject.answers, policy="hard-stop", **linked)
