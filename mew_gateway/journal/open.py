"""The journal that a URL of the configuration names."""

from __future__ import annotations

from mew_gateway.errors import MewError

from .base import Committed
from .memory import MemoryJournal
from .schema import Synchronous
from .sqlite import SqliteJournal


def open_journal(url: str, *, synchronous: Synchronous, committed: Committed) -> MemoryJournal | SqliteJournal:
    """The journal at `memory:` or `sqlite:PATH` (absolute). `synchronous` concerns the latter.

    Raises `MewError` for any other URL, and what the journal raises when it is opened.
    """
    scheme, colon, path = url.partition(":")
    if (scheme, colon, path) == ("memory", ":", ""):
        return MemoryJournal(committed=committed)
    if scheme == "sqlite" and path:
        return SqliteJournal(path, synchronous=synchronous, committed=committed)
    raise MewError(f"No journal is called {url!r}: write memory: or sqlite:PATH.")
