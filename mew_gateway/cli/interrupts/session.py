"""An interrupt session: send an interrupt, then wait for the acceptance, the ack and the promised conclusion.

`InterruptSession.run` takes three steps, each with its own time-out:

    send                 until the gateway accepts or refuses the interrupt
    wait for the ack     until the target answers, or its deadline passes
    wait for the end     until the conclusion, or the overrun; only if one was promised

All envelopes go through `InterruptProgress`, which decides. After a reconnection, and once a deadline has passed, the
gateway's record is read over HTTP: the connection may have missed something. Deadlines are also read there, because no
envelope has them.

`run_all` runs several sessions on one connection (`mew interrupt --all`). Where to go next: `progress` (the
decisions), `report` (the printed lines), `commands/control/interrupt` (the options).
"""

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

from ..connecting.http_client import Api
from ..framework.failure import Failure
from ..printing.countdown import countdown
from ..printing.ids import short
from ..printing.terminal import show
from . import report
from .progress import InterruptProgress

_ACCEPT_TIMEOUT = 10_000  # milliseconds for the gateway to take the interrupt or refuse it
_MAX_ITEMS = 10_000  # items held for each of several sessions
_GRACE = 5_000  # milliseconds after a deadline for the gateway to report it

# The message if the sender gives none. With these classes the message is the agent's next input.
_MESSAGES = {
    "override": "{me} asks {target} to stop this and do something else.",
    "clarification": "{me} asks {target} what it is doing.",
    "queue": "{me} asks {target} for a word after this.",
    "emergency": "{me} halts {target}: an emergency.",
}
_MESSAGE = "{me} asks {target} to stop."


class InterruptRequest(NamedTuple):
    """An interrupt to send.

    `extensions` are further payload fields (docs/interruption.md §3). `timeout` is how long to wait for the ack, in
    milliseconds; None: until the deadline.
    """

    target: str
    sequence: str
    reason: str
    class_: str | None = None
    message: str | None = None
    extensions: Mapping[str, Any] = MappingProxyType({})
    timeout: int | None = None

    def payload(self, me: str) -> dict[str, Any]:
        """Return the payload; it always has a message."""
        template = _MESSAGES.get(class_of(self.reason, self.class_), _MESSAGE)
        message = self.message or template.format(me=me, target=self.target)
        explicit = {"class": self.class_} if self.class_ else {}
        return {"reason": self.reason, "message": message, **explicit, **self.extensions}


class InterruptSession:
    """One interrupt of one client. Prints what happens, unless it is `quiet`.

    With `among`, the sequences of sessions that run at once, each line names its sequence and no countdown is shown.
    """

    def __init__(
        self,
        client: Client | _SharedClient,
        api: Api,
        request: InterruptRequest,
        *,
        quiet: bool,
        among: Sequence[str] | None = None,
    ) -> None:
        self._client = client
        self._api = api
        self._request = request
        self._quiet = quiet
        self._among = among
        self._progress = InterruptProgress(
            id=new_id(),
            me=client.welcome.you.id,
            target=request.target,
            sequence=request.sequence,
            emergency=request.class_ == EMERGENCY,
        )

    async def run(self) -> InterruptProgress:
        """Send the interrupt and wait for what follows. Raises `Failure` if the gateway neither accepts nor refuses
        it."""
        progress = self._progress
        await self._send()
        if progress.refusal is None:
            await self._wait_for_ack()
            if progress.promised:
                await self._wait_for_conclusion()
        return progress

    async def _send(self) -> None:
        progress, request = self._progress, self._request
        payload = request.payload(self._client.welcome.you.id)
        await self._client.send(
            "reasoning/interrupt", payload, to=[request.target], correlation_id=[request.sequence], id=progress.id
        )
        if not await self._until(lambda: progress.accepted or progress.refusal is not None, within=_ACCEPT_TIMEOUT):
            raise Failure("The gateway did not answer; `mew interrupts` shows whether it has the interrupt.")
        if progress.refusal is None:
            what = f"{request.reason}, {class_of(request.reason, request.class_)}"
            self._print(Text(f"■ interrupting {request.target} ({what}) in {short(request.sequence)}", "yellow"))
            if progress.halts:
                self._print(Text(f"■ {request.target} is halted: it begins nothing, and does nothing else", "bold red"))

    async def _wait_for_ack(self) -> None:
        progress, timeout = self._progress, self._request.timeout
        await self._fetch_record()
        deadline: int | None = progress.record.get("deadline_in_ms")
        shown = deadline if timeout is None or deadline is None else min(deadline, timeout)
        within = timeout if timeout is not None else _add_grace(deadline)
        if progress.record and progress.record["delivered_at"] is None:
            what = f"{progress.target} is not connected, and gets it when it joins"
        else:
            what = f"waiting for {progress.target} to answer"
        await self._wait(what, lambda: progress.answered, shown=shown, within=within)
        await (self._fetch_record() if progress.answered else self._catch_up())
        self._print(report.ack_line(progress))
        self._print_details(report.ack_details(progress))

    async def _wait_for_conclusion(self) -> None:
        progress = self._progress
        due: int | None = progress.record.get("conclusion_in_ms")
        what = f"waiting for {progress.target} to conclude"
        await self._wait(what, lambda: progress.ended, shown=due, within=_add_grace(due))
        if not progress.ended:
            await self._catch_up()
        self._print(report.conclusion_line(progress))
        self._print_details(report.conclusion_details(progress))

    async def _wait(self, what: str, done: Callable[[], bool], *, shown: int | None, within: int | None) -> None:
        """Wait, and show the milliseconds that are left."""
        if self._quiet or self._among is not None or done():
            await self._until(done, within=within)
            return
        async with countdown(what, seconds=None if shown is None else shown / 1000):
            await self._until(done, within=within)

    async def _until(self, done: Callable[[], bool], *, within: int | None) -> bool:
        """Receive until `done`, at most `within` milliseconds. Return true if it is done."""
        with anyio.move_on_after(None if within is None else within / 1000):
            while not done():
                item = await self._client.receive()
                if isinstance(item, Reconnected):
                    await self._catch_up()
                else:
                    self._progress.take(item)
        return done()

    async def _fetch_record(self) -> None:
        """Read the gateway's record: it has the times that no envelope has."""
        record, _ = await self._records()
        self._progress.record = record or {}

    async def _catch_up(self) -> None:
        """Apply the gateway's record: an envelope may have been missed."""
        record, sequence = await self._records()
        if record is not None:
            self._progress.catch_up(record, sequence)

    async def _records(self) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Return the rows of the interrupt and its sequence; None for one that cannot be read."""
        try:
            interrupts = await to_thread.run_sync(lambda: self._api.every("interrupts"))
            sequences = await to_thread.run_sync(lambda: self._api.every("sequences"))
        except Failure:
            return None, None
        return _find(interrupts, self._progress.id), _find(sequences, self._progress.sequence)

    def _print_details(self, parts: list[str]) -> None:
        """Print the details of an answer, on a line below the last one."""
        if parts:
            self._print(Text(f"  {'; '.join(parts)}", "dim"))

    def _print(self, line: Text) -> None:
        if not self._quiet:
            named = "" if self._among is None else f"  {short(self._request.sequence, self._among)}"
            show(line.append(named, "dim"))


class _SharedClient:
    """A client for one of several sessions: sends directly, and receives a copy of every item."""

    def __init__(self, client: Client) -> None:
        self.welcome = client.welcome
        self.send = client.send
        self.items: Mailbox[Item] = Mailbox(limit=_MAX_ITEMS)

    async def receive(self) -> Item:
        """Return the next item. Raises what ended the connection."""
        return await anext(self.items)


async def run_all(
    client: Client, api: Api, requests: Sequence[InterruptRequest], *, quiet: bool
) -> list[InterruptProgress]:
    """Send all interrupts at once and wait for the result of each. Raises `Failure`, as a session does."""
    among = [request.sequence for request in requests]
    shared = [_SharedClient(client) for _ in requests]
    sessions = [
        InterruptSession(one, api, request, quiet=quiet, among=among)
        for one, request in zip(shared, requests, strict=True)
    ]
    reading = asyncio.create_task(_read(client, shared))
    running = [asyncio.create_task(one.run()) for one in sessions]
    try:
        return await asyncio.gather(*running)
    finally:
        for task in (reading, *running):
            task.cancel()
        await asyncio.gather(reading, *running, return_exceptions=True)


async def _read(client: Client, shared: Sequence[_SharedClient]) -> None:
    """Copy every item to all sessions, until the connection ends."""
    why: MewError = Failure("The connection has ended; `mew interrupts` shows what becomes of what was sent.")
    try:
        async for item in client:
            for one in shared:
                one.items.put(item)
    except MewError as error:
        why = error
    finally:
        for one in shared:
            one.items.end(why)


def _add_grace(deadline: int | None) -> int | None:
    return None if deadline is None else max(0, deadline) + _GRACE


def _find(listed: list[dict[str, Any]], id: str) -> dict[str, Any] | None:
    return next((one for one in listed if one["id"] == id), None)
