"""Addresses of a gateway: build the WebSocket address of a space, and print an address without its secrets."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlencode, urlsplit, urlunsplit

_CREDENTIALS = re.compile(r"//[^/?#]*@")  # user name and password, before the host


def address(url: str, space: str, *, after: str | None = None) -> str:
    """Return the WebSocket address of a space: `url` with `/ws?space=`, and `&after=` the envelope to resume after.

    Raises `ValueError` for a url without a host, or with an impossible port.
    """
    parts = urlsplit(url)
    scheme = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}.get(parts.scheme)
    if scheme is None or not parts.hostname or not _has_possible_port(parts):
        raise ValueError(f"{redacted(url)!r} is not a gateway's address; one looks like ws://127.0.0.1:8080.")
    path = parts.path.rstrip("/")
    path = path if path.endswith("/ws") else f"{path}/ws"
    query = {"space": space} if after is None else {"space": space, "after": after}
    return urlunsplit((scheme, parts.netloc, path, urlencode(query), ""))


def redacted(url: str) -> str:
    """Return an address without password, query and fragment, which may hold secrets."""
    return _CREDENTIALS.sub("//", url).partition("?")[0].partition("#")[0]


def _has_possible_port(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False
