"""The payload of each kind: only the fields the gateway decides on are required or typed; others pass untouched."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Payload(msgspec.Struct, frozen=True):
    """A payload of which the gateway reads nothing."""


class Chat(Payload, frozen=True):
    """`chat` (§3.4): `text` is what was said."""

    text: str
    format: str = "plain"


class Reasoned(Payload, frozen=True):
    """`mcp/withdraw`, `mcp/reject`, `reasoning/cancel`, `chat/cancel`: an optional free reason."""

    reason: str | None = None


class Request(Payload, frozen=True):
    """`mcp/request` and `mcp/proposal` (§3.1.1, §3.2): the MCP method and its parameters."""

    method: str
    params: dict[str, Any] | None = None


class Message(Payload, frozen=True):
    """`reasoning/start`, `reasoning/thought` (§3.5): what the agent says it is doing."""

    message: str | None = None


class Conclusion(Payload, frozen=True):
    """`reasoning/conclusion` (§3.5.4): `outcome` says in a word how the sequence ended."""

    message: str | None = None
    outcome: str | None = None


class Interrupt(Payload, frozen=True, rename={"class_": "class"}):
    """`reasoning/interrupt` (seed 004). What `reason` must be is a rule of the kind: `invalid_interrupt`."""

    reason: str | None = None
    message: str | None = None
    class_: Literal["queue", "clarification", "cancel", "override", "emergency"] | None = None


class InterruptAck(Payload, frozen=True):
    """`reasoning/interrupt-ack` (seed 004): the target's typed answer."""

    status: Literal["stopping", "completing_thought", "continuing", "ignored"]
    message: str | None = None
    outcome: str | None = None
