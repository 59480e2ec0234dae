"""Built-in roles, and faults of roles that do not exist.

A space's own roles come first, then the shared roles of the file, then the built-in ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mew_gateway.documents.document import Node
from mew_gateway.documents.problems import Fault, did_you_mean, echo

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


def faults(space: Node, root: Node) -> Iterator[Fault]:
    """Yield the faults of roles that neither the space nor the file nor the gateway has."""
    known = [str(role.path[-1]) for node in (space, root) for role in node.find("roles", "*")] + list(BUILT_IN)
    for role in space.find("participants", "*", "roles", "*"):
        if isinstance(role.value, str) and role.value not in known:
            yield Fault(role.path, f"There is no role {echo(role.value)}.", did_you_mean(role.value, known))
