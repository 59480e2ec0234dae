"""Configuration: turns spaces.yaml into validated settings, or reports every fault with line, column and suggestion.


1. `loading` reads the file (`mew_gateway.documents`) into a document with positions.
2. `models` and `fields` validate keys and single values; the JSON Schema is generated from them. Keys that are settings
   of the running gateway are declared in `space.settings` and `configuration`, and derived by `stated`. `single` has
   the models of upstream's form, with one space in a file.
3. `cross_checks` finds faults between keys. `capability_checks`, `safety_checks` and `bound_checks` find settings that
   are valid but unsafe: warnings of `mew check`.
4. `build` makes the `configuration`: roles expanded, paths absolute, durations in milliseconds.

All faults of a file are reported at once. Nothing outside this package reads the models.
"""

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
from .loading import ConfigError, load, parse, place, schema

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
