"""A booking of four messages, with a tool that has booked as soon as it is asked."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import NamedTuple

from bench.failure import BenchFailure
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.desk import utc_now
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.ports import Answer, Call, Prepared, ToolPort

_ACCOUNT = "clinic"
_SENDER = "ana"
_WEEKS, _WEEK = 40, 5  # appointments are booked from Monday to Friday
_AFTERNOON = range(13, 19)  # hours that can be meant in one way only
_APART = 8  # minutes between two of one process; of so many processes, none meets another's


class AtOnce(ToolPort):
    """A tool that costs nothing: what is left is Fluxi."""

    def prepare(self, call: Call) -> Prepared:
        effect = {"key": call.key, "attempt": call.attempt, "fence": call.fence, "deadline": call.deadline}
        return Prepared(request=written({"tool": call.tool, "arguments": dict(call.arguments), "effect": effect}))

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:  # noqa: ARG002
        return Answer(outcome="applied", content={"status": "applied"})

    async def look_back(self, prepared: Prepared) -> Answer | None:
        raise BenchFailure(f"An attempt was left behind: {prepared.request}")

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:  # noqa: ARG002
        raise BenchFailure(f"{tool} was asked about {key}.")


class Taken(NamedTuple):
    """Milliseconds that a booking took: all of it, and its last message, which has the effect."""

    whole: float
    effect: float


async def book(fluxi: Fluxi, number: int, *, process: int = 0) -> Taken:
    """Books one appointment in a conversation of its own. Raises `BenchFailure` when anything else happens."""
    conversation = Conversation(_ACCOUNT, f"c{process}-{number}")
    began = last = time.perf_counter()
    for index, text in enumerate(_texts(number, process)):
        last = time.perf_counter()
        message = Message(message_id=f"m{index}", sender=_SENDER, text=text)
        result = await fluxi.handle(message, _policy(), conversation)
        _expect(result, text, index)
    now = time.perf_counter()
    return Taken((now - began) * 1000, (now - last) * 1000)


_EXPECTED = ("request_slot", "request_slot", "request_confirmation", "completed")


def _texts(number: int, process: int) -> tuple[str, ...]:
    """What is said: another time for each number and process, because one time can be had once."""
    rest, weekday = divmod(number, _WEEK)
    rest, week = divmod(rest, _WEEKS)
    rest, eighths = divmod(rest, 60 // _APART)
    today = utc_now()
    day = today + timedelta(days=7 - today.weekday() + 7 * week + weekday)
    hour, minute = _AFTERNOON[rest % len(_AFTERNOON)], eighths * _APART + process % _APART
    return (
        "Quiero agendar un turno con el Dr. Souza",
        f"el {day.day}/{day.month}/{day.year}",
        f"a las {hour}:{minute:02}",
        "sí",
    )


def _policy() -> PolicyContext:
    return PolicyContext(now=utc_now(), language="es", timezone="America/Sao_Paulo")


def _expect(result: Result, text: str, index: int) -> None:
    if result.kind != _EXPECTED[index]:
        raise BenchFailure(f"{text!r} was answered by {result.kind} ({result.reason_code}): {result.text}")
