"""The proposals that wait for somebody's yes or no, kept up to date by what is said in the space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from mew_gateway.protocol.envelope import Envelope

_REMEMBERED = 10_000

Event: TypeAlias = Literal["proposed", "rejected", "fulfilled", "withdrawn", "voided", "expired"]

_ENDED: dict[str, Event] = {"proposal_voided": "voided", "proposal_expired": "expired"}


@dataclass
class Waiting:
    """An open proposal. `since` and `expires` are by the inbox's clock, in milliseconds."""

    id: str
    proposer: str
    to: list[str]
    method: Any
    params: Any
    since: int
    expires: int | None = None


class News(NamedTuple):
    """What has become of a proposal: what, by whom if anybody, and why if it was said."""

    event: Event
    proposal: Waiting
    by: str | None = None
    reason: str | None = None


class Inbox:
    """Fed with the gateway's list and with envelopes, in any order: neither brings back what is decided."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._open: dict[str, Waiting] = {}
        self._decided: dict[tuple[str, str], None] = {}  # by proposer and id: others may use the same id

    @property
    def waiting(self) -> list[Waiting]:
        """Those that are open, the oldest first."""
        return sorted(self._open.values(), key=lambda one: one.since)

    def fill(self, rows: list[dict[str, Any]]) -> list[News]:
        """The gateway's list, decided ones included: what of it is news."""
        news: list[News] = []
        for row in rows:
            if row["status"] != "open":
                no = row["rejection"] or {}
                by = row["fulfiller"] or no.get("by")
                known = self._open.get(row["id"])
                if known is not None and known.proposer == row["proposer"]:
                    news += self._decide(row["id"], row["status"], by=by, reason=no.get("reason"))
                continue
            news += self._add(
                Waiting(row["id"], row["proposer"], row["to"], row["method"], row["params"], self._clock())
            )
            known = self._open.get(row["id"])
            if known is not None:
                known.since = self._clock() - row["age_ms"]
                known.expires = self._clock() + row["expires_in_ms"]
        return news

    def take(self, envelope: Envelope) -> list[News]:
        """Something was said: what of it is news."""
        payload = envelope.payload or {}
        if envelope.kind == "mcp/proposal":
            method, params = payload.get("method"), payload.get("params")
            to = list(envelope.to or ())
            return self._add(Waiting(envelope.id, envelope.sender, to, method, params, self._clock()))
        news: list[News] = []
        for id in envelope.correlation_id or ():
            if envelope.kind == "mcp/request":
                news += self._decide(id, "fulfilled", by=envelope.sender)
            elif envelope.kind == "mcp/withdraw":
                news += self._decide(id, "withdrawn", by=envelope.sender, reason=_text(payload.get("reason")))
            elif envelope.kind == "mcp/reject":
                news += self._decide(id, "rejected", by=envelope.sender, reason=_text(payload.get("reason")))
            elif envelope.kind == "system/error" and payload.get("error") in _ENDED:
                news += self._decide(id, _ENDED[payload["error"]])
        return news

    def _add(self, proposal: Waiting) -> list[News]:
        if proposal.id in self._open or (proposal.proposer, proposal.id) in self._decided:
            return []
        self._open[proposal.id] = proposal
        return [News("proposed", proposal, proposal.proposer)]

    def _decide(self, id: str, event: Event, *, by: str | None = None, reason: str | None = None) -> list[News]:
        proposal = self._open.pop(id, None)
        if proposal is None:
            return []
        self._decided[proposal.proposer, id] = None
        while len(self._decided) > _REMEMBERED:
            del self._decided[next(iter(self._decided))]
        return [News(event, proposal, by, reason)]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
