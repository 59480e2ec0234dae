"""Those who stay: they chat, think and are interrupted, ask and answer, and stream, all the time."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
from typing import Any

import websockets
from websockets.asyncio.client import ClientConnection

from bench import wire
from bench.churn.process import CAST, Gateway
from bench.churn.visits import Visits

_BEAT = 0.5  # seconds between two things that somebody does


class Member:
    """One that stays. It answers what it is asked, and does its part of a round at each beat."""

    def __init__(self, socket: ClientConnection, number: int, visits: Visits) -> None:
        self._socket = socket
        self._number = number
        self._visits = visits
        self._name = f"p{number}"
        self._neighbour = f"p{(number + 1) % CAST}"
        self.heard = 0
        self.refused: dict[str, int] = {}

    async def listen(self) -> None:
        """Take what comes, and answer it."""
        async for data in self._socket:
            self.heard += 1
            if isinstance(data, str) and not data.startswith("#"):  # a stream's frame
                await self._answer(json.loads(data))

    async def act(self) -> None:
        """Do something at each beat, for good."""
        life = os.urandom(4).hex()
        for turn in itertools.count():
            run = f"{self._name}-{life}-{turn}"
            await self._say("chat", {"text": "x" * 200}, id=f"chat-{run}")
            self._visits.latest = f"chat-{run}"
            await self._say("reasoning/start", {"message": "let me think"}, id=run)
            await self._say("reasoning/thought", {"message": "so"}, context=run)
            await self._say("mcp/request", {"method": "tools/list"}, to=[self._neighbour], id=f"ask-{run}")
            if turn % 2:
                await self._say("stream/request", {"direction": "upload"})
            await asyncio.sleep(_BEAT)
            await self._say("reasoning/conclusion", {}, context=run)

    async def _answer(self, envelope: dict[str, Any]) -> None:
        kind, payload = envelope["kind"], envelope.get("payload", {})
        is_mine = self._name in (envelope.get("to") or ())
        if kind == "mcp/request" and is_mine:
            answer: dict[str, Any] = {"result": {"tools": []}}
            await self._say("mcp/response", answer, to=[envelope["from"]], correlation_id=[envelope["id"]])
        elif kind == "reasoning/interrupt" and is_mine and self._number % 2:  # the others let the deadline pass
            await self._say("reasoning/interrupt-ack", {"status": "stopping"}, correlation_id=[envelope["id"]])
        elif kind == "reasoning/start" and envelope["from"] == self._neighbour and envelope["id"].endswith("0"):
            asked = {"reason": "timeout", "message": "long enough"}
            await self._say("reasoning/interrupt", asked, to=[self._neighbour], correlation_id=[envelope["id"]])
        elif kind == "stream/open" and payload.get("owner", self._name) == self._name and is_mine:
            await self._socket.send(f"#{payload['stream_id']}#some bytes of a stream")
            await self._say("stream/close", {"stream_id": payload["stream_id"]})
        elif kind == "system/error":
            self.refused[payload["error"]] = self.refused.get(payload["error"], 0) + 1

    async def _say(self, kind: str, payload: dict[str, Any], **fields: Any) -> None:
        await self._socket.send(wire.envelope(kind, payload, **fields))


class Cast:
    """All of them, in a gateway's space."""

    def __init__(self, gateway: Gateway, visits: Visits) -> None:
        self._gateway = gateway
        self._visits = visits
        self._tasks: list[asyncio.Task[None]] = []
        self._sockets: list[ClientConnection] = []
        self.members: list[Member] = []

    async def enter(self) -> None:
        """They join, and begin."""
        for number in range(CAST):
            socket = await self._gateway.server.join(number)
            member = Member(socket, number, self._visits)
            self._sockets.append(socket)
            self.members.append(member)
            self._tasks += [asyncio.create_task(member.listen()), asyncio.create_task(member.act())]

    def check(self) -> None:
        """Raise what has ended one of them."""
        for task in self._tasks:
            if task.done():
                task.result()
                raise websockets.ConnectionClosedError(None, None)

    async def leave(self) -> None:
        """They stop, and go."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for socket in self._sockets:
            with contextlib.suppress(websockets.ConnectionClosed):
                await socket.close()
