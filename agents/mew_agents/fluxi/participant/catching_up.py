"""What was said while the agent was away: the history since its mark."""

from __future__ import annotations

import logging

from mew_gateway.errors import MewError
from mew_gateway.sdk import Client, Envelope

log = logging.getLogger(__name__)


async def missed(client: Client, mark: str | None) -> list[Envelope]:
    """Everything since the mark, without the chats that their senders have cancelled since."""
    if mark is None:
        return []
    try:
        envelopes = await client.history(mark)
    except MewError as error:
        log.warning("what was said while the agent was away cannot be read: %s", error)
        return []
    if envelopes is None:
        log.warning("what was said while the agent was away is no longer held, or too much")
        return []
    cancelled = {(one.sender, id) for one in envelopes if one.kind == "chat/cancel" for id in one.correlation_id or ()}
    return [one for one in envelopes if one.kind != "chat" or (one.sender, one.id) not in cancelled]
