"""The address of a gateway: where a space is joined, and how an address may be printed."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlencode, urlsplit, urlunsplit

_IN_FRONT = re.compile(r"//[^/?#]*@")  # of the host: a name and a password


def address(url: str, space: str, *, after: str | None = None) -> str:
    """The WebSocket address of a space: `url` with `/ws?space=`, and `&after=` the envelope to go on from.

    Raises `ValueError` for a url that has no host, or a port that cannot be.
    """
    parts = urlsplit(url)
    scheme = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}.get(parts.scheme)
    if scheme is None or not parts.hostname or not _has_possible_port(parts):
        raise ValueError(f"{shown(url)!r} is not a gateway's address; one looks like ws://127.0.0.1:8080.")
    path = parts.path.rstrip("/")
    path = path if path.endswith("/ws") else f"{path}/ws"
    query = {"space": space} if after is None else {"space": space, "after": after}
    return urlunsplit((scheme, parts.netloc, path, urlencode(query), ""))


def shown(url: str) -> str:
    """An address as it may be printed: somebody may have put a password or a token into it."""
    return _IN_FRONT.sub("//", url).partition("?")[0].partition("#")[0]


def _has_possible_port(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False
