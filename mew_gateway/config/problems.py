"""The error that carries everything wrong with a configuration file."""

from __future__ import annotations

from mew_gateway.documents.problems import DocumentError


class ConfigError(DocumentError):
    """A configuration that cannot be used: `problems` in the order of the file, one a line in `str()`."""
