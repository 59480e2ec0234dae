"""A mapping of a flow file with fixed keys, written as they are named here."""

from __future__ import annotations

from pydantic import ConfigDict

from mew_agents.fluxi.definitions.section import Section, duration, key

__all__ = ["CLOSED", "FlowSection", "duration", "key"]

# Of a mapping by names: what is no name is refused by the schema as it is by the loader.
CLOSED = {"additionalProperties": False}


class FlowSection(Section):
    """An unknown key is refused, and nothing is converted silently. Keys are in snake case."""

    model_config = ConfigDict(alias_generator=None)
