"""The flows that a dialogue can be in: the current one of each name, and the versions that running ones keep."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cached_property

from mew_agents.language.found import Language

from .model import Flow

_SHOWN = 12  # hexadecimal digits of the hash in a version


class UnknownFlow(LookupError):
    """There is no flow of this name or version."""


class Library:
    """Flows by name and by version. `former`: versions that something still runs in, found by their version alone.

    Of two current flows of one name the later one counts; the loader refuses that within its files.
    """

    def __init__(self, flows: Iterable[Flow], *, former: Iterable[Flow] = ()) -> None:
        self._current = {flow.name: flow for flow in flows}
        self._versions = {flow.version: flow for flow in (*former, *self._current.values())}
        self.startable = tuple(flow for flow in self._current.values() if flow.triggers)

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The current ones, in the order they were given."""
        return tuple(self._current.values())

    @property
    def versions(self) -> Mapping[str, Flow]:
        """Every flow by its version, former ones first."""
        return self._versions

    @cached_property
    def document(self) -> str:
        """The versions of the current ones, as JSON."""
        return json.dumps([flow.version for flow in self._current.values()], separators=(",", ":"))

    @cached_property
    def version(self) -> str:
        """`*@hash12`: exactly these current ones, in this order. What is begun from now on is begun in them."""
        return f"*@{hashlib.sha256(self.document.encode()).hexdigest()[:_SHOWN]}"

    def current(self, name: str) -> Flow:
        """The current flow of a name. Raises UnknownFlow."""
        try:
            return self._current[name]
        except KeyError:
            raise UnknownFlow(name) from None

    def flow(self, version: str) -> Flow:
        """The flow of a version. Raises UnknownFlow."""
        try:
            return self._versions[version]
        except KeyError:
            raise UnknownFlow(version) from None

    def remembering(self, former: Iterable[Flow]) -> Library:
        """A library that knows these versions as well."""
        return Library(self._current.values(), former=(*self._versions.values(), *former))

    def title(self, name: str, language: Language) -> str:
        """What people call a flow; of a name that is not known any more, the name."""
        flow = self._current.get(name)
        if flow is None:
            return name
        return flow.title.get(language) or next(iter(flow.title.values()))
