"""Open the journal that a URL of the configuration names."""

from __future__ import annotations

from mew_gateway.errors import MewError

from .memory import MemoryJournal
from .schema import Synchronous
from .sqlite import SqliteJournal


def open_journal(url: str, *, synchronous: Synchronous) -> MemoryJournal | SqliteJournal:
    """Open the journal at `memory:` or `sqlite:PATH` (absolute). `synchronous` concerns the latter.

    Raises `MewError` for any other URL, and what the journal raises when it is opened.
    """
    scheme, colon, path = url.partition(":")
    if (scheme, colon, path) == ("memory", ":", ""):
        return MemoryJournal()
    if scheme == "sqlite" and path:
        return SqliteJournal(path, synchronous=synchronous)
    raise MewError(f"No journal is called {url!r}: write memory: or sqlite:PATH.")
