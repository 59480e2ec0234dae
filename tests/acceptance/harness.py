"""Harness of the acceptance cases: a gateway over real sockets, and agents, with one manual clock for all."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from mew_gateway.sdk import Agent, Client, Disconnected
from mew_gateway.sdk.environment import Environment
from mew_gateway.sdk.timeline.base import every
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.sqlite import NAME, TimelineReader

from .agent_thread import AgentThread
from .manual_time import LinkFault, ManualTimers
from .scripted import TIMEOUT, Cue, Scripted, thought
from .stream_peer import StreamPeer

SPACES = """
gateway:
  listen: 127.0.0.1:{port}
  state_dir: state
  journal: {{url: "sqlite:state/journal.db"}}
spaces:
  demo:
    interrupts:
      ack_deadline: 30s
      emergency_ack_deadline: 2s
      stopping_conclusion: 5s
      completing_conclusion: 60s
      escalation: [notify, {{pause: {{after: 1s}}}}]
      emergency_escalation: [notify]
    roles:
      supervisor:
        - {{kind: [chat, chat/acknowledge]}}
        - {{kind: reasoning/interrupt, payload: {{class: [cancel, override, clarification, queue]}}}}
        - {{kind: reasoning/cancel}}
        - {{kind: "mcp/*"}}
        - {{kind: "participant/*"}}
      safety:
        - {{kind: reasoning/interrupt}}
        - {{kind: participant/resume}}
      reasoner:
        - {{kind: [chat, chat/acknowledge]}}
        - {{kind: [reasoning/start, reasoning/thought, reasoning/conclusion, reasoning/interrupt-ack]}}
        - {{kind: [mcp/request, stream/request, stream/close]}}
    participants:
      human: {{roles: [supervisor]}}
      other: {{roles: [supervisor]}}
      guardian: {{roles: [safety]}}
      stranger: {{capabilities: [{{kind: chat}}]}}
      agent: {{roles: [reasoner]}}
      second: {{roles: [reasoner], watchdog: {{max_thoughts: 2}}}}
      wild: {{capabilities: [{{kind: "reasoning/*"}}, {{kind: "participant/*"}}]}}
"""


class ScriptedRun:
    """A run of a scripted agent, controlled by the test."""

    def __init__(self, harness: Harness, agent_thread: AgentThread, about: str, start: dict[str, Any]) -> None:
        self._world = harness
        self._life = agent_thread
        self.about = about
        self.start = start
        self.id: str = start["id"]
        self.span: str = start["payload"]["span"]["span_id"]

    @property
    def agent(self) -> Scripted:
        assert isinstance(self._life.agent, Scripted)
        return self._life.agent

    def cue(self, *cues: Cue | None, part: str | None = None) -> None:
        """Queue the next steps of the body; None means its end. `part` names an inner span."""
        for cue in cues:
            self._life.do(partial(self.agent.parts[part or self.about].put_nowait, cue))

    async def think(self, *messages: str, part: str | None = None) -> None:
        """Make it think, and wait for each thought."""
        for message in messages:
            self.cue(thought(message), part=part)
            heard = await self._world.human.until("reasoning/thought", message=message)
            assert heard["context"] == self.id
        await self.idle(part)

    async def idle(self, part: str | None = None) -> None:
        """Wait until the body has begun, has done all queued steps, and waits for the next."""
        await self._life.ask(partial(self.agent.idle, part or self.about))

    async def end(self) -> dict[str, Any]:
        """End the body and return the conclusion."""
        self.cue(None)
        return await self.concluded()

    async def concluded(self) -> dict[str, Any]:
        """Wait for the next conclusion, which must be this run's."""
        end: dict[str, Any] = await self._world.human.until("reasoning/conclusion")
        assert end["context"] == self.id
        return end

    async def interrupted(self, id: str, *, by: Any = None, class_: str = "cancel", **payload: Any) -> dict[str, Any]:
        """Interrupt the run and return the payload of the ack."""
        await self.interrupt(id, by=by, class_=class_, **payload)
        return await self._world.ack(id)

    async def interrupt(self, id: str, *, by: Any = None, class_: str | None, **payload: Any) -> None:
        told = {"reason": "other", "message": f"{id} says so", **payload}
        told |= {} if class_ is None else {"class": class_}
        said = {key: value for key, value in told.items() if value is not None}
        target = self.start["from"]
        sender = by or self._world.human
        await sender.send("reasoning/interrupt", said, id=id, to=[target], correlation_id=[self.id])

    @property
    def said(self) -> list[str]:
        """What the human has received of this run so far, and the acks of its interrupts, in order."""
        interrupts = [one for one in self._world.human.seen if one["kind"] == "reasoning/interrupt"]
        mine = {one["id"] for one in interrupts if one["correlation_id"] == [self.id]}
        said = []
        for one in self._world.human.seen:
            kind, payload = one["kind"], one["payload"]
            if one["id"] == self.id:
                said.append("start")
            elif one.get("context") == self.id and kind == "reasoning/thought":
                said.append(payload["message"])
            elif one.get("context") == self.id and kind == "reasoning/conclusion":
                said.append("conclusion")
            elif kind == "reasoning/interrupt-ack" and mine & set(one["correlation_id"]):
                said.append(payload["status"])
        return said


class Harness:
    """A gateway, a human, and agents."""

    def __init__(self, start_gateway: Any, folder: Path, use: Callable[[ManualTimers, LinkFault], None]) -> None:
        self._start_gateway = start_gateway
        self._folder = folder
        self._use = use
        self._stack = AsyncExitStack()
        self._agent_threads: list[AgentThread] = []
        self.peers: list[Any] = []
        self._port = 0
        self.link_fault = LinkFault()

    async def begin(self) -> None:
        self.site = await self._stack.enter_async_context(self._start_gateway(SPACES.format(port=0)))
        self._port = int(self.site.url.rpartition(":")[2])
        self.timers = ManualTimers(self.site.clock.now)
        self._use(self.timers, self.link_fault)
        self.human = await self.join("human")

    async def end(self) -> None:
        try:
            for agent_thread in self._agent_threads:
                await agent_thread.end()
        finally:
            await self._stack.aclose()

    async def restart_gateway(self) -> None:
        """Restart the gateway at the same address, and rejoin the human. Agents reconnect by themselves."""
        await self._stack.aclose()
        text = SPACES.format(port=self._port)
        self.site = await self._stack.enter_async_context(self._start_gateway(text, clock=self.site.clock))
        self.human = await self.join("human")

    async def join(self, participant: str) -> Any:
        """Join a peer that sends and receives JSON, and stream frames."""
        peer = StreamPeer(await self.site.join(participant, max_queue=None))  # may close without reading
        self.peers.append(peer)
        return peer

    @contextlib.asynccontextmanager
    async def client(self, participant: str) -> AsyncIterator[Client]:
        """Connect an agent as a plain client, which does only what the test does."""
        where = self.environment(participant)
        async with Client(where.url, space=where.space, token=where.token) as client:
            yield client

    # Agents.

    def environment(self, participant: str = "agent", folder: str | None = None) -> Environment:
        state = self.folder(folder or participant)
        return Environment(self.site.url, self.site.space, self.site.token(participant), state=str(state))

    def folder(self, name: str) -> Path:
        return self._folder / "agents" / name

    async def start_agent(
        self, agent: Agent | None = None, *, participant: str = "agent", folder: str | None = None
    ) -> AgentThread:
        """Start an agent in a thread and wait until it has joined."""
        agent_thread = AgentThread(agent or Scripted(), self.environment(participant, folder), me=participant)
        await agent_thread.begin()
        self._agent_threads.append(agent_thread)
        await self.joins(participant)
        return agent_thread

    async def joins(self, participant: str) -> None:
        """Wait for the join of a participant that was absent."""
        while (await self.human.until("system/presence", event="join"))["payload"]["participant"]["id"] != participant:
            pass

    async def present(self, participant: str) -> None:
        """Wait until a participant is present."""
        machine = self.site.gateway.broker.engine["demo"].machine
        async with asyncio.timeout(TIMEOUT):
            while participant not in machine.members.present():
                await asyncio.sleep(0)

    async def joined(self, agent_thread: AgentThread) -> None:
        """Wait until the agent's participant is connected."""
        async with asyncio.timeout(TIMEOUT):
            while True:
                with contextlib.suppress(Disconnected):
                    _ = agent_thread.agent.participant
                    return
                await asyncio.sleep(0)

    async def leave(self, agent_thread: AgentThread) -> None:
        """End an agent in good order."""
        self._agent_threads.remove(agent_thread)
        await agent_thread.end()

    async def run(self, agent_thread: AgentThread, capability: str, about: str, *, by: Any = None) -> ScriptedRun:
        """Send a chat that begins a run of that capability, and return the run."""
        to = [agent_thread.me]
        await (by or self.human).send("chat", {"text": f"{capability} {about}".strip()}, to=to)
        return await self.begun(agent_thread, about)

    async def begun(self, agent_thread: AgentThread, about: str) -> ScriptedRun:
        """Wait for the next run to begin, and return it."""
        return ScriptedRun(self, agent_thread, about, await self.human.until("reasoning/start"))

    # Results.

    async def ack(self, id: str) -> dict[str, Any]:
        """Wait for the next ack, which must answer that interrupt, and return its payload."""
        ack = await self.human.until("reasoning/interrupt-ack")
        assert ack["correlation_id"] == [id]
        payload: dict[str, Any] = ack["payload"]
        return payload

    async def silence(self, agent_thread: AgentThread) -> None:
        """Assert that an agent sends nothing, and that nothing already sent to it makes it send anything.

        The agent sends two chats and receives them: what was on its way to it arrived before the first, and what that
        caused left before the second.
        """
        before = len(self.human.seen)
        words = [f"flush {len(self.human.seen)}.{n}" for n in (1, 2)]
        await agent_thread.says_and_hears(words)
        await self.human.until("chat", text=words[1])
        heard = [one for one in self.human.seen[before:] if one["from"] == agent_thread.me]
        assert [one["payload"].get("text", one["kind"]) for one in heard] == words

    async def pass_time(self, milliseconds: int) -> None:
        """Advance the clock of the gateway and the agents."""
        await self.site.pass_time(milliseconds)
        self.timers.fire_due()

    async def reached(self, gate: Any) -> None:
        assert await asyncio.to_thread(gate.reached.wait, TIMEOUT), "It never came to the gate."

    async def record(self, id: str) -> dict[str, Any]:
        """Return the gateway's record of an interrupt."""
        status, body = await self.site.get("/spaces/demo/interrupts", participant="human")
        assert status == 200
        return next(dict(one) for one in body["interrupts"] if one["id"] == id)

    def timeline(
        self, kind: str | None = None, *, of: str | None = None, cause: str | None = None, folder: str = "agent"
    ) -> list[Entry]:
        """Return the entries of an agent's timeline, filtered by kind, run and cause."""
        with TimelineReader(self.folder(folder) / NAME) as reader:
            return [
                one
                for one in every(reader)
                if kind in (None, one.kind) and of in (None, one.trace_id) and cause in (None, one.cause_id)
            ]

    def decided(self, id: str, folder: str = "agent") -> dict[str, Any]:
        """Return what an agent's timeline has about one interruption, which was decided once; without the latency."""
        (noted,) = self.timeline("interruption", cause=id, folder=folder)
        decided = self.timeline("decided", cause=id, folder=folder)[0]
        assert (noted.trace_id, noted.span_id) == (decided.trace_id, decided.span_id)
        told = {"trace": decided.trace_id, "span": decided.span_id, **noted.data, **decided.data}
        assert told.pop("latency_ms") >= 0
        return told

    def states(self, run: str, folder: str = "agent") -> list[tuple[str, str]]:
        """Return the span states of a run as pairs of span and state, in order."""
        entries = self.timeline("span_state", of=run, folder=folder)
        return [(str(one.span_id), one.data["to"]) for one in entries]

    def kinds(self, run: str, folder: str = "agent") -> list[str]:
        """Return the kinds of a run's entries, in order, without inputs and span states."""
        left_out = ("input", "span_state")
        return [one.kind for one in self.timeline(of=run, folder=folder) if one.kind not in left_out]
