"""The kinds of MEW v0.4 and seed 004 in one table: their payload, and what the gateway makes of them."""

from __future__ import annotations

from typing import NamedTuple

from . import payloads
from .payloads import Payload


class Kind(NamedTuple):
    """One row. `acting`: refused under a fence. `served` False: known, but not enforced by this version."""

    payload: type[Payload] = Payload
    acting: bool = False
    served: bool = True


KINDS: dict[str, Kind] = {
    "chat": Kind(payloads.Chat),
    "chat/acknowledge": Kind(),
    "chat/cancel": Kind(payloads.Reasoned),
    "mcp/request": Kind(payloads.Request, acting=True),
    "mcp/response": Kind(),
    "mcp/proposal": Kind(payloads.Request, acting=True),
    "mcp/withdraw": Kind(payloads.Reasoned),
    "mcp/reject": Kind(payloads.Reasoned),
    "reasoning/start": Kind(payloads.Message),
    "reasoning/thought": Kind(payloads.Message),
    "reasoning/conclusion": Kind(payloads.Conclusion),
    "reasoning/cancel": Kind(payloads.Reasoned),
    "reasoning/interrupt": Kind(payloads.Interrupt),
    "reasoning/interrupt-ack": Kind(payloads.InterruptAck),
    "capability/grant": Kind(acting=True, served=False),
    "capability/revoke": Kind(acting=True, served=False),
    "capability/grant-ack": Kind(acting=True),
    "space/invite": Kind(acting=True, served=False),
    "space/kick": Kind(acting=True, served=False),
    "participant/pause": Kind(acting=True, served=False),
    "participant/resume": Kind(acting=True, served=False),
    "participant/shutdown": Kind(acting=True, served=False),
    "participant/status": Kind(acting=True),
    "participant/request-status": Kind(acting=True),
    "participant/forget": Kind(acting=True),
    "participant/compact": Kind(acting=True),
    "participant/compact-done": Kind(acting=True),
    "participant/clear": Kind(acting=True),
    "participant/restart": Kind(acting=True),
    "stream/request": Kind(acting=True, served=False),
    "stream/close": Kind(served=False),
    "stream/grant-write": Kind(served=False),
    "stream/revoke-write": Kind(served=False),
    "stream/transfer-ownership": Kind(served=False),
}

# A kind the gateway does not know is forwarded if a capability allows it; what it does is not known: it acts.
UNKNOWN = Kind(acting=True)

HEARTBEAT = "system/heartbeat"

# The gateway's answers (docs/protocol.md §2), besides everything under `system/`.
_ANSWERS = (
    "stream/open",
    "stream/write-granted",
    "stream/write-revoked",
    "stream/ownership-transferred",
    "space/invite-ack",
)


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
