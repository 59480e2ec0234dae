"""The HTTP side of a gateway: one GET at a time, with a sentence for everything that can go wrong."""

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
from mew_gateway.trust import Trust

from ..framework.failure import Failure, mistake

_TIMEOUT = 10  # seconds
_NO_GATEWAY = "what answers there is not a MEW gateway"

_PAGE = 1_000  # rows of a page: the most that an answer has

What: TypeAlias = Literal["participants", "sequences", "interrupts", "proposals", "grants", "timeline", "history"]

# What each answer holds.
_LISTS: dict[What, str] = {
    "participants": "participants",
    "sequences": "sequences",
    "interrupts": "interrupts",
    "proposals": "proposals",
    "grants": "grants",
    "timeline": "events",
    "history": "envelopes",
}


class Api:
    """A space as its holder of a token reads it. `url` may be the WebSocket one. `trust` says which certificates are
    accepted; None: what the environment says."""

    def __init__(self, url: str, *, space: str, token: str, trust: Trust | None = None) -> None:
        self._url = url
        self._name = redacted(url)
        self._space = space
        self._token = token
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect(), _Https(trust or Trust.of(os.environ))]
        if _is_loopback(url):
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def get(self, what: What, **query: int | str | None) -> dict[str, Any]:
        """`GET /spaces/{space}/{what}`, as docs/protocol.md §6 has it. Raises `Failure`."""
        asked = urlencode({name: value for name, value in query.items() if value is not None})
        request = urllib.request.Request(
            f"{_site(self._url)}/spaces/{quote(self._space, safe='')}/{what}?{asked}",
            headers={"Authorization": f"Bearer {self._token}", "Accept": "application/json"},
        )
        try:
            with self._opener.open(request, timeout=_TIMEOUT) as response:
                found = json.loads(response.read())
        except HTTPError as error:
            with error:
                raise self._refused(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise unreachable(self._name, error) from None
        except ValueError:
            raise unreachable(self._name, _NO_GATEWAY) from None
        if not isinstance(found, dict) or _LISTS[what] not in found:
            raise unreachable(self._name, _NO_GATEWAY)
        return found

    def every(self, what: What, **query: int | str | None) -> list[dict[str, Any]]:
        """Return all rows of a list, oldest first, a page at a time: nobody hides a row by making many. Raises
        `Failure`."""
        rows: list[dict[str, Any]] = []
        while True:
            page: list[dict[str, Any]] = self.get(what, **query, limit=_PAGE, skip=len(rows))[_LISTS[what]]
            known = {row["id"] for row in rows}
            rows = [row for row in page if row["id"] not in known] + rows
            if len(page) < _PAGE:
                return rows

    def participant(self, name: str) -> dict[str, Any]:
        """The row of one participant. Raises `Failure` if there is none."""
        rows: list[dict[str, Any]] = self.get("participants")["participants"]
        for row in rows:
            if row["id"] == name:
                return row
        raise mistake(f"There is no participant {name!r} here; there are: {', '.join(row['id'] for row in rows)}.")

    def _refused(self, error: HTTPError) -> Failure:
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
    """Nobody, or somebody else, answers at an address."""
    reason = why.reason if isinstance(why, URLError) else why
    if isinstance(reason, ConnectionRefusedError):
        reason = "nothing listens there"
    elif isinstance(reason, TimeoutError):
        reason = "no answer in time"
    elif isinstance(reason, OSError) and reason.strerror:
        reason = reason.strerror
    return Failure(f"No gateway answers at {url}: {reason}. Is it running? Start one with `mew serve`.")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token goes to the address it was meant for, and to no other."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Https(urllib.request.HTTPSHandler):
    """Verifies the certificate by the name that is trusted, which may not be the host of the address."""

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


def _site(url: str) -> str:
    """The HTTP address of a gateway's."""
    parts = urlsplit(url)
    scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/").removesuffix("/ws"), "", ""))


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
