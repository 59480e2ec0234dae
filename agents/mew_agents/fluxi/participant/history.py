"""What the history of a space says of an envelope of ours (docs/fluxi.md §4.5)."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from mew_agents.fluxi.outcomes import outcome_of_error
from mew_agents.fluxi.participant.wire import NOBODY, answer_in
from mew_agents.fluxi.ports import Answer
from mew_gateway.errors import MewError
from mew_gateway.sdk import Client, Envelope

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """`complete`: the history is held from where we asked; `taken`: the envelope is in it; `answer`: so is its answer.

    For a proposal, the answer is that to the request which fulfilled it.
    """

    complete: bool
    taken: bool = False
    answer: Answer | None = None


async def find(client: Client, id: str, *, target: str, since: str | None) -> Found:
    """What is said of the envelope `id` to `target`, from the envelope `since` on."""
    if since is None:
        return Found(complete=False)
    try:
        envelopes = await client.history(since)
    except MewError as error:
        log.warning("the history cannot be read: %s", error)
        return Found(complete=False)
    if envelopes is None:
        return Found(complete=False)
    taken, answer, ours = False, None, {id}
    for envelope in envelopes:
        taken = taken or (envelope.id == id and envelope.sender == client.welcome.you.id)
        if envelope.kind == "mcp/request" and id in (envelope.correlation_id or ()):
            ours.add(envelope.id)  # it fulfils our proposal
        elif ours & set(envelope.correlation_id or ()):
            answer = _answer(envelope, target) or answer
    return Found(complete=True, taken=taken, answer=answer)


def _answer(envelope: Envelope, target: str) -> Answer | None:
    if envelope.kind == "mcp/response" and envelope.sender == target:
        return answer_in(envelope)
    payload = envelope.payload or {}
    if envelope.kind == "system/error" and payload.get("error") == NOBODY:
        return outcome_of_error(NOBODY, str(payload.get("message", "")))
    return None
