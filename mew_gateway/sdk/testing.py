"""Space without sockets, for tests of agents and participants: the real rules, and a clock that the test moves.

    from mew_gateway.sdk.testing import Space

    async def test_an_agent_adds():
        async with Space({"human": [{"kind": "mcp/*"}], "agent": [{"kind": "chat"}]}) as space:
            human = await space.join("human")
            await space.run(MyAgent(), "agent")
            assert (await human.call("agent", "add", {"a": 2, "b": 3})).text == "5"

Everything runs in this process: no port, no file, no token. The same test always gives the same ids and times.
"""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple, Self

from mew_gateway.backoff import Backoff
from mew_gateway.errors import MewError, Rejected
from mew_gateway.protocol.codec import Sealer, encode, receive, reread
from mew_gateway.protocol.cursors import digest_of, parse
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.space.effects import Close, Deliver, Dismiss, Effect, Issue, Readmit, Replay, Terminate
from mew_gateway.space.events import (
    Configured,
    Connected,
    DeadlinePassed,
    Event,
    Issued,
    Received,
    Resumed,
)
from mew_gateway.space.events import (
    Disconnected as Left,
)
from mew_gateway.space.machine import VERSION
from mew_gateway.space.machine import Space as Machine
from mew_gateway.space.settings import Participant as Configuration
from mew_gateway.space.settings import SpaceSettings
from mew_gateway.space.visibility import is_shown

from ._transport.frames import frame_in, is_frame
from ._transport.link import Stopped, ended
from ._transport.memory_link import MemoryLink
from ._transport.throttle import Throttle
from .agent import Agent
from .client import Client
from .participant import Participant

START = 1_800_000_000_000  # milliseconds since the epoch
_QUIET = 30  # turns of the loop without anything happening: whatever was to happen has
_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")


class VirtualTime:
    """Clock of a test. `now` is in milliseconds since the epoch and may be set forward; then call `wake`."""

    def __init__(self, now: int) -> None:
        self.now = now
        self._sleeping: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0

    def read(self) -> int:
        return self.now

    @property
    def next(self) -> int | None:
        """Time at which the next sleeper is due."""
        while self._sleeping and self._sleeping[0][2].done():
            heapq.heappop(self._sleeping)
        return self._sleeping[0][0] if self._sleeping else None

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        self._count += 1
        waking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleeping, (self.now + round(seconds * 1000), self._count, waking))
        await waking

    def wake(self) -> None:
        """Wake the sleepers that are due."""
        while (due := self.next) is not None and due <= self.now:
            heapq.heappop(self._sleeping)[2].set_result(None)


class _Delivered(NamedTuple):
    envelope: Envelope
    data: bytes
    audience: tuple[str, ...] | None


class Space:
    """A space of these participants, each with its capabilities as JSON patterns.

    `settings` are further fields of `mew_gateway.space.settings.SpaceSettings`: `routing`, `interrupts`, …. Use as
    `async with`; at its end, all participants that are still connected leave.
    """

    def __init__(
        self, participants: Mapping[str, Sequence[dict[str, Any]]], *, id: str = "test", **settings: Any
    ) -> None:
        configured = {name: Configuration(name, tuple(patterns)) for name, patterns in participants.items()}
        self.settings = SpaceSettings(id=id, participants=configured, **settings)
        self._time = VirtualTime(START)
        self._machine = Machine.configured(Configured(self.settings, VERSION, "test"))
        self._links: dict[int, MemoryLink] = {}
        self._connection = 0
        self._history: list[_Delivered] = []
        self._happened = 0
        self._ids: Counter[str] = Counter()
        self._tokens: dict[bytes, str] = {}
        self._agents: list[asyncio.Task[None]] = []
        self._stack = AsyncExitStack()

    # What a test uses.

    async def join(self, name: str) -> Participant:
        """Join a participant: a configured one by its name, an invited one by its token."""
        participant = await self._stack.enter_async_context(Participant(self.client(name)))
        await self.settle()
        return participant

    async def run(self, agent: Agent, name: str = "agent") -> Agent:
        """Join an agent and serve, until the space or the agent ends."""
        client = self.client(name)
        await client.connect()
        self._agents.append(asyncio.create_task(_serve(agent, client)))
        await self.settle()
        return agent

    def client(self, name: str) -> Client:
        """Return a client of a participant, not yet connected. It reconnects at once."""
        return Client(
            "ws://space.test",
            space=self.settings.id,
            token=name,
            open=self._open,
            backoff=Backoff(first=1, cap=1, draw=lambda: 0.0),
            throttle=Throttle(now=START, burst=10**12, bytes_burst=10**15),
            sleep=self._time.sleep,
            clock=self._time.read,
            wall=self._time.read,
            new_id=partial(self._draw_id, name),
        )

    async def advance(self, seconds: float) -> None:
        """Let time pass: deadlines and sleepers come due in order, each with all its consequences."""
        until = self._time.now + round(seconds * 1000)
        await self.settle()
        while (due := self._due(until)) is not None:
            self._time.now = max(self._time.now, due)
            deadline = self._machine.deadline
            if deadline is not None and deadline <= self._time.now:
                self._handle(DeadlinePassed())
            self._time.wake()
            await self.settle()
        self._time.now = until

    async def settle(self) -> None:
        """Let everything happen that can, without time passing."""
        quiet = 0
        while quiet < _QUIET:
            before = self._happened
            await asyncio.sleep(0)
            quiet = quiet + 1 if self._happened == before else 0

    async def drop(self, name: str) -> None:
        """Break a participant's connections; its clients reconnect."""
        for link in [link for link in self._links.values() if link.participant == name]:
            link.abort()
        await self.settle()

    @property
    def envelopes(self) -> list[Envelope]:
        """All envelopes delivered so far, in order, to any participant."""
        return [one.envelope for one in self._history]

    @property
    def machine(self) -> Machine:
        """The space machine and its state, for inspection."""
        return self._machine

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for agent in self._agents:
            agent.cancel()
        results = await asyncio.gather(*self._agents, return_exceptions=True)
        await self._stack.aclose()
        for result in results:  # an agent that was kicked is no failure of the test; one that is broken is
            if isinstance(result, Exception) and not isinstance(result, MewError) and error is None:
                raise result

    # What its links use.

    def take(self, link: MemoryLink, data: bytes, *, text: bool) -> None:
        """Take a frame that a client sent."""
        if is_frame(data):
            self._take_frame(link, data, text=text)
            return
        sealer = Sealer(sender=link.participant, new_id=partial(self._draw_id, "sealed"))
        try:
            envelope, sealed = receive(data, sealer, now=self._time.now)
        except Rejected as rejected:
            self._refuse(link, rejected)
        else:
            self._handle(Received(link.participant, link.connection, zlib.crc32(data), sealed, envelope))

    def leave(self, link: MemoryLink) -> None:
        """Note that a link has ended."""
        if self._links.pop(link.connection, None) is not None:
            self._handle(Left(link.connection))

    # Inside.

    async def _open(self, url: str, *, space: str, token: str, after: str | None) -> MemoryLink:  # noqa: ARG002
        name = self._machine.members.holder(hashlib.sha256(token.encode()).digest()) or token
        if not self._machine.members.knows(name):
            raise Stopped(401, "handshake refused", f"No participant of the space is called {token!r}.")
        if name in self._machine.state.kicked:
            raise ended(4503, "kicked")
        self._connection += 1
        link = self._links[self._connection] = MemoryLink(self, self._connection, name)
        self._handle(Connected(link.connection, name, None if after is None else self._resumed(name, after)))
        return link

    def _resumed(self, name: str, after: str) -> Resumed:
        id, digest = parse(after)
        held = [position for position, one in enumerate(self._history) if one.envelope.id == id]
        if not held:
            return Resumed(after)
        exact = (position for position in held if digest_of(self._history[position].data) == digest)
        last = next(exact, held[0])
        missed = [one.envelope for one in self._history[last + 1 :] if self._sees(name, one)]
        interrupts = tuple(one.id for one in missed if one.kind in _INTERRUPTS)
        return Resumed(after, len(missed), last + 1, len(self._history), interrupts)

    def _sees(self, name: str, one: _Delivered) -> bool:
        if one.audience is not None:
            return name in one.audience
        observes = name in self._machine.members.observers
        return self.settings.routing == "visible" or observes or is_shown(one.envelope.sender, one.envelope.to, name)

    def _take_frame(self, link: MemoryLink, data: bytes, *, text: bool) -> None:
        self._happened += 1
        frame = frame_in(data)
        try:
            if frame is None:
                raise Rejected("invalid_frame", "A frame begins with #stream_id#.")
            name, stream = link.participant, frame.stream
            for connection in self._machine.recipients_of_frame(name, stream, connection=link.connection):
                self._links[connection].put(data, text=text)
        except Rejected as rejected:
            if frame is not None:
                rejected.details.setdefault("stream_id", frame.stream)
            self._refuse(link, rejected)

    def _refuse(self, link: MemoryLink, rejected: Rejected) -> None:
        """Refuse input as the gateway does: what does not reach the space is not in its history."""
        data = encode(
            id=self._draw_id("refusal"),
            now=self._time.now,
            sender=GATEWAY,
            kind="system/error",
            payload={"error": rejected.code, "message": rejected.message, **rejected.details},
            to=(link.participant,),
            correlation_id=() if rejected.correlation is None else (rejected.correlation,),
        )
        link.put(data)

    def _handle(self, event: Event) -> None:
        self._happened += 1
        for effect in self._machine.handle(event, self._time.now):
            self._perform(event, effect)

    def _perform(self, event: Event, effect: Effect) -> None:
        match effect:
            case Deliver():
                self._deliver(event, effect)
            case Close():
                link = self._links.pop(effect.connection, None)
                if link is not None:
                    link.end(effect.code, effect.reason)
            case Replay():
                for one in self._history[effect.after : effect.until]:
                    if self._sees(effect.participant, one):
                        self._links[effect.connection].put(one.data)
            case Issue():
                self._issue(effect)
            case Dismiss() | Readmit() | Terminate():
                pass  # this space hosts no participants

    def _deliver(self, event: Event, effect: Deliver) -> None:
        forwarded = isinstance(event, Received) and event.data == effect.data
        if effect.own or forwarded:  # else it is something given again
            self._history.append(_Delivered(reread(effect.data), effect.data, effect.audience))
        token = self._tokens.get(effect.digest or b"")
        data = effect.data if token is None else effect.data.replace(b'"token":null', b'"token":"%s"' % token.encode())
        for connection in effect.connections:
            if connection in self._links:
                self._links[connection].put(data)

    def _issue(self, effect: Issue) -> None:
        token = f"token-of-{effect.participant}-{len(self._tokens) + 1}"
        digest = hashlib.sha256(token.encode()).digest()
        self._tokens[digest] = token
        self._handle(Issued(effect.participant, effect.invite, effect.inviter, digest))

    def _due(self, until: int) -> int | None:
        """Return the earliest deadline or sleeper until then."""
        due = [at for at in (self._machine.deadline, self._time.next) if at is not None and at <= until]
        return min(due) if due else None

    def _draw_id(self, name: str) -> str:
        self._ids[name] += 1
        return f"{name}-{self._ids[name]}"


async def _serve(agent: Agent, client: Client) -> None:
    try:
        await agent.live(client)
    finally:
        await client.aclose()
