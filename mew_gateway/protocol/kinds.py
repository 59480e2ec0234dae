"""The kinds of MEW v0.4 and seed 004 in one table: their payload, and what the gateway makes of them."""

from __future__ import annotations

from typing import NamedTuple

from . import payloads
from .payloads import Payload


class Kind(NamedTuple):
    """One row. `acting`: refused under a fence. `calm`: passes a pause (docs/protocol.md §4)."""

    payload: type[Payload] = Payload
    acting: bool = False
    calm: bool = False


KINDS: dict[str, Kind] = {
    "chat": Kind(payloads.Chat),
    "chat/acknowledge": Kind(payloads.ChatAcknowledge, calm=True),
    "chat/cancel": Kind(payloads.Reasoned, calm=True),
    "mcp/request": Kind(payloads.Request, acting=True),
    "mcp/response": Kind(calm=True),
    "mcp/proposal": Kind(payloads.Request, acting=True),
    "mcp/withdraw": Kind(payloads.Reasoned, calm=True),
    "mcp/reject": Kind(payloads.Reject),
    "reasoning/start": Kind(payloads.Start),
    "reasoning/thought": Kind(payloads.Thought),
    "reasoning/conclusion": Kind(payloads.Conclusion, calm=True),
    "reasoning/cancel": Kind(payloads.Reasoned, calm=True),
    "reasoning/interrupt": Kind(payloads.Interrupt, calm=True),
    "reasoning/interrupt-ack": Kind(payloads.InterruptAck, calm=True),
    "capability/grant": Kind(payloads.Grant, acting=True),
    "capability/revoke": Kind(payloads.Revoke, acting=True),
    "capability/grant-ack": Kind(payloads.GrantAck, acting=True, calm=True),
    "space/invite": Kind(payloads.Invite, acting=True),
    "space/kick": Kind(payloads.Kick, acting=True),
    "participant/pause": Kind(payloads.Pause, acting=True),
    "participant/resume": Kind(payloads.Reasoned, acting=True),
    "participant/shutdown": Kind(payloads.Reasoned, acting=True),
    "participant/status": Kind(payloads.Status, calm=True),
    "participant/request-status": Kind(payloads.RequestStatus, acting=True),
    "participant/forget": Kind(payloads.Forget, acting=True),
    "participant/compact": Kind(payloads.Compact, acting=True),
    "participant/compact-done": Kind(payloads.CompactDone, calm=True),
    "participant/clear": Kind(payloads.Reasoned, acting=True),
    "participant/restart": Kind(payloads.Reasoned, acting=True),
    "stream/request": Kind(payloads.StreamRequest, acting=True),
    "stream/close": Kind(payloads.StreamClose, calm=True),
    "stream/grant-write": Kind(payloads.StreamWriter),
    "stream/revoke-write": Kind(payloads.StreamWriter),
    "stream/transfer-ownership": Kind(payloads.StreamTransfer),
}

# A kind the gateway does not know is forwarded if a capability allows it; what it does is not known: it acts.
UNKNOWN = Kind(acting=True)

HEARTBEAT = "system/heartbeat"
JOIN = "system/join"  # upstream's first word, with a token in it: never journalled

# The gateway's answers (docs/protocol.md §2), besides everything under `system/`.
_ANSWERS = (
    "stream/open",
    "stream/write-granted",
    "stream/write-revoked",
    "stream/ownership-transferred",
    "space/invite-ack",
)


# The kinds that nobody else may speak, as a regular expression: for schemas of what may be sent.
RESERVED = rf"^(system$|system/(?!heartbeat$)|({'|'.join(_ANSWERS)})$)"


def is_reserved(kind: str) -> bool:
    """Whether only the gateway may speak this kind. `system/heartbeat` is the exception: accepted, dropped."""
    return (kind.startswith("system/") and kind != HEARTBEAT) or kind in _ANSWERS or kind == "system"


# They pass their own rate bucket: chatter never crowds them out (docs/protocol.md §7).
URGENT = (
    "reasoning/interrupt-ack",
    "reasoning/conclusion",
    "reasoning/interrupt",
    "reasoning/cancel",
    "participant/resume",
)
