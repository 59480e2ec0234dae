"""The definitions that Fluxi works with: the current one of each type, and every version that a Work still keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from sqlalchemy import Connection, select, update

from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.version import canonical, restore, version_id
from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.tables import work_definitions


@lru_cache(maxsize=1024)
def manner(policy_without_now: tuple[object, ...]) -> str:
    """How somebody is spoken to, as JSON: a PolicyContext without its time."""
    names = ("language", "timezone", "tone", "formality", "emojis", "rules", "mode")
    return written(dict(zip(names, policy_without_now, strict=True)))


class UnknownDefinition(LookupError):
    """There is no definition of this type or version."""


class Catalogue:
    """Definitions by type and by version id. A version never changes (docs/fluxi.md §6).

    `lists` holds what tools answered for slots that name one: tool → id → names.
    """

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self._current = {definition.type_id: definition for definition in definitions}
        self._ids = {type_id: version_id(definition) for type_id, definition in self._current.items()}
        self._versions = {self._ids[type_id]: definition for type_id, definition in self._current.items()}
        self.lists: dict[str, Mapping[str, Sequence[str]]] = {}
        self._wanted: tuple[str, ...] = ()

    def of_account(self, account_id: str) -> list[Definition]:
        """The current definitions that an account may use, in the order they were given."""
        return [one for one in self._current.values() if one.policies.allows(account_id)]

    def current(self, type_id: str) -> Definition | None:
        """The current definition of a type."""
        return self._current.get(type_id)

    def current_id(self, type_id: str) -> str:
        """The version id of the current definition of a type, "" if there is none."""
        return self._ids.get(type_id, "")

    def version(self, version: str) -> Definition:
        """A version. Raises UnknownDefinition for one that was never registered here."""
        try:
            return self._versions[version]
        except KeyError:
            raise UnknownDefinition(version) from None

    def known(self, connection: Connection, version: str) -> Definition:
        """A version, also one that another process has registered since."""
        if version not in self._versions:
            self.learn(connection)
        return self.version(version)

    def tools(self) -> tuple[str, ...]:
        """The tools whose lists slots are matched against."""
        slots = (slot for one in self._versions.values() for slot in one.slots)
        own = (tool for slot in slots if (tool := getattr(slot, "tool", None)))
        return tuple(dict.fromkeys((*own, *self._wanted)))

    def want(self, tools: Iterable[str]) -> None:
        """Somebody else on the same database matches against the lists of these tools."""
        self._wanted = tuple(tools)

    def version_of(self, definition: Definition) -> str:
        """The version id of a definition, which is hashed once if it is a current one."""
        current = self._current.get(definition.type_id)
        return self._ids[definition.type_id] if current is definition else version_id(definition)

    def manner(self, policy: PolicyContext) -> str:
        """How somebody is spoken to, as JSON, for what is said later."""
        return manner(
            (policy.language, policy.timezone, policy.tone, policy.formality, policy.emojis, policy.rules, policy.mode)
        )

    def learn(self, connection: Connection) -> None:
        """Learns every version that was ever stored."""
        for row in connection.execute(select(work_definitions)).all():
            self._versions.setdefault(row.version_id, restore(row.document))

    def register(self, connection: Connection, at: int) -> None:
        """Stores the current definitions, and learns every version that was ever stored."""
        self.learn(connection)
        known = set(connection.execute(select(work_definitions.c.version_id)).scalars())
        for type_id, definition in self._current.items():
            version = self._ids[type_id]
            others = (work_definitions.c.type_id == type_id) & (work_definitions.c.version_id != version)
            connection.execute(update(work_definitions).where(others).values(is_current=0))
            if version in known:
                mine = work_definitions.c.version_id == version
                connection.execute(update(work_definitions).where(mine).values(is_current=1))
                continue
            row = {"version_id": version, "type_id": type_id, "document": canonical(definition)}
            connection.execute(work_definitions.insert(), {**row, "is_current": 1, "registered_at": at})
