"""Listings of a space's state for one of its participants (docs/protocol.md §6).

With addressed routing, a participant that does not observe learns no more than the envelopes that it was sent.

What is listed is chosen when it is asked for. Each row is made when it is sent (`rows_response.py`) and shows what is
so then; what is not part of the list any more is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import msgspec

from mew_gateway.protocol.envelope import timestamp
from mew_gateway.protocol.http_replies import (
    AckRow,
    GrantRow,
    HaltRow,
    InterruptRow,
    InvitationRow,
    ParticipantRow,
    PauseRow,
    ProposalRow,
    RejectionRow,
    RevocationRow,
    SequenceRow,
    StateRow,
    StepRow,
)
from mew_gateway.space.interrupt_records import is_seen as is_on_record
from mew_gateway.space.machine import Space
from mew_gateway.space.proposals import is_seen, reason_for
from mew_gateway.space.sequence_lookup import outcome_for
from mew_gateway.space.state import Grant, Interrupt, Proposal, Sequence
from mew_gateway.space.visibility import viewer

from .open_requests import Turn
from .rows_response import Lists

_SCANNED = 1_000  # records filtered in a turn
_One = TypeVar("_One")


class Listing:
    """One participant's view of a space. `now` is the gateway's time, `limit` the most rows of a response.

    Records are filtered in pieces: `turn` is awaited before each further one. Rows are made when they are asked for.
    """

    def __init__(self, space: Space, caller: str, *, now: int, limit: int, turn: Turn, skip: int = 0) -> None:
        self._space = space
        self._state = space.state
        self._asker = caller
        self._now = now
        self._limit = limit
        self._skip = skip
        self._turn = turn
        self._viewer = viewer(space.state, caller)

    @property
    def is_allowed(self) -> bool:
        """True as long as the asker is who it was: not removed, and no later guest of its name."""
        return self._asker not in self._state.kicked and viewer(self._state, self._asker) == self._viewer

    async def participants(self) -> Lists:
        """Return all participants: the configured, the invited, then the kicked."""
        members, kicked = self._space.members, self._state.kicked
        names = [*members.names, *(name for name in kicked if not members.knows(name))]
        there = (name for name in names if members.knows(name) or name in kicked)
        return {"participants": map(self._participant, there)}

    async def sequences(self, *, only_open: bool) -> Lists:
        """Return the newest sequences."""
        state = self._state
        chosen = list(state.sequences.values())
        if not only_open:
            chosen = [*(one for one in state.closed.values() if self._viewer.was_here(one.ended)), *chosen]
        interrupts: dict[str, list[str]] = {}
        for record in await self._interrupts():
            interrupts.setdefault(record.sequence, []).append(record.id)
        there = filter(lambda one: not only_open or one.closed_at is None, self._page(chosen))
        return {"sequences": (self._sequence(one, interrupts.get(one.id, [])) for one in there)}

    async def interrupts(self) -> Lists:
        """Return the newest interrupts."""
        chosen = sorted(await self._interrupts(), key=lambda one: one.accepted_at)
        return {"interrupts": map(self._interrupt, self._page(chosen))}

    async def proposals(self, *, only_open: bool) -> Lists:
        """Return the newest proposals."""
        state = self._state
        chosen = [*([] if only_open else state.decided.values()), *state.proposals.values()]
        shown = await self._shown(chosen, lambda one: is_seen(one, self._viewer))
        there = filter(lambda one: not only_open or one.status == "open", self._page(shown))
        return {"proposals": map(self._proposal, there)}

    async def grants(self) -> Lists:
        """Return the newest grants and all revocations. Capabilities are no secret: presence has them."""
        grants = self._page(list(self._state.grants.values()))
        there = filter(lambda one: one.id in self._state.grants, grants)
        revoked = [(name, patterns) for name, patterns in self._state.revoked.items() if patterns]
        return {
            "grants": map(self._grant, there),
            "revocations": (RevocationRow(name, list(patterns)) for name, patterns in revoked),
        }

    def _page(self, chosen: list[_One]) -> list[_One]:
        """Return the newest `limit` rows, without the newest `skip`."""
        end = max(0, len(chosen) - self._skip)
        return chosen[max(0, end - self._limit) : end]

    async def _interrupts(self) -> list[Interrupt]:
        records = [*self._state.settled.values(), *self._state.interrupts.values()]
        return await self._shown(records, lambda one: is_on_record(one, self._viewer))

    async def _shown(self, records: list[_One], is_shown: Callable[[_One], bool]) -> list[_One]:
        """Return those of the records that the participant may see."""
        found: list[_One] = []
        for at in range(0, len(records), _SCANNED):
            if at:
                await self._turn()
            found += filter(is_shown, records[at : at + _SCANNED])
        return found

    def _participant(self, name: str) -> ParticipantRow:
        members = self._space.members
        connections = len(members.connections(name))
        is_shown = name == self._asker or self._viewer.sees_all_now
        return ParticipantRow(
            name,
            present=connections > 0,
            connections=connections if is_shown else None,
            capabilities=list(members.capabilities(name).sources) if members.knows(name) else [],
            state=self._state_row(name) if is_shown else None,
        )

    def _state_row(self, name: str) -> StateRow:
        state = self._state
        shutdown, invitee = state.shutdowns.get(name), state.invitees.get(name)
        ends = None if shutdown is None else max(shutdown.ends, *shutdown.connections.values(), self._now)
        return StateRow(
            kicked=name in state.kicked,
            ends_in_ms=None if ends is None else ends - self._now,
            pauses=[
                PauseRow(one.id, one.by, timestamp(one.at), _time(one.until)) for one in state.paused.get(name, ())
            ],
            halts=[HaltRow(one.interrupt, one.sequence, timestamp(one.at)) for one in state.halted.get(name, ())],
            invited=None
            if invitee is None
            else InvitationRow(invitee.inviter, timestamp(invitee.invited_at), invitee.joined),
        )

    def _sequence(self, one: Sequence, interrupts: list[str]) -> SequenceRow:
        among = None if one.is_public else (one.owner,)
        is_shown = self._viewer.sees(one.ordinal, among)
        return SequenceRow(
            id=one.id,
            owner=one.owner,
            message=one.message if is_shown else None,
            opened_at=timestamp(one.opened_at),
            age_ms=(one.closed_at or self._now) - one.opened_at,
            thoughts=one.thoughts,
            state=one.outcome or (one.fence.answer if one.fence else "open"),
            outcome=outcome_for(self._state, one, self._asker),
            interrupts=interrupts,
        )

    def _interrupt(self, one: Interrupt) -> InterruptRow:
        now, ack = self._now, one.ack
        return InterruptRow(
            id=one.id,
            kind=one.kind,
            sender=one.sender,
            target=one.target,
            sequence=one.sequence,
            reason=one.reason,
            class_=one.class_,
            message=one.message,
            status=one.status,
            accepted_at=timestamp(one.accepted_at),
            delivered_at=_time(one.delivered_at),
            deadline_in_ms=None if one.deadline is None else one.deadline - now,
            conclusion_in_ms=None if one.conclusion_due is None else one.conclusion_due - now,
            ack=None
            if ack is None
            else AckRow(ack.id, ack.answer, ack.message, ack.outcome, timestamp(ack.at), ack.at - one.accepted_at),
            escalated=list(one.escalated),
            steps=[StepRow(status, timestamp(at)) for status, at in one.steps],
            stalled_ms=one.stalled_ms,
        )

    def _proposal(self, one: Proposal) -> ProposalRow:
        rejection = one.rejection
        return ProposalRow(
            id=one.id,
            proposer=one.proposer,
            to=list(one.to),
            method=one.method,
            params=None if one.params is None else cast(Any, msgspec.Raw(one.params)),  # it is JSON already
            sequence=one.sequence,
            status=one.status,
            proposed_at=timestamp(one.proposed_at),
            age_ms=(one.closed_at or self._now) - one.proposed_at,
            expires_in_ms=one.expires_at - self._now if one.status == "open" else None,
            closed_at=_time(one.closed_at),
            closed_by=one.closed_by,
            fulfiller=one.fulfiller,
            rejection=None if rejection is None else RejectionRow(rejection.by, reason_for(one, self._viewer)),
            void=one.void,
        )

    def _grant(self, one: Grant) -> GrantRow:
        is_shown = self._viewer.sees(one.ordinal, (one.granter, one.recipient))
        return GrantRow(
            id=one.id,
            granter=one.granter,
            recipient=one.recipient,
            capabilities=list(one.capabilities),
            granted_at=timestamp(one.granted_at),
            expires_at=_time(one.expires_at),
            acked=one.acked,
            reason=one.reason if is_shown else None,
        )


def _time(at: int | None) -> str | None:
    return None if at is None else timestamp(at)
