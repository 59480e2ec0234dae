"""What the history of a space says of an envelope of ours (docs/fluxi.md §4.5)."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from mew_agents.fluxi.outcomes import outcome_of_error
from mew_agents.fluxi.participant.wire import NOBODY, answer_in, awaited
from mew_agents.fluxi.ports import Answer
from mew_gateway.errors import MewError
from mew_gateway.sdk import Client, Envelope
from mew_gateway.sdk.exchange.tracked import TrackedEnvelope

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """`complete`: the history is held from where we asked; `awaited`: what it shows of the envelope; `answer`: its
    answer, if it is there.

    For a proposal, the answer is that to the request which fulfilled it.
    """

    complete: bool
    awaited: TrackedEnvelope
    answer: Answer | None = None

    @property
    def taken(self) -> bool:
        """Whether the envelope is in it."""
        return self.awaited.taken


async def find(client: Client, envelope: Envelope, *, since: str | None) -> Found:
    """What is said of an envelope of ours, from the envelope `since` on."""
    mine = awaited(envelope)
    if since is None:
        return Found(complete=False, awaited=mine)
    try:
        envelopes = await client.history(since)
    except MewError as error:
        log.warning("the history cannot be read: %s", error)
        envelopes = None
    if envelopes is None:
        return Found(complete=False, awaited=mine)
    answer: Answer | None = None
    for one in envelopes:
        mine.see(one)
        if one.kind == "mcp/request" and envelope.id in (one.correlation_id or ()):
            mine.fulfil(one)
        answer = answer or _answer(mine, one)
    return Found(complete=True, awaited=mine, answer=answer)


def _answer(mine: TrackedEnvelope, envelope: Envelope) -> Answer | None:
    if envelope.kind == "mcp/response" and mine.is_answered_by(envelope):
        return answer_in(envelope)
    payload = envelope.payload or {}
    nobody = envelope.kind == "system/error" and payload.get("error") == NOBODY
    if nobody and mine.asked.id in (envelope.correlation_id or ()) and mine.is_refused_by(envelope):
        return outcome_of_error(NOBODY, str(payload.get("message", "")))
    return None
