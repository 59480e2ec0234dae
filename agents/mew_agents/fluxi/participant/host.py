"""A participant that people talk to in conversations, whatever it is that deals with what they say."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from abc import abstractmethod
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import anyio

from mew_agents.durable import NONE
from mew_agents.durable.errors import DatabaseError
from mew_agents.durable.failpoints import Reaching
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.interpreter.base import Interpreter
from mew_agents.fluxi.participant.catching_up import missed
from mew_agents.fluxi.participant.clockwork import Clockwork
from mew_agents.fluxi.participant.conversing import Conversing
from mew_agents.fluxi.participant.engine import Engine
from mew_agents.fluxi.participant.gateway_carrier import GatewayCarrier
from mew_agents.fluxi.participant.gateway_port import GatewayPort
from mew_agents.fluxi.participant.guests import guest_of
from mew_agents.fluxi.participant.host_options import HostOptions, check_database, check_timezone
from mew_agents.fluxi.participant.inbound import Inbound
from mew_agents.fluxi.participant.line import Line
from mew_agents.fluxi.participant.operations import Operations
from mew_agents.fluxi.participant.proposals import Proposals
from mew_agents.fluxi.participant.resumption import NAME, Resumption
from mew_agents.fluxi.participant.runs import Runs
from mew_agents.fluxi.participant.station import Station, time_of
from mew_agents.fluxi.participant.subject import WORK, Subject
from mew_agents.fluxi.participant.thoughts import FAULT
from mew_agents.fluxi.participant.wire import Wire
from mew_gateway.sdk import Chat, Client, Disconnected, Interrupt, IoThread, Misconfigured, Reconnected, Run, Tasks
from mew_gateway.sdk.client import Item
from mew_gateway.sdk.exchange.chat import chat_in, chat_of
from mew_gateway.sdk.execution.policy import Policy
from mew_gateway.sdk.timeline.base import Timeline

log = logging.getLogger(__name__)

_START = "reasoning/start"


class Host(Operations):
    """Everything about conversations in a space but what comes of a message, which is an engine's:

        class Mirror(Host):
            Options = MirrorOptions  # a HostOptions
            file = "mirror.db"
            policy = "soft-stop"
            key = "mirror_id"

            @asynccontextmanager
            async def engine(self, station):
                yield MirrorEngine(station)  # five methods: mew_agents.fluxi.participant.engine

    It hears what is said and what was said while it was away, once, and in order in each conversation; makes each turn
    a run; tells the engine what a cancel or an emergency is about; sends what was put into the outbox of
    `station.fluxi`, and does what is due by its schedule, also what an earlier life has left. That Fluxi is always
    there: an engine without Works uses its database, outbox and time alone. `definitions` and `interpreter` are for it,
    `failpoints` for tests.
    """

    Options = HostOptions
    options: HostOptions
    file: ClassVar[str]  # of the database, in the state folder, unless the options name another
    policy: ClassVar[Policy] = (
        "hard-stop"  # of its runs; not non-interruptible: each attempt at an effect is, by itself
    )
    key: ClassVar[str] = WORK  # the payload key of the ids of what the engine deals with

    # Chat to it is an answer, and never an interruption but for a stop word of whose run it is: see `Conversing`.
    hears = "never"
    listens_to_all = True
    at_once = 1_000
    waiting = 10_000

    def __init__(
        self,
        options: HostOptions | None = None,
        *,
        definitions: Iterable[Definition] = (),
        interpreter: Interpreter | None = None,
        failpoints: Reaching = NONE,
    ) -> None:
        super().__init__(options)
        check_timezone(self.options)
        check_database(self.options)
        self._definitions = tuple(definitions)
        self._interpreter = interpreter
        self._failpoints = failpoints
        self._ready = asyncio.Event()
        self._tasks = Tasks()
        self._where: Station | None = None
        self._warned = False

    @abstractmethod
    def engine(self, station: Station) -> AbstractAsyncContextManager[Engine]:
        """Who deals with what is said at a station, from when the agent has joined until it leaves."""

    @property
    def fluxi(self) -> Fluxi:
        return self.station.fluxi

    @property
    def account(self) -> str:
        return self.station.account

    @property
    def runs(self) -> Runs:
        return self.station.runs

    @property
    def station(self) -> Station:
        """Where it is. Raises `Disconnected` before it has joined."""
        if self._where is None:
            raise Disconnected("The agent has not joined a space yet.")
        return self._where

    # Living.

    async def live(
        self, client: Client, *, timeline: Timeline | None = None, io_thread: IoThread | None = None
    ) -> None:
        """Serve as any agent does, with the database open. Raises `Misconfigured` where that cannot be."""
        async with AsyncExitStack() as stack:
            folder = self.state_folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            await anyio.Path(folder).mkdir(parents=True, exist_ok=True)
            self._home = asyncio.get_running_loop()
            self._tasks, self._ready = Tasks(), asyncio.Event()
            station = await self._settle(client, folder)
            stack.callback(station.fluxi.close)
            self._work_with(station, await stack.enter_async_context(self.engine(station)))
            try:
                await super().live(client, timeline=timeline, io_thread=io_thread)
            finally:
                await self._tasks.aclose()
                station.resumption.write()
                self._where = None

    async def beside(self) -> None:
        """What was said while it was away, then what is due, for good."""
        await self._conversing.align()
        await self._catch_up()
        await self._part_with_all()
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
        resumption.mark = resumption.mark or client.first  # what has arrived since is not dealt with yet
        resumption.write()  # before anything happens: it may be the last chance
        self._held = resumption.note(None)  # until what was missed is dealt with
        fluxi = await self._opened(folder, port, carrier, wire)
        runs = Runs(
            language=self.options.language,
            key=self.key,
            resumption=resumption,
            open_run=self._open_run,
            honour=lambda witness: self._conversing.honour(witness),
            stirred=lambda: self._clockwork.stir(),
        )
        return Station(
            space=client.space,
            me=client.welcome.you.id,
            account=self.options.account or self.space_account or client.space,
            folder=folder,
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

    async def _opened(self, folder: Path, port: GatewayPort, carrier: GatewayCarrier, wire: Wire) -> Fluxi:
        try:
            return await Fluxi.open(
                self.options.database or f"sqlite:///{folder / self.file}",
                tools=port,
                carrier=carrier,
                definitions=self._definitions,
                interpreter=self._interpreter,
                clock=partial(time_of, wire),
                failpoints=self._failpoints,
            )
        except DatabaseError as error:
            raise Misconfigured(f"{error.code}: {error}") from None

    def _work_with(self, station: Station, engine: Engine) -> None:
        self._where = station
        self._inbound = Inbound(station, self._tasks, learn=station.fluxi.learn_lists, part=self._part)
        self._conversing = Conversing(self, station, self._inbound, engine)
        self._clockwork = Clockwork(self, station, self._conversing, self._inbound)

    async def _catch_up(self) -> None:
        """What was said while nobody listened is heard now, in its order, before anything that comes after it."""
        station = self.station
        station.port.join(self.participant)
        now = self.participant.guests.rewind(())
        envelopes = await missed(self.client, station.resumption.mark)
        guests = now.rewind(envelopes)
        for envelope in envelopes:
            guests.take(envelope)
            said = self._inbound.recall(envelope, guests)
            if said is not None:
                self._tasks.start_soon(self._hear, chat_in(envelope, said.invitation))
        self._inbound.caught_up()
        self._held.done()
        self._ready.set()

    # What arrives.

    def arrived(self, item: Item) -> None:
        if isinstance(item, Reconnected):
            self.station.wire.reconnected()
            self._clockwork.stir()
            if item.missed:
                self._tasks.start_soon(self._part_with_all)
        else:
            self._inbound.take(item, self.participant.guests)

    async def on_chat(self, chat: Chat) -> None:
        """What somebody says, to this agent or in answer to it."""
        await self._ready.wait()
        await self._hear(chat)

    async def _hear(self, chat: Chat) -> None:
        said = self._inbound.said(chat.sender, chat.invitation, chat.id)
        try:
            if said is not None or self.me in chat.to:
                await self._conversing.hear(chat, said)
        except Exception:
            log.exception("what %s said could not be dealt with", chat.sender)
            await self.reply(chat, FAULT.say("turn", self.options.language))
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

    # Guests who were removed.

    async def _part(self, name: str, invitation: str) -> None:
        """What was going on with a guest who was removed ends; nobody who is called so later has anything of it."""
        place = self.station.conversation(name, invitation).conversation_id
        for one in await self.fluxi.removal.unsettled(self.account, place):
            if guest_of(one) == (name, invitation):
                await self._conversing.part(one)

    async def _part_with_all(self) -> None:
        """The same, of all guests who were removed while nobody here saw it."""
        for one in await self.fluxi.removal.unsettled(self.account, self.station.prefix):
            if self.station.is_gone(one):
                await self._conversing.part(one)

    # Inside.

    def _open_run(self, subject: Subject) -> Run | None:
        if not self.participant.may(_START, {}):
            if not self._warned:
                log.warning("without the capability for %s nobody sees what this agent does, or can stop it", _START)
            self._warned = True
            return None
        linked: dict[str, Any] = dict(subject.named)
        before = self.station.resumption.runs.get(subject.newest(self.key) or "")
        linked |= {} if before is None else {"continues": before}
        return self.run(message=subject.words, correlation_id=subject.answers, policy=self.policy, **linked)
