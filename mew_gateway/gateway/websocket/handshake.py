"""The upgrade request: checks the origin and authenticates a token if there is one (docs/protocol.md §1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from math import ceil
from typing import NamedTuple, Protocol
from urllib.parse import parse_qs, urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from mew_gateway.errors import Rejected

SUBPROTOCOL = "mew.v0.4"
_TOKEN_PREFIX = "mew.token."
_VERSION = "13"  # of the WebSocket protocol: RFC 6455 has no other


class Authenticator(Protocol):
    """Identifies a participant by its token."""

    def identify(self, space: str, token: str) -> str | None:
        """Return the participant of that space whose token it is, or None."""


class Handshake(NamedTuple):
    """An accepted upgrade and its parameters. Without `participant`, a join frame has to authenticate."""

    space: str | None = None
    participant: str | None = None
    after: str | None = None


def examine(
    request: Request,
    *,
    authenticator: Authenticator,
    is_allowed_origin: Callable[[str, str], bool],
    sole_space: str | None,
) -> Handshake | Response:
    """Return the accepted handshake, or the response that refuses the request; its path matters only without a token.

    `sole_space` is used if the request names none. Raises `LookupError` or `ValueError` for a request that cannot be
    read: a header twice, an origin or a path that is no URL.
    """
    origin, host = request.headers.get("Origin"), request.headers.get("Host", "")
    if origin is not None and not is_allowed_origin(origin, host):
        message = f"The origin {origin} is not allowed: list it under gateway.allowed_origins."
        return refusal(HTTPStatus.FORBIDDEN, "origin_not_allowed", message)
    url = urlsplit(request.path)
    query = parse_qs(url.query)
    named, after = (query.get(key, [None])[0] for key in ("space", "after"))
    token = _token(request.headers)
    if token is None and not (url.path == "/ws" and named is not None):
        return Handshake(named, after=after)
    space = named or sole_space
    participant = authenticator.identify(space, token) if space and token else None
    if participant is None:
        message = "A valid token of that space is needed: `Authorization: Bearer TOKEN` and `?space=ID`."
        return refusal(HTTPStatus.UNAUTHORIZED, "unauthorized", message)
    return Handshake(space, participant, after)


def select_subprotocol(_: ServerProtocol, offered: object) -> Subprotocol | None:
    """Return our subprotocol if the client offers it."""
    chosen = Subprotocol(SUBPROTOCOL)
    return chosen if isinstance(offered, list | tuple) and chosen in offered else None


def open_for(request: Request, protocol: ServerProtocol) -> Response:
    """Return the response to an accepted upgrade: 101, or an error about its headers (RFC 6455 §4.2)."""
    response = protocol.accept(request)
    if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
        return response
    if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        refused = refusal(HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", "A WebSocket is opened with GET.")
        refused.headers["Allow"] = "GET"
        return refused
    if response.status_code == HTTPStatus.HTTP_VERSION_NOT_SUPPORTED:
        message = "A WebSocket is opened over HTTP/1.1."
        return refusal(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "http_version_not_supported", message)
    if request.headers.get_all("Sec-WebSocket-Version") == [_VERSION]:
        return unreadable()
    message = f"Say `Upgrade: websocket`, `Connection: Upgrade` and `Sec-WebSocket-Version: {_VERSION}`."
    refused = refusal(HTTPStatus.UPGRADE_REQUIRED, "upgrade_required", message)
    refused.headers["Upgrade"] = "websocket"
    refused.headers["Sec-WebSocket-Version"] = _VERSION  # §4.4
    return refused


def unreadable() -> Response:
    """Return the response to an upgrade request that cannot be read."""
    return refusal(HTTPStatus.BAD_REQUEST, "bad_request", "The upgrade request cannot be read.")


def too_often(rejected: Rejected) -> Response:
    """Return the response to a `rate_limited` upgrade: 429 with `Retry-After`."""
    response = refusal(HTTPStatus.TOO_MANY_REQUESTS, rejected.code, rejected.message, **rejected.details)
    response.headers["Retry-After"] = str(ceil(rejected.details["retry_after_ms"] / 1000))
    return response


def refusal(status: HTTPStatus, code: str, message: str, **details: object) -> Response:
    """Return the response that refuses an upgrade: JSON, like every error over HTTP."""
    body = json.dumps({**details, "error": code, "message": message}).encode()
    headers = Headers()
    headers["Content-Type"] = "application/json"
    headers["Content-Length"] = str(len(body))
    headers["Connection"] = "close"
    if status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(status.value, status.phrase, headers, body)


def _token(headers: Headers) -> str | None:
    """Return the bearer token from the header, or, for browsers, from `Sec-WebSocket-Protocol: …, mew.token.TOKEN`."""
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    for line in headers.get_all("Sec-WebSocket-Protocol"):
        for offered in line.split(","):
            if offered.strip().startswith(_TOKEN_PREFIX):
                return offered.strip().removeprefix(_TOKEN_PREFIX)
    return None
