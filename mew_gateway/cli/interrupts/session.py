"""The pursuit of an interrupt: sent, then waited for, from the gateway's yes to the conclusion."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import anyio
from anyio import to_thread
from rich.text import Text

from mew_gateway.errors import MewError
from mew_gateway.protocol.reasons import EMERGENCY, class_of
from mew_gateway.sdk import Mailbox
from mew_gateway.sdk.client import Client, Item, Reconnected, new_id

from ..connecting.api import Api
from ..framework.failure import Failure
from ..printing.countdown import countdown
from ..printing.ids import short
from ..printing.terminal import show
from . import report as verdict
from .progress import Course

_TAKEN = 10_000  # milliseconds for the gateway to take the interrupt or refuse it
_HEARD = 10_000  # items held for each of several pursuits
_GRACE = 5_000  # and to tell of a deadline that has passed

# What is said where the sender says nothing. With these classes the message is the agent's next input.
_MESSAGES = {
    "override": "{me} asks {target} to stop this and do something else.",
    "clarification": "{me} asks {target} what it is doing.",
    "queue": "{me} asks {target} for a word after this.",
    "emergency": "{me} halts {target}: an emergency.",
}
_MESSAGE = "{me} asks {target} to stop."


class Ask(NamedTuple):
    """What is asked of whom. `extensions` are further fields of the payload (docs/interruption.md §3); `timeout` is how
    long to wait for the ack, in milliseconds; None: to the deadline."""

    target: str
    sequence: str
    reason: str
    class_: str | None = None
    message: str | None = None
    extensions: Mapping[str, Any] = MappingProxyType({})
    timeout: int | None = None

    def payload(self, me: str) -> dict[str, Any]:
        """The payload; it always has a message."""
        template = _MESSAGES.get(class_of(self.reason, self.class_), _MESSAGE)
        message = self.message or template.format(me=me, target=self.target)
        explicit = {"class": self.class_} if self.class_ else {}
        return {"reason": self.reason, "message": message, **explicit, **self.extensions}


class Pursuit:
    """One interrupt of one client's. Tells what happens as it does, unless it is to be `quiet`.

    `among`: it is one of several under way. Each line names its sequence then, and no time is counted down.
    """

    def __init__(
        self, client: Client | _Branch, api: Api, ask: Ask, *, quiet: bool, among: Sequence[str] | None = None
    ) -> None:
        self._client = client
        self._api = api
        self._ask = ask
        self._quiet = quiet
        self._among = among
        self._course = Course(
            id=new_id(),
            me=client.welcome.you.id,
            target=ask.target,
            sequence=ask.sequence,
            emergency=ask.class_ == EMERGENCY,
        )

    async def run(self) -> Course:
        """The course it took. Raises `Failure` when the gateway does not say whether it has it."""
        course = self._course
        await self._send()
        if course.refusal is None:
            await self._wait_for_ack()
            if course.promised:
                await self._wait_for_conclusion()
        return course

    async def _send(self) -> None:
        course, ask = self._course, self._ask
        payload = ask.payload(self._client.welcome.you.id)
        await self._client.send(
            "reasoning/interrupt", payload, to=[ask.target], correlation_id=[ask.sequence], id=course.id
        )
        if not await self._until(lambda: course.accepted or course.refusal is not None, within=_TAKEN):
            raise Failure("The gateway did not answer; whether it has the interrupt, `mew interrupts` tells.")
        if course.refusal is None:
            what = f"{ask.reason}, {class_of(ask.reason, ask.class_)}"
            self._tell(Text(f"■ interrupting {ask.target} ({what}) in {short(ask.sequence)}", "yellow"))
            if course.halts:
                self._tell(Text(f"■ {ask.target} is halted: it begins nothing, and does nothing else", "bold red"))

    async def _wait_for_ack(self) -> None:
        course, timeout = self._course, self._ask.timeout
        await self._note()
        deadline: int | None = course.record.get("deadline_in_ms")
        shown = deadline if timeout is None or deadline is None else min(deadline, timeout)
        within = timeout if timeout is not None else _with_grace(deadline)
        if course.record and course.record["delivered_at"] is None:
            what = f"{course.target} is not connected, and gets it when it joins"
        else:
            what = f"waiting for {course.target} to answer"
        await self._wait(what, lambda: course.answered, shown=shown, within=within)
        await (self._note() if course.answered else self._catch_up())
        self._tell(verdict.answer(course))
        self._tell_more(verdict.decision(course))

    async def _wait_for_conclusion(self) -> None:
        course = self._course
        due: int | None = course.record.get("conclusion_in_ms")
        what = f"waiting for {course.target} to conclude"
        await self._wait(what, lambda: course.over, shown=due, within=_with_grace(due))
        if not course.over:
            await self._catch_up()
        self._tell(verdict.ending(course))
        self._tell_more(verdict.aftermath(course))

    async def _wait(self, what: str, done: Callable[[], bool], *, shown: int | None, within: int | None) -> None:
        """Wait, with the milliseconds that are left on display."""
        if self._quiet or self._among is not None or done():
            await self._until(done, within=within)
            return
        async with countdown(what, seconds=None if shown is None else shown / 1000):
            await self._until(done, within=within)

    async def _until(self, done: Callable[[], bool], *, within: int | None) -> bool:
        """Listen until something is so, at most `within` milliseconds; whether it is."""
        with anyio.move_on_after(None if within is None else within / 1000):
            while not done():
                item = await self._client.receive()
                if isinstance(item, Reconnected):
                    await self._catch_up()
                else:
                    self._course.take(item)
        return done()

    async def _note(self) -> None:
        """Look at the gateway's record for the times that no envelope tells."""
        record, _ = await self._records()
        self._course.record = record or {}

    async def _catch_up(self) -> None:
        """Something may have been missed: believe the gateway's record."""
        record, sequence = await self._records()
        if record is not None:
            self._course.catch_up(record, sequence)

    async def _records(self) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Our interrupt and its sequence; None where they cannot be had, and what was heard has to do."""
        try:
            interrupts = await to_thread.run_sync(lambda: self._api.every("interrupts"))
            sequences = await to_thread.run_sync(lambda: self._api.every("sequences"))
        except Failure:
            return None, None
        return _of(interrupts, self._course.id), _of(sequences, self._course.sequence)

    def _tell_more(self, parts: list[str]) -> None:
        """A line below the last one, of what the agent says besides."""
        if parts:
            self._tell(Text(f"  {'; '.join(parts)}", "dim"))

    def _tell(self, line: Text) -> None:
        if not self._quiet:
            named = "" if self._among is None else f"  {short(self._ask.sequence, self._among)}"
            show(line.append(named, "dim"))


class _Branch:
    """A client for one of several pursuits: sends at once, and receives all that the client does."""

    def __init__(self, client: Client) -> None:
        self.welcome = client.welcome
        self.send = client.send
        self.heard: Mailbox[Item] = Mailbox(limit=_HEARD)

    async def receive(self) -> Item:
        """The next item. Raises what ended the client."""
        return await anext(self.heard)


async def pursue_all(client: Client, api: Api, asks: Sequence[Ask], *, quiet: bool) -> list[Course]:
    """Send all interrupts, then wait for what becomes of each. Raises `Failure`, as a pursuit does."""
    among = [ask.sequence for ask in asks]
    branches = [_Branch(client) for _ in asks]
    pursuits = [Pursuit(branch, api, ask, quiet=quiet, among=among) for branch, ask in zip(branches, asks, strict=True)]
    reading = asyncio.create_task(_read(client, branches))
    running = [asyncio.create_task(one.run()) for one in pursuits]
    try:
        return await asyncio.gather(*running)
    finally:
        for task in (reading, *running):
            task.cancel()
        await asyncio.gather(reading, *running, return_exceptions=True)


async def _read(client: Client, branches: Sequence[_Branch]) -> None:
    """Hand everything that arrives to each, until the connection has ended."""
    why: MewError = Failure("The connection has ended; `mew interrupts` tells what becomes of what was sent.")
    try:
        async for item in client:
            for branch in branches:
                branch.heard.put(item)
    except MewError as error:
        why = error
    finally:
        for branch in branches:
            branch.heard.end(why)


def _with_grace(deadline: int | None) -> int | None:
    return None if deadline is None else max(0, deadline) + _GRACE


def _of(listed: list[dict[str, Any]], id: str) -> dict[str, Any] | None:
    return next((one for one in listed if one["id"] == id), None)
