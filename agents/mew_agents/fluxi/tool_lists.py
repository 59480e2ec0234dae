"""Reads the lists that tools answer for slots; of what is none, somebody is told, once a tool."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from mew_agents.fluxi.outcomes import names_in

log = logging.getLogger(__name__)


class ToolLists:
    """What tools answer that slots are matched against (`type: ref`, `tool:`): id → names, without arguments."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def read(self, tool: str, content: object) -> Mapping[str, Sequence[str]] | None:
        """The list in a structured answer, if there is one."""
        names = names_in(content)
        if names is None:
            self.missing(tool, "its structured answer has none")
        return names

    def missing(self, tool: str, why: str) -> None:
        """A tool that is there gives no list."""
        if tool not in self._told:
            self._told.add(tool)
            log.warning("no list {list: {id: [names]}} from %s, and slots match nothing of it: %s", tool, why)
