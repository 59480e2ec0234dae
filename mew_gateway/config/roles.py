"""Roles by name: those of a space, those of all spaces, and the built-in one, in this order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What an agent made with the SDK sends by itself: it talks, thinks aloud, answers interrupts, tells its status,
# proposes calls of tools, and streams. What everybody may do (answer a request that is addressed to it, cancel its own
# sequence) is not here: as a capability it would reach others' requests and sequences too. It calls no tool: that is
# given by `mcp/request` with `to` and a payload.
AGENT: tuple[dict[str, Any], ...] = (
    {"kind": ["chat", "chat/acknowledge"]},
    {"kind": ["reasoning/start", "reasoning/thought", "reasoning/conclusion", "reasoning/interrupt-ack"]},
    {"kind": ["participant/status", "participant/compact-done"]},
    {"kind": ["mcp/proposal", "mcp/withdraw"]},
    {"kind": ["stream/request", "stream/close"]},
)
BUILT_IN: Mapping[str, tuple[dict[str, Any], ...]] = {"agent": AGENT}
