"""What is said to a flow, with a tool that has answered as soon as it is asked."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bench.failure import BenchFailure
from bench.fluxi.booking import AtOnce
from mew_agents.flows.engine import Flows
from mew_agents.fluxi.desk import utc_now
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.ports import Answer, Prepared

_ACCOUNT = "bank"
_SENDER = "ana"
_PEOPLE: Mapping[str, Sequence[str]] = {"ana": ("Ana García",), "bruno": ("Bruno Díaz",)}


class Said(NamedTuple):
    """A message, and the kind of result that comes of it."""

    text: str
    kind: str


ONBOARDING = (
    Said("Hola, quiero registrarme", "request_slot"),
    Said("Lucía Fernández", "request_slot"),
    Said("25 años", "request_slot"),
    Said("lucia@example.org", "request_slot"),
    Said("Rosario", "request_confirmation"),
    Said("sí", "completed"),
)
# Its last message consumes the yes, opens the effect, makes the payment and records it.
TRANSFER = (
    Said("transferir 50 a Ana", "request_confirmation"),
    Said("sí", "completed"),
)


class Ledger(AtOnce):
    """A ledger that has paid at once, and knows two people."""

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:  # noqa: ARG002
        return Answer(outcome="applied", content={"status": "applied", "transfer_id": 7})

    async def names(self, tool: str) -> Mapping[str, Sequence[str]] | None:  # noqa: ARG002
        return _PEOPLE


class Watch:
    """Times the effect of a dialogue: what comes behind the commit of the turn that it has its yes from, in ms.

    The turn that is committed once more behind the effect is none of a message.
    """

    def __init__(self) -> None:
        self.effect = 0.0
        self._committed: float | None = None
        self._newest = 0.0

    def begin(self) -> None:
        """A message is said now."""
        self._committed = None

    def end(self) -> None:
        """Its result is there."""
        self.effect = 0.0 if self._committed is None else (time.perf_counter() - self._committed) * 1000

    def reach(self, name: str) -> None:
        if name == "turn.after":
            self._newest = time.perf_counter()
        elif name == "effect.begin.before" and self._committed is None:
            self._committed = self._newest


async def talk(flows: Flows, conversation_id: str, said: Sequence[Said], watch: Watch | None = None) -> list[float]:
    """Milliseconds until the result of each message, in a conversation of its own. Raises `BenchFailure`."""
    conversation = Conversation(_ACCOUNT, conversation_id)
    times = []
    for index, one in enumerate(said):
        message = Message(message_id=f"m{index}", sender=_SENDER, text=one.text)
        if watch is not None:
            watch.begin()
        began = time.perf_counter()
        result = await flows.handle(message, policy(), conversation)
        times.append((time.perf_counter() - began) * 1000)
        if watch is not None:
            watch.end()
        if result.kind != one.kind:
            raise BenchFailure(f"{one.text!r} was answered by {result.kind} ({result.reason_code}): {result.text}")
    return times


def policy() -> PolicyContext:
    """How people are spoken to."""
    return PolicyContext(now=utc_now(), language="es", timezone="America/Argentina/Buenos_Aires", formality="informal")
