"""Replies in a space: chats whose bytes are fixed when they are queued, done only with proof (docs/fluxi.md §5)."""

from __future__ import annotations

import anyio

from mew_agents.fluxi.participant.guests import guest_of
from mew_agents.fluxi.participant.wire import GONE, Wire
from mew_agents.fluxi.ports import REMOVED, Carried, Carrier, Reply
from mew_gateway.protocol.codec import reread
from mew_gateway.sdk import Envelope

_WAITS = ("paused", "halted", "fenced", "rate_limited", "journal_unavailable")
_PATIENCE = 10.0  # seconds for the gateway's yes or no


class GatewayCarrier(Carrier):
    """The proof is the gateway's: our own copy came back, as every sender's does, or it says that it took ours before.

    `waiting`: something could not leave yet, and has to be tried again.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.waiting = False

    def compose(self, reply: Reply) -> str:
        """The whole envelope. Called in the database's thread."""
        payload = {"text": reply.text, "kind": reply.kind}
        payload |= {} if reply.work_id is None else {"work_id": reply.work_id}
        payload |= {} if reply.flow_id is None else {"flow_id": reply.flow_id}
        payload |= {} if reply.question is None else {"question": reply.question}
        guest = guest_of(reply.conversation_id)
        payload |= {} if guest is None else {"invitation": guest[1]}
        if reply.conversation_id.count("/") > 2:  # the recipient speaks for somebody: it must know for whom
            payload["conversation"] = reply.conversation_id.split("/", 3)[3]
        answers = () if reply.correlates is None else (reply.correlates,)
        _, data = self._wire.client.encode(
            "chat", payload, to=reply.recipient, correlation_id=answers, id=reply.message_id
        )
        return data.decode()

    def renamed(self, body: str, id: str) -> str:
        """The same envelope under another id."""
        one = reread(body.encode())
        _, data = self._wire.client.encode(
            one.kind, one.payload or {}, to=one.to or (), correlation_id=one.correlation_id or (), id=id
        )
        return data.decode()

    async def carry(self, body: str) -> Carried:
        with self._wire.exchange(body) as exchange:
            with anyio.move_on_after(_PATIENCE):
                await self._wire.deliver(exchange, body, unless=lambda: self._is_for_somebody_gone(exchange.envelope))
            if not exchange.verdict.done():
                return self._later("no_answer")
            verdict = exchange.verdict.result()
        if verdict.taken:
            return Carried(status="done", at=verdict.at)
        if verdict.code == GONE:
            return Carried(status="refused", reason=REMOVED)
        if verdict.id_taken:
            self.waiting = True
            return Carried(status="id_taken", reason=verdict.message)
        if verdict.code in _WAITS:
            return self._later(verdict.code)
        return Carried(status="refused", reason=f"{verdict.code}: {verdict.message}")

    def _is_for_somebody_gone(self, envelope: Envelope) -> bool:
        """Whether it is meant for a guest who was removed: who is called so now is somebody else."""
        invitation = (envelope.payload or {}).get("invitation")
        known = invitation if isinstance(invitation, str) else None
        return any(self._wire.client.is_gone(name, known) for name in envelope.to or ())

    def _later(self, reason: str) -> Carried:
        self.waiting = True
        return Carried(status="wait", reason=reason)
