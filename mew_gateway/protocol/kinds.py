"""The kinds of MEW v0.4 and seed 004 in one table: their payload, and how the gateway treats them.

Two columns need a reason. `acting` kinds have an effect on others, so an agent that promised to stop may not send them:
they are refused under a fence. Kinds that pass a pause finish, answer or give way. An unknown kind may do anything, so
it is acting and does not pass a pause.
"""

from __future__ import annotations

from typing import NamedTuple

from . import payloads
from .payloads import Payload


class Kind(NamedTuple):
    """One row.

    `acting`: refused under a fence. `passes_pause`: accepted from a paused participant (docs/protocol.md §4).
    """

    payload: type[Payload] = Payload
    acting: bool = False
    passes_pause: bool = False


KINDS: dict[str, Kind] = {
    "chat": Kind(payloads.Chat),
    "chat/acknowledge": Kind(payloads.ChatAcknowledge, passes_pause=True),
    "chat/cancel": Kind(payloads.Reasoned, passes_pause=True),
    "mcp/request": Kind(payloads.Request, acting=True),
    "mcp/response": Kind(passes_pause=True),
    "mcp/proposal": Kind(payloads.Request, acting=True),
    "mcp/withdraw": Kind(payloads.Reasoned, passes_pause=True),
    "mcp/reject": Kind(payloads.Reject),
    "reasoning/start": Kind(payloads.Start),
    "reasoning/thought": Kind(payloads.Thought),
    "reasoning/conclusion": Kind(payloads.Conclusion, passes_pause=True),
    "reasoning/cancel": Kind(payloads.Reasoned, passes_pause=True),
    "reasoning/interrupt": Kind(payloads.Interrupt, passes_pause=True),
    "reasoning/interrupt-ack": Kind(payloads.InterruptAck, passes_pause=True),
    "capability/grant": Kind(payloads.Grant, acting=True),
    "capability/revoke": Kind(payloads.Revoke, acting=True),
    "capability/grant-ack": Kind(payloads.GrantAck, acting=True, passes_pause=True),
    "space/invite": Kind(payloads.Invite, acting=True),
    "space/kick": Kind(payloads.Kick, acting=True),
    "participant/pause": Kind(payloads.Pause, acting=True),
    "participant/resume": Kind(payloads.Reasoned, acting=True),
    "participant/shutdown": Kind(payloads.Reasoned, acting=True),
    "participant/status": Kind(payloads.Status, passes_pause=True),
    "participant/request-status": Kind(payloads.RequestStatus, acting=True),
    "participant/forget": Kind(payloads.Forget, acting=True),
    "participant/compact": Kind(payloads.Compact, acting=True),
    "participant/compact-done": Kind(payloads.CompactDone, passes_pause=True),
    "participant/clear": Kind(payloads.Reasoned, acting=True),
    "participant/restart": Kind(payloads.Reasoned, acting=True),
    "stream/request": Kind(payloads.StreamRequest, acting=True),
    "stream/close": Kind(payloads.StreamClose, passes_pause=True),
    "stream/grant-write": Kind(payloads.StreamWriter),
    "stream/revoke-write": Kind(payloads.StreamWriter),
    "stream/transfer-ownership": Kind(payloads.StreamTransfer),
}

# A kind that the gateway does not know is forwarded if a capability allows it. It may have an effect, so it is acting.
UNKNOWN = Kind(acting=True)

HEARTBEAT = "system/heartbeat"
JOIN = "system/join"  # upstream's join frame, which has a token: never journalled

# The gateway's own kinds (docs/protocol.md §2), besides those under `system/`.
_GATEWAY_KINDS = (
    "stream/open",
    "stream/write-granted",
    "stream/write-revoked",
    "stream/ownership-transferred",
    "space/invite-ack",
)


# The kinds that only the gateway may send, as a regular expression for schemas.
RESERVED = rf"^(system$|system/(?!heartbeat$)|({'|'.join(_GATEWAY_KINDS)})$)"


def is_reserved(kind: str) -> bool:
    """Return true if only the gateway may send this kind.

    `system/heartbeat` is the exception: it is accepted and dropped.
    """
    return (kind.startswith("system/") and kind != HEARTBEAT) or kind in _GATEWAY_KINDS or kind == "system"


# These have their own rate buckets, so that other traffic never blocks them (docs/protocol.md §7).
URGENT = (
    "reasoning/interrupt-ack",
    "reasoning/conclusion",
    "reasoning/interrupt",
    "reasoning/cancel",
    "participant/resume",
)
