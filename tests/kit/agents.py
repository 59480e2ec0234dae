"""A space over real sockets with an agent in it that people talk to: Fluxi, flows, a graph.

`AgentSpace` is a gateway with a space. A test lets an agent of the SDK join it (`fluxi`, `host`), a `Person` who speaks
plain JSON, and a tool: the real calendar, or a `Tool` that answers what the test says. In every such space there is
also a participant that takes the id of everything it sees (`Mirror`, hostile.py): no dialogue may notice it.
`space_fixture` makes the fixture `space` of a folder of tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import Column, select

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.participant.host import Host
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.tools.calendar import Calendar, CalendarOptions

from .failpoints import BlockingFailpoint
from .gateway import TIMEOUT, Peer, Site, until
from .hostile import Mirror, Unmirrored, mirrored
from .processes import ForkedAgent, forked_agent

# Agents that end at a failpoint, as a process names them.
FLUXI, FLOWS = "tests.kit.failpoints:FailingFluxi", "tests.kit.failpoints:FailingFlows"

HostT = TypeVar("HostT", bound=Host)

# The gateway's clock is manual, so that limits by time would never refill: they are set high.
SPACES = """
gateway:
  limits: {envelopes_per_second: 100000, envelopes_burst: 100000}
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    interrupts: {ack_deadline: 30s, emergency_escalation: [notify]}
    roles:
      supervisor:
        - {kind: [chat, chat/acknowledge, chat/cancel]}
        - {kind: reasoning/interrupt, payload: {class: [cancel, override, clarification, queue]}}
        - {kind: "mcp/*"}
        - {kind: "participant/*"}
      operator: [{kind: "*"}]
      safety: [{kind: reasoning/interrupt}, {kind: participant/resume}]
      reasoner:
        - {kind: [chat, chat/acknowledge]}
        - {kind: [reasoning/start, reasoning/thought, reasoning/conclusion, reasoning/interrupt-ack]}
      proposer: [{kind: [mcp/proposal, mcp/withdraw]}]
    participants:
      human: {roles: [supervisor]}
      other: {roles: [supervisor]}
      admin: {roles: [operator]}
      guardian: {roles: [safety]}
      calendar: {capabilities: [{kind: chat}]}
      fluxi: {roles: [reasoner], capabilities: [{kind: mcp/request}]}
      novice: {roles: [reasoner, proposer]}
      mallory: {capabilities: [{kind: "*", to: mallory}]}
      mirror: {capabilities: [{kind: "*", to: mirror}]}
      watched: {roles: [reasoner], capabilities: [{kind: mcp/request}], watchdog: {max_seconds: 5}}
"""

# Agents that end at a failpoint (failpoints.py), each at its own.
FAILING = ("d1", "d2", "d3", "d4", "d5", "d6")
SPACES += "".join(f"      {name}: {{roles: [reasoner], capabilities: [{{kind: mcp/request}}]}}\n" for name in FAILING)

BOOKING = "Quiero agendar un turno con la Dra. Ana Pérez para mañana a las 17"


class Person:
    """A participant who talks to the agent, and sees everything."""

    def __init__(self, peer: Peer, agent: str) -> None:
        self.peer = peer
        self.agent = agent
        self._said = 0
        self._heard = 0

    async def say(self, text: str, *, id: str | None = None, **fields: Any) -> str:
        """Send the agent a chat message. Return its id."""
        self._said += 1
        id = id or f"{self.peer.participant}-said-{self._said}-to-{self.agent}"
        payload = {"text": text, **fields.pop("payload", {})}
        await self.peer.send("chat", payload, id=id, **{"to": [self.agent], **fields})
        return id

    async def reply(self) -> dict[str, Any]:
        """Return the agent's next message to this person, also one that came while the test waited for another."""
        while True:
            while self._heard < len(self.peer.seen):
                one = self.peer.seen[self._heard]
                self._heard += 1
                if one["kind"] == "chat" and one["from"] == self.agent and self.peer.participant in one["to"]:
                    return dict(one)
            await self.peer.receive()

    async def ask(self, text: str, **fields: Any) -> dict[str, Any]:
        """Send a chat message. Return the reply to it."""
        id = await self.say(text, **fields)
        while (reply := await self.reply()).get("correlation_id") != [id]:
            pass
        return reply

    async def told(self, *kinds: str) -> dict[str, Any]:
        """Return the next reply whose kind is one of these."""
        while (reply := await self.reply())["payload"]["kind"] not in kinds:
            pass
        return reply

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool of the agent. Return its structured content."""
        self._said += 1
        id = f"{self.peer.participant}-asked-{self._said}-of-{self.agent}"
        payload = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        await self.peer.send("mcp/request", payload, id=id, to=[self.agent])
        while True:
            response = await self.peer.until("mcp/response")
            if response["correlation_id"] == [id]:
                return dict(response["payload"]["result"]["structuredContent"])

    async def interrupt(self, run: str, id: str, **payload: Any) -> dict[str, Any]:
        """Interrupt a run of the agent. Return the payload of the ack."""
        told = {"reason": "other", "message": id, **payload}
        await self.peer.send("reasoning/interrupt", told, id=id, to=[self.agent], correlation_id=[run])
        return dict((await self.peer.until("reasoning/interrupt-ack"))["payload"])

    async def pause_at(self, failpoint: BlockingFailpoint) -> None:
        """Pause the agent while a failpoint blocks it, then let it go on: what it sends then is refused."""
        await asyncio.to_thread(failpoint.reached.wait, TIMEOUT)
        await self.peer.send("participant/pause", {}, to=[self.agent])
        await self.peer.until("participant/pause")
        failpoint.may.set()

    async def conclusion(self, run: str) -> dict[str, Any]:
        """Return the payload of a run's conclusion."""
        while True:
            for one in self.seen("reasoning/conclusion"):
                if one["context"] == run:
                    return dict(one["payload"])
            await self.peer.receive()

    def seen(self, kind: str) -> list[dict[str, Any]]:
        """Return the envelopes of a kind so far."""
        return [one for one in self.peer.seen if one["kind"] == kind]


class Tool:
    """A tool that answers when and what the test says."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer

    async def request(self, tool: str | None = None) -> dict[str, Any]:
        """Return the next request to it."""
        while True:
            request = await self.peer.until("mcp/request")
            if self.peer.participant in request["to"] and tool in (None, request["payload"]["params"]["name"]):
                return request

    async def answer(self, request: dict[str, Any], status: str = "applied", **content: Any) -> None:
        """Answer a request."""
        structured = {"status": status, **content}
        result = {"content": [], "structuredContent": structured, "isError": status != "applied"}
        payload = {"jsonrpc": "2.0", "id": request["payload"].get("id", request["id"]), "result": result}
        await self.peer.send("mcp/response", payload, to=[request["from"]], correlation_id=[request["id"]])


class AgentSpace:
    """A gateway with the space `demo`, in which there is nobody yet but the mirror."""

    process_imports: tuple[str, ...] = ("mew_agents.flows.agent",)  # what every `process` needs, Fluxi included

    def __init__(self, start_gateway: Callable[..., Any], folder: Path, *, name: str) -> None:
        self._start_gateway = start_gateway
        self.folder = folder
        self._name = name
        self._stack = contextlib.AsyncExitStack()
        self.site: Site
        self.mirror: Mirror

    async def begin(self, spaces: str = SPACES) -> None:
        self.site = await self._stack.enter_async_context(self._start_gateway(spaces))
        self.mirror = await self.enter(mirrored(self.site, seed=self._name))  # other forms in each test

    async def join(self, participant: str) -> Peer:
        """Join as a participant. The peer does not see the mirror."""
        return await self.site.join(participant, peer=Unmirrored, max_queue=None)

    async def end(self) -> None:
        await self._stack.aclose()

    async def enter(self, context: Any) -> Any:
        """Enter a context that ends with this space."""
        return await self._stack.enter_async_context(context)

    async def person(self, name: str = "human", *, agent: str = "fluxi") -> Person:
        return Person(await self.join(name), agent)

    async def tool(self) -> Tool:
        return Tool(await self.join("calendar"))

    @contextlib.asynccontextmanager
    async def calendar(self, attend: Callable[..., Any]) -> AsyncIterator[Calendar]:
        """The real calendar has joined, on the gateway's clock."""
        watcher = await self.join("other")
        calendar = Calendar(CalendarOptions(timezone="UTC"), clock=self.site.clock.now)
        async with attend(calendar, self.site, watcher, participant="calendar"):
            yield calendar

    @contextlib.asynccontextmanager
    async def host(
        self,
        attend: Callable[..., Any],
        agent: HostT,
        *,
        participant: str = "fluxi",
        account: str | None = None,
    ) -> AsyncIterator[HostT]:
        """An agent has joined, and stays for the block."""
        watcher = await self.join("other")
        async with attend(agent, self.site, watcher, participant=participant, account=account):
            await until(lambda: agent._ready.is_set())
            yield agent
        await self.site.leave(watcher)

    @contextlib.asynccontextmanager
    async def fluxi(
        self, attend: Callable[..., Any], agent: FluxiAgent | None = None, *, participant: str = "fluxi", **options: Any
    ) -> AsyncIterator[FluxiAgent]:
        """Fluxi has joined, and stays for the block."""
        fluxi = agent or FluxiAgent(FluxiOptions(**options))
        async with self.host(attend, fluxi, participant=participant):
            yield fluxi

    def process(
        self, participant: str, agent: str = FLUXI, *, failpoint: str = "", **options: Any
    ) -> contextlib.AbstractAsyncContextManager[ForkedAgent]:
        """An agent has joined from a process of its own (`forked_agent`), and is killed after the block."""
        return forked_agent(
            self.site,
            participant,
            agent,
            folder=self.folder,
            imports=self.process_imports,
            failpoint=failpoint,
            **options,
        )

    def appointments(self, calendar: Calendar) -> int:
        """Return how many appointments there are."""
        answer = calendar.list_appointments()
        return len((answer.structured or {})["appointments"])


def space_fixture(kind: type[AgentSpace]) -> Any:
    """Return the fixture `space`: one of this kind, in which there is nobody but the mirror."""

    @pytest.fixture
    async def space(start_gateway: Any, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[AgentSpace]:
        opened = kind(start_gateway, tmp_path, name=request.node.name)
        await opened.begin()
        yield opened
        await opened.end()

    return space


def hasty(folder: Path) -> str:
    """Write the shipped definition of an appointment, with half a second for the calendar's answer. Return its path."""
    text = (resources.files("mew_agents.fluxi.definitions") / "shipped" / "appointment_booking.yaml").read_text("utf-8")
    text, count = re.subn(r"timeout: \w+", "timeout: 500ms", text)
    text, backoffs = re.subn(r"backoff: \w+", "backoff: 100ms", text)
    assert (count, backoffs) == (1, 1)
    file = folder / "hasty.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


async def values_of(agent: Host, column: Column[Any]) -> list[str]:
    """Return the values of a column of the agent's database, such as the ids of its requests, oldest first."""
    query = select(column)
    found = await agent.fluxi.database.read(lambda connection: connection.execute(query).scalars().all())
    return [str(one) for one in found]
