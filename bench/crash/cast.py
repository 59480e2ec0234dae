"""Who takes part: people who chat, tools that are asked, agents that think, and somebody who interrupts them."""

from __future__ import annotations

import asyncio
import random
import zlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

from bench.peer import Heard, Peer, Role
from bench.spaces import configuration

_TEXT = "x" * 200
_THOUGHTS = 12  # of a sequence
_TALK, _ASK, _THINK = 0.45, 0.15, 0.25  # of a space's envelopes; a question has an answer besides

# Each visible space hands all to all; in an addressed one the witness observes.
SPACES = {"hall": "visible", "desk": "addressed", "yard": "visible"}
WITNESS = "witness"

_CHAT = [{"kind": "chat"}]
_CAPABILITIES: dict[str, list[dict[str, Any]]] = {
    WITNESS: _CHAT,
    "ann": _CHAT,
    "bob": _CHAT,
    "asker": [{"kind": "mcp/request"}],
    "tool": [{"kind": "mcp/response"}],
    "solver": [{"kind": "reasoning/*"}],
    "dreamer": [{"kind": "reasoning/*"}],
    "guard": [{"kind": "reasoning/interrupt"}],
}


class Answer(NamedTuple):
    """What somebody says to an interrupt, how late (as a part of the deadline), and whether it stops as promised."""

    wait: float
    status: str
    keeps_word: bool = True


_ANSWERS = (
    Answer(0, "stopping"),
    Answer(0, "stopping"),
    Answer(0, "stopping", keeps_word=False),
    Answer(0, "continuing"),
    Answer(0.5, "continuing"),
    Answer(1.2, "stopping"),
    None,
    None,
)


def spaces_file(*, ack_deadline: int, conclusion: int) -> str:
    """The `spaces.yaml`. Both deadlines in milliseconds."""
    interrupts = {"ack_deadline": f"{ack_deadline}ms", "stopping_conclusion": f"{conclusion}ms"}
    participants = {name: {"capabilities": may, "observe": name == WITNESS} for name, may in _CAPABILITIES.items()}
    same = {"interrupts": interrupts, "participants": participants}
    return configuration({space: {"routing": routing, **same} for space, routing in SPACES.items()})


def cast(*, rate: float, ack_deadline: int, draw: random.Random) -> Iterator[Peer]:
    """Everybody in every space. Together they send `rate` envelopes a second."""
    each = rate / len(SPACES)
    for space in SPACES:
        roles: dict[str, Role] = {
            WITNESS: Silent(),
            "ann": Talker(each * _TALK / 2, to="bob"),
            "bob": Talker(each * _TALK / 2, to="ann"),
            "asker": Asker(each * _ASK),
            "tool": Tool(),
            "solver": Thinker(each * _THINK / 2, deadline=ack_deadline / 1000),
            "dreamer": Thinker(each * _THINK / 2, deadline=ack_deadline / 1000),
            "guard": Guard(draw),
        }
        for name, role in roles.items():
            yield Peer(space, name, role)


class Silent:
    """Only listens."""

    async def act(self, _: Peer, /) -> None:
        return None

    async def hear(self, _: Peer, __: Heard, /) -> None:
        return None


class Paced(Silent, ABC):
    """Sends something so many times a second, until it is told to rest."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self.rests = False

    async def act(self, peer: Peer, /) -> None:
        async for _ in _every(1 / self._rate):
            if self.rests:
                return
            await self.next(peer)

    @abstractmethod
    async def next(self, peer: Peer) -> None:
        """Send it."""


class Talker(Paced):
    """Chats, to all and to one in turns."""

    def __init__(self, rate: float, *, to: str) -> None:
        super().__init__(rate)
        self._to = to
        self._said = 0

    async def next(self, peer: Peer) -> None:
        self._said += 1
        await peer.say("chat", {"text": _TEXT}, to=[self._to] if self._said % 2 else [])


class Asker(Paced):
    """Asks the tool."""

    async def next(self, peer: Peer) -> None:
        await peer.say("mcp/request", {"method": "tools/call", "params": {"name": "add"}}, to=["tool"])


class Tool(Silent):
    """Answers what it is asked, once, whatever happens to its connection."""

    async def hear(self, peer: Peer, envelope: Heard, /) -> None:
        if envelope.kind == "mcp/request" and envelope.to == [peer.name]:
            answer = {"to": [envelope.sender], "correlation_id": [envelope.id]}
            await peer.say("mcp/response", {"result": {"content": []}}, id=f"{envelope.id}-answer", **answer)


class Thinker(Paced):
    """Thinks aloud, a sequence after the other. Of the interrupts some are answered at once, some late, some never."""

    def __init__(self, rate: float, *, deadline: float) -> None:
        super().__init__(rate)
        self._deadline = deadline
        self._run = ""
        self._runs = 0
        self._thoughts = 0

    async def next(self, peer: Peer) -> None:
        if not self._run:
            self._runs, self._thoughts = self._runs + 1, 0
            self._run = f"{peer.space}-{peer.name}-run-{self._runs}"
            await peer.say("reasoning/start", {"message": "hm"}, id=self._run)
        elif self._thoughts < _THOUGHTS:
            self._thoughts += 1
            await peer.say("reasoning/thought", {"message": _TEXT}, context=self._run)
        else:
            run, self._run = self._run, ""
            await peer.say("reasoning/conclusion", {"message": "so"}, id=f"{run}-end", context=run)

    async def hear(self, peer: Peer, envelope: Heard, /) -> None:
        if envelope.kind == "reasoning/interrupt" and envelope.to == [peer.name]:
            answer = _ANSWERS[zlib.crc32(envelope.id.encode()) % len(_ANSWERS)]  # the same in every life
            if answer is not None:
                peer.later(self._answer(peer, envelope, answer))

    async def _answer(self, peer: Peer, envelope: Heard, answer: Answer) -> None:
        await asyncio.sleep(answer.wait * self._deadline)
        about = {"to": [envelope.sender], "correlation_id": [envelope.id]}
        await peer.say("reasoning/interrupt-ack", {"status": answer.status}, id=f"{envelope.id}-ack", **about)
        if answer.status == "stopping" and envelope.correlation_id == [self._run]:
            if answer.keeps_word:
                self._thoughts = _THOUGHTS  # the next is the conclusion
            else:
                self._run = ""


class Guard(Silent):
    """Interrupts whoever thinks, once a sequence, at some time or never."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self.rests = False

    async def hear(self, peer: Peer, envelope: Heard, /) -> None:
        if envelope.kind == "reasoning/start" and self._draw.random() < 0.8 and not self.rests:
            peer.later(self._interrupt(peer, envelope, self._draw.uniform(0, 0.4)))

    async def _interrupt(self, peer: Peer, envelope: Heard, wait: float) -> None:
        await asyncio.sleep(wait)
        about = {"to": [envelope.sender], "correlation_id": [envelope.id]}
        await peer.say("reasoning/interrupt", {"reason": "timeout"}, id=f"{envelope.id}-stop", **about)


async def _every(seconds: float) -> AsyncIterator[None]:
    """Beats at this distance; those that came too late come at once."""
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        await asyncio.sleep(max(0.0, due - loop.time()))
        yield
        due += seconds
