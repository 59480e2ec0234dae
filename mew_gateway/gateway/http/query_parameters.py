"""Query parameters of requests: whole numbers and switches. All raise `HTTPException` 400 for other values."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request

from mew_gateway.protocol.http_routes import MOST, USUAL


def limit_of(request: Request) -> int:
    """Return the most rows or envelopes that the request asks for."""
    return min(MOST, _whole(request.query_params.get("limit", str(USUAL)), "limit", least=1))


def skip_of(request: Request) -> int:
    """Return how many of the newest rows the request skips."""
    return _whole(request.query_params.get("skip", "0"), "skip", least=0)


def after_of(request: Request) -> int | None:
    """Return the journal position after which to read; None for the newest entries."""
    after = request.query_params.get("after")
    return None if after is None else _whole(after, "after", least=0)


def before_of(request: Request) -> int | None:
    """Return the journal position before which to read the newest entries; None for no bound."""
    before = request.query_params.get("before")
    return None if before is None else _whole(before, "before", least=1)


def is_open_of(request: Request) -> bool:
    """Return true if the request asks only for what is open."""
    text = request.query_params.get("open", "false")
    if text not in ("0", "1", "false", "true"):
        raise HTTPException(400, "`open` is true or false.")
    return text in ("1", "true")


def _whole(text: str, name: str, *, least: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text) >= least):
        raise HTTPException(400, f"`{name}` is a whole number from {least}, with at most 18 digits.")
    return int(text)
