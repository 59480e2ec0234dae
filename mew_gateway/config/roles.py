"""Built-in roles. A space's own roles come first, then the shared roles of the file, then these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Everything that an agent of the SDK sends by itself: chat, thoughts, acks, status, proposals and streams. Every
# participant may answer a request to it and cancel its own sequence; as capabilities these would cover requests and
# sequences of others, so they are not here. Tool calls are not here either: give `mcp/request` with `to` and a payload.
AGENT: tuple[dict[str, Any], ...] = (
    {"kind": ["chat", "chat/acknowledge"]},
    {"kind": ["reasoning/start", "reasoning/thought", "reasoning/conclusion", "reasoning/interrupt-ack"]},
    {"kind": ["participant/status", "participant/compact-done"]},
    {"kind": ["mcp/proposal", "mcp/withdraw"]},
    {"kind": ["stream/request", "stream/close"]},
)
BUILT_IN: Mapping[str, tuple[dict[str, Any], ...]] = {"agent": AGENT}
