"""MCP requests and responses (JSON-RPC 2.0) in payloads (§3.1)."""

from __future__ import annotations

from typing import Any

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # MCP's
BUSY = -32000  # the first of those that JSON-RPC leaves to servers
REQUEST_CANCELLED = -32800  # as the Language Server Protocol has it

CANCELLED = "notifications/cancelled"  # MCP's: the answer is not awaited any more


class ToolError(MewError):
    """JSON-RPC error that answers a request: `code`, `message`, and `data` if given."""

    def __init__(self, code: int, message: str, *, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def method_of(envelope: Envelope) -> str:
    """Return the method of a request; empty if it has none."""
    method = (envelope.payload or {}).get("method")
    return method if isinstance(method, str) else ""


def params_of(envelope: Envelope) -> dict[str, Any]:
    """Return the parameters of a request; empty if it has none."""
    params = (envelope.payload or {}).get("params")
    return params if isinstance(params, dict) else {}


def is_notification(payload: dict[str, Any] | None) -> bool:
    """Return true if a request expects no answer."""
    return str((payload or {}).get("method")).startswith("notifications/")


def request(payload: dict[str, Any], *, id: str) -> dict[str, Any]:
    """Return the payload of a request. A notification gets no id."""
    return {"jsonrpc": "2.0", **({} if is_notification(payload) else {"id": id}), **payload}


def result(request: Envelope, value: Any) -> dict[str, Any]:
    """Return the payload of a successful response."""
    return {**_head(request), "result": value}


def error(request: Envelope, fault: ToolError) -> dict[str, Any]:
    """Return the payload of an error response."""
    said: dict[str, Any] = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        said["data"] = fault.data
    return {**_head(request), "error": said}


def _head(request: Envelope) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": (request.payload or {}).get("id", request.id)}
