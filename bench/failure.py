"""Why there is no figure."""

from __future__ import annotations

PATIENCE = 60.0  # seconds for anything that must happen


class BenchFailure(Exception):
    """A measurement could not be made; the message is a sentence for the person who asked for it."""
