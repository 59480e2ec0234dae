"""An envelope that was sent and accepted, and the answer to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anyio

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY_NAMES
from mew_gateway.sdk.client import Client, Reconnected, new_id
from mew_gateway.sdk.exchange.requests import ID_TAKEN, Refused, TimedOut, removed
from mew_gateway.sdk.exchange.tracked import SentEnvelope, TrackedEnvelope

from ..framework.failure import Failure, mistake
from ..printing.countdown import countdown
from ..printing.terminal import say

_ACCEPT_TIMEOUT = 10_000  # milliseconds for the gateway to take it or refuse it


class Sent:
    """An accepted envelope, returned by `send`. `id` is the envelope's."""

    def __init__(self, client: Client, awaited: TrackedEnvelope) -> None:
        self.id = awaited.asked.id
        self._client = client
        self._awaited = awaited

    async def answer(self, kind: str, *, within: int | None, waiting: str | None) -> Envelope:
        """Return the first envelope of a kind that answers it, from an addressee or the gateway. Shows `waiting` and a
        countdown.

        Raises `TimedOut` after `within` milliseconds, `Failure` if the answer may have been missed, and `Refused`
        `removed` once those whom it was to are participants no more.
        """

        def matches(envelope: Envelope) -> bool:
            by = envelope.sender
            known = by in GATEWAY_NAMES or self._awaited.may_answer(by)
            addressed = self._awaited.me in (envelope.to or (self._awaited.me,))
            return envelope.kind == kind and self._awaited.is_ours and known and addressed

        if waiting is None:
            return await self._receive_until(matches, within=within, from_recipients=True)
        async with countdown(waiting, seconds=None if within is None else within / 1000):
            return await self._receive_until(matches, within=within, from_recipients=True)

    async def taken(self) -> None:
        """Wait until the gateway has accepted it. Raises `Refused`, `Failure`."""
        try:
            await self._receive_until(lambda _: self._awaited.taken, within=_ACCEPT_TIMEOUT)
        except TimedOut:
            raise Failure("The gateway did not answer; `mew timeline` shows whether it has it.") from None

    async def _receive_until(
        self, matches: Callable[[Envelope], bool], *, within: int | None, from_recipients: bool = False
    ) -> Envelope:
        with anyio.move_on_after(None if within is None else within / 1000):
            while True:
                if from_recipients and self._awaited.removed:
                    raise removed(self._awaited.asked)
                item = await self._client.receive()
                if isinstance(item, Reconnected):
                    if item.missed:
                        raise Failure("The connection was lost for a while; `mew timeline` shows what became of it.")
                elif self._awaited.see(item) or self.id in (item.correlation_id or ()):
                    self._take(item)
                    if matches(item):
                        return item
        raise TimedOut(f"No answer within {(within or 0) / 1000:g} s.")

    def _take(self, envelope: Envelope) -> None:
        """Take in an envelope about it: raise a refusal, print a notice.

        The notice that some recipients are unknown follows our own copy. The refusal of the same code has none before.
        """
        if envelope.kind != "system/error" or not self._awaited.is_refused_by(envelope):
            return
        details = dict(envelope.payload or {})
        code, message = str(details.pop("error", "")), str(details.pop("message", ""))
        if code == "participant_not_found" and self._awaited.taken:
            say(f"{code}: {message}", style="yellow")
        elif code == ID_TAKEN and details.get("yours") is True:  # of a resend
            self._awaited.confirm()
        else:
            raise Refused(code, message, details)


async def send(
    client: Client,
    kind: str,
    payload: dict[str, Any],
    *,
    to: Sequence[str] = (),
    correlation_id: Sequence[str] = (),
    id: str | None = None,
) -> Sent:
    """Send an envelope, and wait until the gateway has accepted it. Raises `Refused`, `Failure`."""
    given = {field: value for field, value in payload.items() if value is not None}
    asked = SentEnvelope(id or new_id(), kind, given, tuple(to), tuple(correlation_id), None, 0)
    sent = Sent(client, TrackedEnvelope(asked, me=client.welcome.you.id, invitations=client.invitations(to)))
    try:
        await client.send(kind, given, to=to, correlation_id=correlation_id, id=sent.id)
    except ValueError as error:  # it fits no frame
        raise mistake(str(error)) from None
    await sent.taken()
    return sent
