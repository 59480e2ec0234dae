"""The versions of flows in the database: a flow that was begun keeps the one it was begun with, for good.

So does the record: each event names the library that it happened with, which is stored as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Final

from sqlalchemy import Connection, select

from mew_agents.flows.definitions.library import Library, UnknownFlow
from mew_agents.flows.definitions.model import Flow, restore
from mew_agents.fluxi.tables import flow_versions

# Where a library stands among the flows: no flow can be called that.
_LIBRARY: Final = "*"


class Versions:
    """Every flow and every library that was ever stored in a database."""

    def __init__(self, connection: Connection) -> None:
        rows = connection.execute(select(flow_versions).order_by(flow_versions.c.registered_at)).all()
        self._documents = {row.version: row.document for row in rows if row.name != _LIBRARY}
        self._libraries = {row.version: row.document for row in rows if row.name == _LIBRARY}
        self._known: dict[str, Library] = {}

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """The flows by their versions."""
        return {version: restore(document) for version, document in self._documents.items()}

    @property
    def newest(self) -> Library:
        """The library that was used last; without flows, where there never was one."""
        return self.library(list(self._libraries)[-1]) if self._libraries else Library(())

    def library(self, version: str) -> Library:
        """A library with every version there is. Raises UnknownFlow."""
        if version not in self._libraries:
            raise UnknownFlow(version)
        if version not in self._known:
            current = [self.flows[one] for one in json.loads(self._libraries[version])]
            self._known[version] = Library(current, former=self.flows.values())
        return self._known[version]

    def has(self, version: str) -> bool:
        """Whether a flow or a library is stored."""
        return version in self._documents or version in self._libraries

    def besides(self, library: Library) -> list[Flow]:
        """The stored flows that are not current in a library."""
        current = {flow.version for flow in library.flows}
        return [restore(document) for version, document in self._documents.items() if version not in current]


def register(connection: Connection, library: Library, at: int) -> Library:
    """Stores the library and its flows, and gives one that knows every version that was ever stored as well."""
    known = Versions(connection)
    stored = [(flow.version, flow.name, flow.document) for flow in library.flows]
    for version, name, document in (*stored, (library.version, _LIBRARY, library.document)):
        if not known.has(version):
            row = {"version": version, "name": name, "document": document, "registered_at": at}
            connection.execute(flow_versions.insert(), row)
    # The one in use is the newest, also where it was there before.
    mine = (flow_versions.c.version == library.version) & (flow_versions.c.registered_at < at)
    connection.execute(flow_versions.update().where(mine).values(registered_at=at))
    return library.remembering(known.besides(library))
