"""A participant outside, which comes back where it was and writes down everything that it was given."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from typing import Any, NamedTuple, Protocol

import msgspec
import websockets
from websockets.asyncio.client import ClientConnection

from bench.mortal import Mortal

_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")
_encoder = msgspec.json.Encoder()


class Heard(msgspec.Struct, rename={"sender": "from"}):
    """What is read of an envelope."""

    id: str
    kind: str
    sender: str
    payload: msgspec.Raw = msgspec.Raw(b"{}")
    to: list[str] = []
    correlation_id: list[str] = []
    context: str | None = None

    def says(self) -> dict[str, Any]:
        """Its payload."""
        found: dict[str, Any] = msgspec.json.decode(self.payload)
        return found


class Seen(NamedTuple):
    """An envelope as it came: its id, its kind, and the CRC-32 of its bytes."""

    id: str
    kind: str
    digest: int


_heard = msgspec.json.Decoder(Heard)


class Role(Protocol):
    """What a peer says."""

    async def act(self, peer: Peer, /) -> None:
        """Say what is to be said, until this is cancelled. What `Peer.say` raises may be left to the peer."""

    async def hear(self, peer: Peer, envelope: Heard, /) -> None:
        """Say what is to be said to something that came."""


class Peer:
    """One participant of one space, one connection at a time.

    `fresh` is what came since it was last taken out; welcomes, and interrupts that were given again because nobody has
    answered them, are in no order with the rest and not in it. What it said and saw no answer to is `unanswered`: the
    same bytes are said again on the next connection, at once if it `hastens`, else behind what was missed. `faults` are
    sentences.
    """

    def __init__(self, space: str, name: str, role: Role) -> None:
        self.space = space
        self.name = name
        self.role = role
        self.hastens = False
        self.fresh: list[Seen] = []
        self.welcomes: list[str] = []
        self.newest: str | None = None
        self.unanswered: dict[str, bytes] = {}
        self.answered = 0  # envelopes of ours that came back to us: they were accepted
        self.refused: Counter[str] = Counter()
        self.close_code = 0  # of the latest connection that ended, and when that was (`time.perf_counter`)
        self.closed_at = 0.0
        self.replayed = 0
        self.faults: list[str] = []
        self.is_back = asyncio.Event()
        self.ended = ""  # why the connection did
        self._socket: ClientConnection | None = None
        self._accepted: set[str] = set()
        self._undecided: set[str] = set()
        self._later: set[asyncio.Task[None]] = set()
        self._to_replay = 0
        self._is_live = False
        self._numbers = 0

    def forget_life(self) -> None:
        """The connection that was is over: `is_back` waits for the next one."""
        self.is_back.clear()

    async def live(self, gateway: Mortal) -> None:
        """Join, take up where it was, say what there is to say, until the connection is lost."""
        self.ended = ""
        try:
            async with gateway.join(self.space, self.name, after=self.newest) as socket:
                await self._read(socket)
        except (OSError, websockets.InvalidHandshake, websockets.ConnectionClosed, TimeoutError) as error:
            self.ended = f"{type(error).__name__}: {error}"

    async def say(self, kind: str, payload: dict[str, Any], *, id: str | None = None, **fields: Any) -> None:
        """Say something, and again on the next connection until there is an answer. Raises `ConnectionClosed`."""
        if id is None:
            self._numbers += 1
            id = f"{self.space}-{self.name}-{self._numbers}"
        elif id in self.unanswered or id in self._accepted:
            return
        head = {"protocol": "mew/v0.4", "id": id, "ts": "2026-01-01T00:00:00Z", "from": self.name, "kind": kind}
        data = self.unanswered[id] = _encoder.encode({**head, **fields, "payload": payload})
        if self._socket is not None:
            await self._socket.send(data, text=True)

    def stop_reading(self) -> None:
        """Take nothing more from the socket."""
        if self._socket is not None:
            self._socket.transport.pause_reading()

    def read_again(self) -> None:
        """Take what has come meanwhile, to the end of the connection if that has."""
        if self._socket is not None:
            self._socket.transport.resume_reading()

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something besides; it ends with the connection."""
        task = asyncio.create_task(work)
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    @property
    def is_busy(self) -> bool:
        """True while something that was begun with `later` goes on, or an envelope is unanswered."""
        return bool(self._later or self.unanswered)

    async def _read(self, socket: ClientConnection) -> None:
        self._socket, self._to_replay, self._is_live = socket, 0, False
        acting: asyncio.Task[None] | None = None
        try:
            async for data in _frames(socket):
                envelope = _heard.decode(data)
                if acting is None:
                    self._welcome(envelope)
                    acting = asyncio.create_task(self._act())
                else:
                    await self._take(envelope, data)
        finally:
            self._socket = None
            self.close_code, self.closed_at = socket.close_code or 1006, time.perf_counter()
            await _end([*self._later, *([acting] if acting else [])])

    def _welcome(self, welcome: Heard) -> None:
        if welcome.kind != "system/welcome":
            self.faults.append(f"{self} was greeted with {welcome.kind} {welcome.id}")
        self.welcomes.append(welcome.id)
        resume = welcome.says().get("resume")
        if self.newest is not None and (resume is None or resume["count"] is None):
            self.faults.append(f"{self} cannot go on behind {self.newest}: {resume}")
        self._to_replay = (resume or {}).get("count") or 0
        self.replayed += self._to_replay
        if not self._to_replay:
            self.newest = welcome.id
            self.is_back.set()

    async def _act(self) -> None:
        if not self.hastens:
            await self.is_back.wait()
        assert self._socket is not None
        for data in list(self.unanswered.values()):
            await self._socket.send(data, text=True)
        await self.is_back.wait()
        await self.role.act(self)

    async def _take(self, envelope: Heard, data: bytes) -> None:
        if not self._is_given_again(envelope):
            self.fresh.append(Seen(envelope.id, envelope.kind, zlib.crc32(data)))
            self.newest = envelope.id
        if self._to_replay:
            self._to_replay -= 1
            if not self._to_replay:
                self.is_back.set()
        if envelope.sender == self.name:
            self._came_back(envelope)
        elif envelope.kind == "system/error" and envelope.to == [self.name]:
            self._was_refused(envelope)
        elif envelope.kind == "reasoning/interrupt" and envelope.to == [self.name]:
            self._undecided.add(envelope.id)
        await self.role.hear(self, envelope)

    def _is_given_again(self, envelope: Heard) -> bool:
        """Whether it is an interrupt that waits for our answer, behind what was missed and before what is new."""
        if self._to_replay or self._is_live:
            return False
        if envelope.kind in _INTERRUPTS and envelope.id in self._undecided:
            return True
        self._is_live = True
        return False

    def _came_back(self, envelope: Heard) -> None:
        self.answered += 1
        self.unanswered.pop(envelope.id, None)
        self._accepted.add(envelope.id)
        if envelope.kind == "reasoning/interrupt-ack":
            self._undecided.discard(envelope.correlation_id[0])

    def _was_refused(self, envelope: Heard) -> None:
        code = envelope.says()["error"]
        for id in envelope.correlation_id:
            if code == "duplicate_id" and id not in self._accepted:
                self.faults.append(f"{self} is told that {id} was accepted, and never saw it")
            if id in self.unanswered or code == "duplicate_id":
                self.refused[code] += 1
            self.unanswered.pop(id, None)

    def __str__(self) -> str:
        return f"{self.space}/{self.name}"


async def _frames(socket: ClientConnection) -> AsyncIterator[bytes]:
    while True:
        yield await socket.recv(decode=False)


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel what still runs; what ended by itself ended with the connection, or else it is our mistake."""
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception) and not isinstance(outcome, websockets.ConnectionClosed):
            raise outcome
