"""Configuration: spaces.yaml to validated settings, or every fault in it with line, column and a suggestion."""

from mew_gateway.documents.problems import Fault, Problem

from .configuration import (
    Configuration,
    GatewayLimits,
    GatewaySettings,
    Hosted,
    JournalSettings,
    Restart,
    Space,
    TlsFiles,
)
from .loading import load, parse, place, schema
from .problems import ConfigError

__all__ = [
    "ConfigError",
    "Configuration",
    "Fault",
    "GatewayLimits",
    "GatewaySettings",
    "Hosted",
    "JournalSettings",
    "Problem",
    "Restart",
    "Space",
    "TlsFiles",
    "load",
    "parse",
    "place",
    "schema",
]
