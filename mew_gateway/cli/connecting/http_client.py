"""HTTP client of a gateway: one GET at a time, and a sentence for everything that can go wrong."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import ssl
import urllib.request
from functools import partial
from typing import Any, Literal, TypeAlias
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from mew_gateway.protocol.address import redacted
from mew_gateway.tls_trust import Trust

from ..framework.failure import Failure, mistake

_TIMEOUT = 10  # seconds
_NO_GATEWAY = "what answers there is not a MEW gateway"

_PAGE_ROWS = 1_000  # rows: the most that an answer has

Resource: TypeAlias = Literal["participants", "sequences", "interrupts", "proposals", "grants", "timeline", "history"]

# The field of each answer that has its rows.
_LIST_FIELDS: dict[Resource, str] = {
    "participants": "participants",
    "sequences": "sequences",
    "interrupts": "interrupts",
    "proposals": "proposals",
    "grants": "grants",
    "timeline": "events",
    "history": "envelopes",
}


class Api:
    """The HTTP API of one space, read with one token.

    `url` may be the WebSocket address. `trust` says which certificates are accepted; None: those that the
    environment names.
    """

    def __init__(self, url: str, *, space: str, token: str, trust: Trust | None = None) -> None:
        self._url = url
        self._name = redacted(url)
        self._space = space
        self._token = token
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect(), _Https(trust or Trust.of(os.environ))]
        if _is_loopback(url):
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def get(self, resource: Resource, **query: int | str | None) -> dict[str, Any]:
        """Return the answer to `GET /spaces/{space}/{resource}` (docs/protocol.md §6). Raises `Failure`."""
        parameters = urlencode({name: value for name, value in query.items() if value is not None})
        request = urllib.request.Request(
            f"{_http_address(self._url)}/spaces/{quote(self._space, safe='')}/{resource}?{parameters}",
            headers={"Authorization": f"Bearer {self._token}", "Accept": "application/json"},
        )
        try:
            with self._opener.open(request, timeout=_TIMEOUT) as response:
                found = json.loads(response.read())
        except HTTPError as error:
            with error:
                raise self._failure_of(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise unreachable(self._name, error) from None
        except ValueError:
            raise unreachable(self._name, _NO_GATEWAY) from None
        if not isinstance(found, dict) or _LIST_FIELDS[resource] not in found:
            raise unreachable(self._name, _NO_GATEWAY)
        return found

    def every(self, resource: Resource, **query: int | str | None) -> list[dict[str, Any]]:
        """Return all rows of a list, oldest first, read page by page, so that many rows hide none. Raises `Failure`."""
        rows: list[dict[str, Any]] = []
        while True:
            page: list[dict[str, Any]] = self.get(resource, **query, limit=_PAGE_ROWS, skip=len(rows))[
                _LIST_FIELDS[resource]
            ]
            known = {row["id"] for row in rows}
            rows = [row for row in page if row["id"] not in known] + rows
            if len(page) < _PAGE_ROWS:
                return rows

    def participant(self, name: str) -> dict[str, Any]:
        """Return the row of one participant. Raises `Failure` if there is none."""
        rows: list[dict[str, Any]] = self.get("participants")["participants"]
        for row in rows:
            if row["id"] == name:
                return row
        raise mistake(f"There is no participant {name!r} here; there are: {', '.join(row['id'] for row in rows)}.")

    def _failure_of(self, error: HTTPError) -> Failure:
        if error.code == 401:
            return Failure(
                f"The gateway at {self._name} knows no such token in the space {self._space!r}: "
                "check --space, and --as or the token."
            )
        try:
            answer = json.loads(error.read())
            return Failure(f"The gateway says {answer['error']}: {answer['message']}")
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            return Failure(f"The gateway at {self._name} answered with status {error.code}.")


def unreachable(url: str, why: object) -> Failure:
    """Return the failure of an address where no gateway answers."""
    reason = why.reason if isinstance(why, URLError) else why
    if isinstance(reason, ConnectionRefusedError):
        reason = "nothing listens there"
    elif isinstance(reason, TimeoutError):
        reason = "no answer in time"
    elif isinstance(reason, OSError) and reason.strerror:
        reason = reason.strerror
    return Failure(f"No gateway answers at {url}: {reason}. Is it running? Start one with `mew serve`.")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirects: a token goes only to the address it was meant for."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Https(urllib.request.HTTPSHandler):
    """Verifies the certificate by the trusted name, which may differ from the host of the address."""

    def __init__(self, trust: Trust) -> None:
        super().__init__()
        self._trust = trust

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        connection = partial(_Verified, context=self._trust.context(), server_name=self._trust.server_name)
        return self.do_open(connection, request)


class _Verified(http.client.HTTPSConnection):
    def __init__(self, host: str, *, context: ssl.SSLContext, server_name: str | None, **options: Any) -> None:
        super().__init__(host, context=context, **options)
        self._tls, self._server_name = context, server_name

    def connect(self) -> None:
        http.client.HTTPConnection.connect(self)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._server_name or self.host)


def _http_address(url: str) -> str:
    """Return the HTTP address of a gateway, from its HTTP or WebSocket address."""
    parts = urlsplit(url)
    scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/").removesuffix("/ws"), "", ""))


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
