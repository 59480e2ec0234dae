"""Envelopes of ours that are bytes already: sent as they are, and what is heard of each: taken, refused, answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from mew_agents.fluxi.outcomes import garbage, outcome_of, outcome_of_error
from mew_agents.fluxi.ports import Answer
from mew_gateway.errors import MewError
from mew_gateway.protocol.codec import reread
from mew_gateway.sdk import Client, Envelope
from mew_gateway.sdk.exchange.requests import ID_TAKEN
from mew_gateway.sdk.exchange.tracked import TrackedEnvelope, removal_in, sent_envelope_in

# One that says that nobody of that name is there to receive it; the envelope itself was taken.
NOBODY = "participant_not_found"
# The verdict on one that was not sent, because it is meant for a guest who is gone: no code of the gateway's.
GONE = "guest_removed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gateway says of an envelope: taken at a time in ms, or refused with a code.

    `yours`: of a duplicate, whether the envelope that has its id is ours.
    """

    at: int
    code: str = ""
    message: str = ""
    yours: bool = False

    @property
    def taken(self) -> bool:
        """Whether the gateway has it, from now or from before."""
        return not self.code or self.taken_before

    @property
    def taken_before(self) -> bool:
        """Whether the gateway has it from before."""
        return self.code == ID_TAKEN and self.yours

    @property
    def id_taken(self) -> bool:
        """Whether another envelope has its id: under this one it will never be taken."""
        return self.code == ID_TAKEN and not self.yours


class Exchange:
    """One envelope of ours while somebody waits to hear of it."""

    def __init__(self, envelope: Envelope) -> None:
        self.envelope = envelope
        self.awaited = awaited(envelope)
        self.verdict: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._unproven: Answer | None = None  # an answer, if the id was ours before we listened

    def renew(self) -> None:
        """It was refused for now, and is going to be sent again."""
        self.verdict = asyncio.get_running_loop().create_future()

    def learn(self, before: TrackedEnvelope) -> None:
        """What the space has shown of it before we listened."""
        self.awaited.follow(before)
        self._prove()

    def respond(self, envelope: Envelope, at: int) -> bool:
        """A response that correlates to it; whether it is the answer."""
        if not self.awaited.is_answered_by(envelope):
            if self.awaited.might_be_answered_by(envelope) and self._unproven is None:
                self._unproven = answer_in(envelope)
            return False
        settle(self.verdict, Verdict(at))
        settle(self.answer, answer_in(envelope))
        return True

    def refuse(self, envelope: Envelope, at: int) -> None:
        """A `system/error` that correlates to it."""
        if not self.awaited.is_refused_by(envelope):
            return
        payload = envelope.payload or {}
        code, message = str(payload.get("error", "")), str(payload.get("message", ""))
        verdict = Verdict(at, code, message, payload.get("yours") is True)
        settle(self.verdict, verdict)
        if verdict.taken_before:
            self.awaited.confirm()
            self._prove()
        if code == NOBODY:  # it was taken, and nobody is there who could answer
            settle(self.answer, outcome_of_error(code, message))

    def _prove(self) -> None:
        if self._unproven is not None and self.awaited.is_ours:
            settle(self.answer, self._unproven)


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
    def exchange(self, data: str) -> Iterator[Exchange]:
        """Listen for what is said of an envelope, while the block runs."""
        mine = Exchange(reread(data.encode()))
        id = mine.envelope.id
        self._exchanges.setdefault(id, []).append(mine)
        try:
            yield mine
        finally:
            others = [one for one in self._exchanges[id] if one is not mine]
            if others:
                self._exchanges[id] = others
            else:
                del self._exchanges[id]

    async def deliver(self, exchange: Exchange, data: str, *, unless: Callable[[], bool] = lambda: False) -> Verdict:
        """Send the bytes, over a new connection again, until the gateway says something. Waits as long as it takes.

        If `unless` is so when they could leave, they do not, and the verdict is `GONE`.
        """
        encoded = data.encode()

        def decide() -> list[bytes]:
            if unless():
                settle(exchange.verdict, Verdict(self.date(), GONE))
                return []
            return [encoded]

        while not exchange.verdict.done():
            connected = self._connected
            with suppress(MewError):  # no connection: the next one gets it
                await self.client.in_turn(decide)
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
        for mine in self._named(envelope):
            if mine.awaited.see(envelope):
                settle(mine.verdict, Verdict(at))
        heard = False
        for id in envelope.correlation_id or ():
            for mine in self._exchanges.get(id, ()):
                if envelope.kind == "mcp/response":
                    heard = mine.respond(envelope, at) or heard
                elif envelope.kind == "system/error":
                    mine.refuse(envelope, at)
        return heard

    def _named(self, envelope: Envelope) -> Iterable[Exchange]:
        """The exchanges that an envelope has the id of; a removal may be about any."""
        if removal_in(envelope) is not None:
            return [mine for some in self._exchanges.values() for mine in some]
        return self._exchanges.get(envelope.id, ())


def awaited(envelope: Envelope) -> TrackedEnvelope:
    """An envelope of ours, to be followed through the space."""
    return TrackedEnvelope(sent_envelope_in(envelope), me=envelope.sender)


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
