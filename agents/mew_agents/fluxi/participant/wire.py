"""Envelopes of ours that are bytes already: sent as they are, and what is heard of each: taken, refused, answered."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from mew_agents.fluxi.outcomes import garbage, outcome_of, outcome_of_error
from mew_agents.fluxi.ports import Answer
from mew_gateway.errors import MewError
from mew_gateway.sdk import Client, Envelope

# A refusal that says that the gateway has it already.
TAKEN_BEFORE = "duplicate_id"
# One that says that nobody of that name is there to receive it; the envelope itself was taken.
NOBODY = "participant_not_found"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gateway says of an envelope: taken at a time in ms, or refused with a code."""

    at: int
    code: str = ""
    message: str = ""

    @property
    def taken(self) -> bool:
        """Whether the gateway has it, from now or from before."""
        return self.code in ("", TAKEN_BEFORE)


class Exchange:
    """One envelope of ours while somebody waits to hear of it."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.verdict: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    def renew(self) -> None:
        """It was refused for now, and is going to be sent again."""
        self.verdict = asyncio.get_running_loop().create_future()


class Wire:
    """Sends bytes, and hears of them. `take` is to see every envelope that arrives.

    It dates what it hears: in gateway time, and no two the same, so that what came first has the earlier date.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.cursor = client.first  # an envelope whose id nobody else uses, to read the history from
        self._exchanges: dict[str, list[Exchange]] = {}
        self._newest = 0
        self._connected = asyncio.Event()

    def date(self) -> int:
        """Now, later than anything that was dated before. Milliseconds since the epoch."""
        self._newest = max(self._newest + 1, self.client.gateway_time())
        return self._newest

    @contextmanager
    def exchange(self, id: str) -> Iterator[Exchange]:
        """Listen for what is said of an envelope, while the block runs."""
        mine = Exchange(id)
        self._exchanges.setdefault(id, []).append(mine)
        try:
            yield mine
        finally:
            others = [one for one in self._exchanges[id] if one is not mine]
            if others:
                self._exchanges[id] = others
            else:
                del self._exchanges[id]

    async def deliver(self, exchange: Exchange, data: str) -> Verdict:
        """Send the bytes, over a new connection again, until the gateway says something. Waits as long as it takes."""
        encoded = data.encode()
        while not exchange.verdict.done():
            connected = self._connected
            with suppress(MewError):  # no connection: the next one gets it
                await self.client.in_turn(lambda: [encoded])
            waiting = asyncio.ensure_future(connected.wait())
            try:
                await asyncio.wait((exchange.verdict, waiting), return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()
        return exchange.verdict.result()

    def reconnected(self) -> None:
        """There is a new connection: what nobody has heard of goes out again, the same bytes."""
        self._connected.set()
        self._connected = asyncio.Event()

    def take(self, envelope: Envelope, *, at: int) -> bool:
        """Something has arrived; whether somebody has waited for this answer."""
        for mine in self._exchanges.get(envelope.id, ()):
            if envelope.sender == self.client.welcome.you.id:
                settle(mine.verdict, Verdict(at))
        heard = False
        for id in envelope.correlation_id or ():
            for mine in self._exchanges.get(id, ()):
                if envelope.kind == "mcp/response":
                    settle(mine.verdict, Verdict(at))
                    settle(mine.answer, answer_in(envelope))
                    heard = True
                elif envelope.kind == "system/error":
                    _refuse(mine, envelope.payload or {}, at)
        return heard


def answer_in(envelope: Envelope) -> Answer:
    """What a response says of an effect."""
    payload = envelope.payload or {}
    error = payload.get("error")
    if error is not None:
        return error_in(error)
    result = payload.get("result")
    return outcome_of(result) if isinstance(result, dict) else garbage(result)


def error_in(error: Any) -> Answer:
    """What a JSON-RPC error says of an effect."""
    code, message = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, None)
    if not isinstance(code, int):
        return garbage(error)
    return outcome_of_error(code, str(message))


def settle(future: asyncio.Future[Any], value: Any) -> None:
    """What came first counts."""
    if not future.done():
        future.set_result(value)


def id_of(data: str) -> str:
    """The id of an envelope that is bytes already."""
    return _head.decode(data).id


class _Head(msgspec.Struct):
    id: str


_head = msgspec.json.Decoder(_Head)


def _refuse(mine: Exchange, payload: dict[str, Any], at: int) -> None:
    code, message = str(payload.get("error", "")), str(payload.get("message", ""))
    settle(mine.verdict, Verdict(at, code, message))
    if code == NOBODY:  # it was taken, and nobody is there who could answer
        settle(mine.answer, outcome_of_error(code, message))
