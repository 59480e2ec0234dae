"""The open proposals of a space, kept up to date from the gateway's list and from envelopes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from mew_gateway.protocol.envelope import Envelope

_REMEMBERED = 10_000

Outcome: TypeAlias = Literal["proposed", "rejected", "fulfilled", "withdrawn", "voided", "expired"]

_OUTCOMES: dict[str, Outcome] = {"proposal_voided": "voided", "proposal_expired": "expired"}


@dataclass
class OpenProposal:
    """An open proposal. `since` and `expires` are milliseconds of the clock that `OpenProposals` was given."""

    id: str
    proposer: str
    to: list[str]
    method: Any
    params: Any
    since: int
    expires: int | None = None


class ProposalEvent(NamedTuple):
    """An event of a proposal: its outcome, the participant that caused it, and the reason, if given."""

    outcome: Outcome
    proposal: OpenProposal
    by: str | None = None
    reason: str | None = None


class OpenProposals:
    """The open proposals. Takes the gateway's list and envelopes in any order: neither reopens a decided one."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._open: dict[str, OpenProposal] = {}
        self._decided: dict[tuple[str, str], None] = {}  # by proposer and id: others may use the same id

    @property
    def waiting(self) -> list[OpenProposal]:
        """The open ones, the oldest first."""
        return sorted(self._open.values(), key=lambda one: one.since)

    def fill(self, rows: list[dict[str, Any]]) -> list[ProposalEvent]:
        """Take in the gateway's list, which has decided ones too. Return what is new."""
        events: list[ProposalEvent] = []
        for row in rows:
            if row["status"] != "open":
                rejection = row["rejection"] or {}
                by = row["fulfiller"] or rejection.get("by")
                known = self._open.get(row["id"])
                if known is not None and known.proposer == row["proposer"]:
                    events += self._decide(row["id"], row["status"], by=by, reason=rejection.get("reason"))
                continue
            events += self._add(
                OpenProposal(row["id"], row["proposer"], row["to"], row["method"], row["params"], self._clock())
            )
            known = self._open.get(row["id"])
            if known is not None:
                known.since = self._clock() - row["age_ms"]
                known.expires = self._clock() + row["expires_in_ms"]
        return events

    def take(self, envelope: Envelope) -> list[ProposalEvent]:
        """Take in an envelope. Return what is new."""
        payload = envelope.payload or {}
        if envelope.kind == "mcp/proposal":
            method, params = payload.get("method"), payload.get("params")
            to = list(envelope.to or ())
            return self._add(OpenProposal(envelope.id, envelope.sender, to, method, params, self._clock()))
        events: list[ProposalEvent] = []
        for id in envelope.correlation_id or ():
            if envelope.kind == "mcp/request":
                events += self._decide(id, "fulfilled", by=envelope.sender)
            elif envelope.kind == "mcp/withdraw":
                events += self._decide(id, "withdrawn", by=envelope.sender, reason=_text(payload.get("reason")))
            elif envelope.kind == "mcp/reject":
                events += self._decide(id, "rejected", by=envelope.sender, reason=_text(payload.get("reason")))
            elif envelope.kind == "system/error" and payload.get("error") in _OUTCOMES:
                events += self._decide(id, _OUTCOMES[payload["error"]])
        return events

    def _add(self, proposal: OpenProposal) -> list[ProposalEvent]:
        if proposal.id in self._open or (proposal.proposer, proposal.id) in self._decided:
            return []
        self._open[proposal.id] = proposal
        return [ProposalEvent("proposed", proposal, proposal.proposer)]

    def _decide(
        self, id: str, outcome: Outcome, *, by: str | None = None, reason: str | None = None
    ) -> list[ProposalEvent]:
        proposal = self._open.pop(id, None)
        if proposal is None:
            return []
        self._decided[proposal.proposer, id] = None
        while len(self._decided) > _REMEMBERED:
            del self._decided[next(iter(self._decided))]
        return [ProposalEvent(outcome, proposal, by, reason)]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
