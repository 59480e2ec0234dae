"""HTTP responses: always JSON, errors included (docs/protocol.md §6)."""

from __future__ import annotations

from math import ceil
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from mew_gateway.errors import Rejected, Unavailable
from mew_gateway.protocol.http_replies import Failure
from mew_gateway.protocol.http_statuses import FAULTS, STATUSES

from .open_requests import VISIT, Connection, Visit

_PIECE = 65_536  # bytes
_RETRY_AFTER = "1"  # seconds, if nothing better is known


class StreamedResponse(Response):
    """Response that is sent piece by piece as the peer takes it: its request lasts as long as it is in memory."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        visit: Visit | None = scope.get(VISIT)
        if visit is not None:
            visit.hold(len(self.body))
            visit.begin(Connection(scope, receive).abort)
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for at in range(0, max(len(self.body), 1), _PIECE):
            body, is_last = self.body[at : at + _PIECE], at + _PIECE >= len(self.body)
            await send({"type": "http.response.body", "body": body, "more_body": not is_last})
            if visit is not None:
                visit.hold(len(self.body))


def json_response(body: Any, *, status: int = 200) -> Response:
    """Return a response with a JSON body."""
    return StreamedResponse(msgspec.json.encode(body), status_code=status, media_type="application/json")


async def rejected_response(_: Request, error: Exception) -> Response:
    """Return the response to a rejected envelope: the payload of its `system/error`, and `id`, the envelope's."""
    assert isinstance(error, Rejected)
    named = {} if error.correlation is None else {"id": error.correlation}
    body = {**error.details, "error": error.code, "message": error.message, **named}
    response = json_response(body, status=STATUSES.get(error.code, 400))
    if response.status_code == 429:
        response.headers["Retry-After"] = str(ceil(error.details.get("retry_after_ms", 1000) / 1000))
    elif response.status_code == 503:
        response.headers["Retry-After"] = _RETRY_AFTER
    return response


async def http_error_response(_: Request, error: Exception) -> Response:
    """Return the response to a request that is no envelope or has no valid token."""
    assert isinstance(error, HTTPException)
    code = FAULTS.get(error.status_code, "error")
    response = json_response(Failure(code, str(error.detail)), status=error.status_code)
    response.headers.update(error.headers or {})
    if error.status_code == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    elif error.status_code == 503:
        response.headers["Retry-After"] = _RETRY_AFTER
    elif "Allow" in response.headers:
        response.headers["Allow"] = ", ".join(sorted(response.headers["Allow"].split(", ")))
    return response


async def unavailable_response(request: Request, error: Exception) -> Response:
    """Return the response if the journal cannot be read or written."""
    assert isinstance(error, Unavailable)
    return await rejected_response(request, Rejected("journal_unavailable", error.reason))


async def internal_error_response(_: Request, __: Exception) -> Response:
    """Return the response to an unexpected exception, a mistake of the gateway."""
    return json_response(
        {"error": "internal_error", "message": "The gateway made a mistake; its log says which."}, status=500
    )
