"""Calls that had to be proposed: who fulfils, rejects or withdraws them, and what comes of that (docs/fluxi.md §4)."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Connection, select

from mew_agents.durable import Database
from mew_agents.fluxi.arrivals import Arrivals
from mew_agents.fluxi.participant.wire import answer_in, awaited
from mew_agents.fluxi.ports import Answer, Witness
from mew_agents.fluxi.tables import effect_attempts as attempts
from mew_agents.fluxi.tables import external_effect_claims as claims
from mew_agents.fluxi.tables import works
from mew_gateway.protocol.codec import reread
from mew_gateway.protocol.reasons import REJECTIONS
from mew_gateway.sdk import Envelope, Participant, Refused
from mew_gateway.sdk.exchange.requests import text_in
from mew_gateway.sdk.exchange.tracked import TrackedEnvelope, removal_in

log = logging.getLogger(__name__)

# What became of a proposal, to be told to Fluxi.
News: TypeAlias = Callable[[Witness], Awaitable[object]]

_MOST_REJECTIONS = 1_000  # whose explanation may come yet
_LONGEST = 500  # characters of a rejection's message that are told

_OPEN = (
    select(attempts.c.request_id, attempts.c.request, attempts.c.cursor, works.c.cancel_requested, claims.c.due_at)
    .join(claims, (claims.c.claim_id == attempts.c.claim_id) & (claims.c.attempts == attempts.c.attempt))
    .join(works, works.c.work_id == claims.c.work_id)
    .where(claims.c.status == "proposed")
)


@dataclass(slots=True)
class Followed:
    """A proposal of ours that may still be fulfilled. `cursor`: where it began; `out`: the gateway had it once."""

    awaited: TrackedEnvelope
    cursor: str | None
    out: bool
    cancelled: bool = False
    withdrawing: bool = False


class Proposals:
    """Follows our proposals. `take` sees every envelope, and gives what there is to tell of one, if anything."""

    def __init__(self, arrivals: Arrivals, database: Database) -> None:
        self._arrivals = arrivals
        self._database = database
        self._open: dict[str, Followed] = {}
        self._rejections: dict[str, None] = {}
        self._fulfilled: dict[str, Followed] = {}  # by the request that carries one out

    async def refresh(self) -> list[tuple[str, str | None]]:
        """Looks for proposals that are not followed yet: their ids, and where in the history to begin with each."""
        found = {row.request_id: row for row in await self._database.read(_open_proposals)}
        new = [id for id in found if id not in self._open]
        for id, row in found.items():
            mine = awaited(reread(row.request.encode()))
            followed = self._open.setdefault(id, Followed(mine, row.cursor, out=row.due_at is None))
            followed.cancelled = row.cancel_requested is not None
        return [(id, self._open[id].cursor) for id in new]

    def confirm(self, id: str) -> None:
        """The history since it began is no longer held: one that was out then still counts as ours."""
        followed = self._open.get(id)
        if followed is not None and followed.out:
            followed.awaited.confirm()

    def take(self, envelope: Envelope) -> News | None:
        """Something has arrived."""
        for one in self._named(envelope):
            one.awaited.see(envelope)
        for id in envelope.correlation_id or ():
            carried_out, followed = self._fulfilled.get(id), self._open.get(id)
            if envelope.kind == "mcp/response":
                if carried_out is not None and carried_out.awaited.is_answered_by(envelope):
                    del self._fulfilled[id]
                    return self._answered(carried_out.awaited.asked.id, answer_in(envelope))
            elif followed is not None and (news := self._about(id, followed, envelope)) is not None:
                return news
        return None

    def _named(self, envelope: Envelope) -> list[Followed]:
        """Those that an envelope has the id of; a removal may be about any."""
        if removal_in(envelope) is not None:
            return [*self._open.values(), *self._fulfilled.values()]
        found = (self._open.get(envelope.id), self._fulfilled.get(envelope.id))
        return [one for one in found if one is not None]

    def explains(self, answers: Sequence[str]) -> bool:
        """Whether a chat that answers these says more about a rejection (§3.3.3): it asks for nothing."""
        return any(id in self._rejections for id in answers)

    async def withdraw(self, participant: Participant) -> list[News]:
        """Takes back what nobody wants any more; what there is to tell of each."""
        told: list[News] = []
        for id, followed in list(self._open.items()):
            if followed.cancelled and not followed.withdrawing:
                news = await self._withdraw(participant, id, followed)
                if news is not None:
                    told.append(news)
        return told

    @property
    def to_withdraw(self) -> bool:
        """Whether there is one to take back."""
        return any(one.cancelled and not one.withdrawing for one in self._open.values())

    def _about(self, id: str, followed: Followed, envelope: Envelope) -> News | None:
        payload = envelope.payload or {}
        match envelope.kind, payload.get("error"):
            case "mcp/request", _ if followed.awaited.fulfil(envelope):
                self._fulfilled[envelope.id] = self._open.pop(id)
                return lambda witness: self._arrivals.fulfilled(id, witness=witness)
            case "mcp/reject", _ if followed.awaited.is_ours:
                self._rejections[envelope.id] = None
                while len(self._rejections) > _MOST_REJECTIONS:
                    del self._rejections[next(iter(self._rejections))]
                return self._answered(id, _rejected(envelope.sender, payload))
            case "system/error", "proposal_expired" | "proposal_voided" if followed.awaited.is_refused_by(envelope):
                code = str(payload.get("error"))
                void = code == "proposal_voided"
                answer = Answer(outcome="not_applied", code=code, message=str(payload.get("message", "")), retry=void)
                return self._answered(id, answer)
            case _:
                return None

    async def _withdraw(self, participant: Participant, id: str, followed: Followed) -> News | None:
        """Its own copy of the withdrawal coming back proves that nobody has fulfilled it before (docs/fluxi.md §4)."""
        followed.withdrawing = True
        try:
            await participant.send(
                "mcp/withdraw", {"reason": "cancelled"}, to=followed.awaited.asked.to, correlation_id=id
            )
        except Refused as refused:
            if refused.code not in ("proposal_rejected", "proposal_closed", "proposal_not_found"):
                log.warning("the proposal %s cannot be taken back: %s", id, refused)
                return None
            if refused.details.get("status") == "fulfilled":
                return None  # its outcome will be told
        self._open.pop(id, None)
        return lambda witness: self._arrivals.withdrawn(id, witness=witness)

    def _answered(self, id: str, answer: Answer) -> News:
        self._open.pop(id, None)
        return lambda witness: self._arrivals.answered(id, answer, witness=witness)


def _rejected(by: str, payload: dict[str, Any]) -> Answer:
    """What a rejection says. Whom it concerns is told the words of a person, and no code."""
    reason, message = text_in(payload, "reason"), text_in(payload, "message")
    words = message if message else reason if reason not in REJECTIONS else None
    content = {"by": by, "reason": reason, "message": message}
    return Answer(outcome="not_applied", code="rejected", message=(words or "")[:_LONGEST], content=content)


def _open_proposals(connection: Connection) -> list[Any]:
    return list(connection.execute(_OPEN).all())
