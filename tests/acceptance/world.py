"""A space over real sockets, with one clock for the gateway and its agents, which moves when the test says so."""

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

from .ear import Ear
from .hourglass import Hourglass, Line
from .life import Life
from .scripted import TIMEOUT, Cue, Scripted, thought

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


class Part:
    """A run of a scripted agent in the test's hands."""

    def __init__(self, world: World, life: Life, about: str, start: dict[str, Any]) -> None:
        self._world = world
        self._life = life
        self.about = about
        self.start = start
        self.id: str = start["id"]
        self.span: str = start["payload"]["span"]["span_id"]

    @property
    def agent(self) -> Scripted:
        assert isinstance(self._life.agent, Scripted)
        return self._life.agent

    def cue(self, *cues: Cue | None, part: str | None = None) -> None:
        """What the body is to do next; None: come to its end. `part`: of a span within."""
        for cue in cues:
            self._life.do(partial(self.agent.parts[part or self.about].put_nowait, cue))

    async def think(self, *messages: str, part: str | None = None) -> None:
        """Have it think, and hear it."""
        for message in messages:
            self.cue(thought(message), part=part)
            heard = await self._world.human.until("reasoning/thought", message=message)
            assert heard["context"] == self.id
        await self.idle(part)

    async def idle(self, part: str | None = None) -> None:
        """Wait until it has begun, has done all that it was told, and awaits the next cue."""
        await self._life.ask(partial(self.agent.idle, part or self.about))

    async def end(self) -> dict[str, Any]:
        """Have it come to its end, and hear that."""
        self.cue(None)
        return await self.concluded()

    async def concluded(self) -> dict[str, Any]:
        """Its conclusion, which comes next of all conclusions."""
        end: dict[str, Any] = await self._world.human.until("reasoning/conclusion")
        assert end["context"] == self.id
        return end

    async def interrupted(self, id: str, *, by: Any = None, class_: str = "cancel", **payload: Any) -> dict[str, Any]:
        """Interrupt it; the ack's payload."""
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
        """All that people have heard of this run so far, and the answers to interrupts of it, in order."""
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


class World:
    """A gateway, the human at it, and agents."""

    def __init__(self, start_gateway: Any, folder: Path, use: Callable[[Hourglass, Line], None]) -> None:
        self._start_gateway = start_gateway
        self._folder = folder
        self._use = use
        self._stack = AsyncExitStack()
        self._lives: list[Life] = []
        self.ears: list[Any] = []
        self._port = 0
        self.line = Line()

    async def begin(self) -> None:
        self.site = await self._stack.enter_async_context(self._start_gateway(SPACES.format(port=0)))
        self._port = int(self.site.url.rpartition(":")[2])
        self.hourglass = Hourglass(self.site.clock.now)
        self._use(self.hourglass, self.line)
        self.human = await self.join("human")

    async def end(self) -> None:
        try:
            for life in self._lives:
                await life.end()
        finally:
            await self._stack.aclose()

    async def restart_gateway(self) -> None:
        """It ends, and comes back at the same address; so does the human. Agents come back by themselves."""
        await self._stack.aclose()
        text = SPACES.format(port=self._port)
        self.site = await self._stack.enter_async_context(self._start_gateway(text, clock=self.site.clock))
        self.human = await self.join("human")

    async def join(self, participant: str) -> Any:
        """A peer that speaks plain JSON; it also hears the frames of streams."""
        ear = Ear(await self.site.join(participant, max_queue=None))  # who does not read can still hang up
        self.ears.append(ear)
        return ear

    @contextlib.asynccontextmanager
    async def client(self, participant: str) -> AsyncIterator[Client]:
        """An agent on the bare client: it keeps no promise but those that the test makes it keep."""
        where = self.environment(participant)
        async with Client(where.url, space=where.space, token=where.token) as client:
            yield client

    # Agents.

    def environment(self, participant: str = "agent", folder: str | None = None) -> Environment:
        state = self.folder(folder or participant)
        return Environment(self.site.url, self.site.space, self.site.token(participant), state=str(state))

    def folder(self, name: str) -> Path:
        return self._folder / "agents" / name

    async def live(self, agent: Agent | None = None, *, participant: str = "agent", folder: str | None = None) -> Life:
        """A life of an agent, which has joined."""
        life = Life(agent or Scripted(), self.environment(participant, folder), me=participant)
        await life.begin()
        self._lives.append(life)
        await self.joins(participant)
        return life

    async def joins(self, participant: str) -> None:
        """Wait for somebody who was not here."""
        while (await self.human.until("system/presence", event="join"))["payload"]["participant"]["id"] != participant:
            pass

    async def present(self, participant: str) -> None:
        """Wait until somebody is here again, who may be already."""
        machine = self.site.gateway.broker.engine["demo"].machine
        async with asyncio.timeout(TIMEOUT):
            while participant not in machine.members.present():
                await asyncio.sleep(0)

    async def joined(self, life: Life) -> None:
        """Wait until an agent listens."""
        async with asyncio.timeout(TIMEOUT):
            while True:
                with contextlib.suppress(Disconnected):
                    _ = life.agent.participant
                    return
                await asyncio.sleep(0)

    async def leave(self, life: Life) -> None:
        """A life comes to its end, in an orderly way."""
        self._lives.remove(life)
        await life.end()

    async def run(self, life: Life, capability: str, about: str, *, by: Any = None) -> Part:
        """Say a chat that begins a run of that capability."""
        to = [life.me]
        await (by or self.human).send("chat", {"text": f"{capability} {about}".strip()}, to=to)
        return await self.begun(life, about)

    async def begun(self, life: Life, about: str) -> Part:
        """The next run that begins."""
        return Part(self, life, about, await self.human.until("reasoning/start"))

    # What comes of it.

    async def ack(self, id: str) -> dict[str, Any]:
        """The next ack's payload, which answers that interrupt."""
        ack = await self.human.until("reasoning/interrupt-ack")
        assert ack["correlation_id"] == [id]
        payload: dict[str, Any] = ack["payload"]
        return payload

    async def silence(self, life: Life) -> None:
        """Nothing comes from an agent: it has said nothing up to now, and all that has reached it makes it say nothing.

        It says something twice, and hears itself: what was on its way to it came before the first, and whatever that
        had it begin came before the second.
        """
        before = len(self.human.seen)
        words = [f"flush {len(self.human.seen)}.{n}" for n in (1, 2)]
        await life.says_and_hears(words)
        await self.human.until("chat", text=words[1])
        heard = [one for one in self.human.seen[before:] if one["from"] == life.me]
        assert [one["payload"].get("text", one["kind"]) for one in heard] == words

    async def pass_time(self, milliseconds: int) -> None:
        """Move the gateway's and the agents' clock."""
        await self.site.pass_time(milliseconds)
        self.hourglass.ring()

    async def reached(self, gate: Any) -> None:
        assert await asyncio.to_thread(gate.reached.wait, TIMEOUT), "It never came to the gate."

    async def record(self, id: str) -> dict[str, Any]:
        """What the gateway has on record of an interrupt."""
        status, body = await self.site.get("/spaces/demo/interrupts", participant="human")
        assert status == 200
        return next(dict(one) for one in body["interrupts"] if one["id"] == id)

    def timeline(
        self, kind: str | None = None, *, of: str | None = None, cause: str | None = None, folder: str = "agent"
    ) -> list[Entry]:
        """The events of an agent's timeline: of a kind, of a run, with a cause."""
        with TimelineReader(self.folder(folder) / NAME) as reader:
            return [
                one
                for one in every(reader)
                if kind in (None, one.kind) and of in (None, one.trace_id) and cause in (None, one.cause_id)
            ]

    def decided(self, id: str, folder: str = "agent") -> dict[str, Any]:
        """All that an agent's timeline says about one interruption, which was decided once; without the latency."""
        (noted,) = self.timeline("interruption", cause=id, folder=folder)
        decided = self.timeline("decided", cause=id, folder=folder)[0]
        assert (noted.trace_id, noted.span_id) == (decided.trace_id, decided.span_id)
        told = {"trace": decided.trace_id, "span": decided.span_id, **noted.data, **decided.data}
        assert told.pop("latency_ms") >= 0
        return told

    def states(self, run: str, folder: str = "agent") -> list[tuple[str, str]]:
        """The states that the spans of a run went through, as (span, state), in order."""
        entries = self.timeline("span_state", of=run, folder=folder)
        return [(str(one.span_id), one.data["to"]) for one in entries]

    def kinds(self, run: str, folder: str = "agent") -> list[str]:
        """The kinds of a run's events, in order, without inputs and states."""
        left_out = ("input", "span_state")
        return [one.kind for one in self.timeline(of=run, folder=folder) if one.kind not in left_out]
