"""A call of a tool that does something: who asks, in which request, for what, and under which key."""

from __future__ import annotations

import hashlib
from typing import Any, Self

import msgspec

from mew_gateway.sdk import Envelope
from mew_gateway.sdk.exchange.rpc import params_of

from .effect import Effect, effect_in


class Call(msgspec.Struct, frozen=True):
    """`sender` and `request` name the envelope that asks; `digest` stands for the tool and its arguments.

    Without an `effect` nobody promises or expects anything beyond one answer to one request.
    """

    sender: str
    request: str
    digest: bytes
    effect: Effect | None = None

    @classmethod
    def of(cls, request: Envelope) -> Self:
        """The call that an `mcp/request` makes. Raises `ToolError` -32602 for an effect that is not well-formed."""
        params = params_of(request)
        digest = digest_of(str(params.get("name")), params.get("arguments", {}))
        return cls(request.sender, request.id, digest, effect_in(params))


def digest_of(tool: str, arguments: dict[str, Any]) -> bytes:
    """SHA-256 of a tool's name and its arguments, whatever their order."""
    return hashlib.sha256(msgspec.json.encode([tool, arguments], order="deterministic")).digest()
