"""A desk that many people talk to the agent through: one participant, a conversation for each of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from websockets.asyncio.client import ClientConnection

from bench import wire
from bench.failure import PATIENCE, BenchFailure
from bench.server import Server

DESK, AGENT = "p0", "p1"
_AT_ONCE = 16  # conversations that the desk is busy with


class Waiting(NamedTuple):
    """How a conversation comes to wait, the answer that it waits for, and what stands in the question after that."""

    said: Sequence[str]
    answer: str
    then: str


# In turns: at the first question, at the second, and in another flow.
WAITING = (
    Waiting(("Hola, quiero registrarme",), "Lucía Fernández", "edad"),
    Waiting(("Hola, quiero registrarme", "Lucía Fernández"), "25 años", "correo"),
    Waiting(("quiero hacer una transferencia",), "a Ana", "cuánto"),
)


def waiting(number: int) -> Waiting:
    """The conversation of a number."""
    return WAITING[number % len(WAITING)]


class Desk:
    """The desk's socket, which is read all the time; `runs`: the agent's sequences that are open."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._answers: dict[str, asyncio.Future[str]] = {}
        self._joined, self._quiet = asyncio.Event(), asyncio.Event()
        self._quiet.set()
        self._numbers = 0
        self.runs: set[str] = set()

    async def read(self) -> None:
        """Takes what arrives, for good."""
        async for frame in self._socket:
            self._take(json.loads(frame))

    async def joined(self) -> None:
        """Wait until the agent is there. Raises `TimeoutError`."""
        async with asyncio.timeout(PATIENCE):
            await self._joined.wait()

    async def say(self, number: int, text: str) -> str:
        """What the agent answers in a conversation. Raises `TimeoutError`."""
        self._numbers += 1
        id = f"said-{self._numbers}"
        self._answers[id] = asyncio.get_running_loop().create_future()
        payload = {"text": text, "conversation": f"person-{number}"}
        await self._socket.send(wire.envelope("chat", payload, id=id, to=[AGENT]))
        async with asyncio.timeout(PATIENCE):
            return await self._answers[id]

    async def begin(self, numbers: Sequence[int]) -> None:
        """Conversations come to wait, some at a time."""
        left = iter(numbers)

        async def talk() -> None:
            for number in left:
                for text in waiting(number).said:
                    await self.say(number, text)

        async with asyncio.TaskGroup() as tasks:
            for _ in range(_AT_ONCE):
                tasks.create_task(talk())

    async def answer(self, number: int) -> None:
        """What a conversation waits for is answered. Raises `BenchFailure` when it does not go on as it should."""
        reply, then = await self.say(number, waiting(number).answer), waiting(number).then
        if then not in reply.lower():
            raise BenchFailure(f"person-{number} was asked {reply!r}, not for {then!r}.")

    async def settled(self) -> None:
        """Wait until no sequence is open. Raises `TimeoutError`."""
        async with asyncio.timeout(PATIENCE):
            await self._quiet.wait()

    def left(self) -> None:
        """The agent was killed."""
        self._joined.clear()
        self.runs.clear()
        self._quiet.set()

    def _take(self, envelope: dict[str, Any]) -> None:
        kind, sender = envelope["kind"], envelope["from"]
        if kind == "system/presence" and envelope["payload"]["participant"]["id"] == AGENT:
            if envelope["payload"]["event"] == "join":
                self._joined.set()
        elif sender == AGENT and kind == "reasoning/start":
            self.runs.add(envelope["id"])
            self._quiet.clear()
        elif sender == AGENT and kind == "reasoning/conclusion":
            self.runs.discard(envelope["context"])
            if not self.runs:
                self._quiet.set()
        elif sender == AGENT and kind == "chat":
            for id in envelope.get("correlation_id") or ():
                answer = self._answers.pop(id, None)
                if answer is not None and not answer.done():
                    answer.set_result(envelope["payload"]["text"])


@asynccontextmanager
async def desk(server: Server) -> AsyncIterator[Desk]:
    """The desk has joined, and reads as long as the block."""
    async with server.join(0) as socket:
        found = Desk(socket)
        reading = asyncio.create_task(found.read())
        try:
            yield found
        finally:
            reading.cancel()
