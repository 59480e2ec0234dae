"""A parsed file: plain values, and the position of each key and value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .problems import Fault, KeyPath


class Mark(NamedTuple):
    """A position in the file. Both count from 1; columns are characters."""

    line: int
    column: int


class Node(NamedTuple):
    """A value of the document, with its path."""

    path: KeyPath
    value: Any

    def children(self) -> Iterator[Node]:
        """Yield the values of a mapping or list; nothing for a scalar."""
        pairs: Iterable[tuple[str | int, Any]] = ()
        if isinstance(self.value, dict):
            pairs = self.value.items()
        elif isinstance(self.value, list):
            pairs = enumerate(self.value)
        for key, value in pairs:
            yield Node((*self.path, key), value)

    def get(self, key: str) -> Any:
        """Return the value of a key; None if there is no such key, or this is not a mapping."""
        return self.value.get(key) if isinstance(self.value, dict) else None

    def find(self, *names: str) -> list[Node]:
        """Return the nodes at a path below this one; `*` matches every key or element."""
        found = [self]
        for name in names:
            found = [child for node in found for child in node.children() if name in ("*", child.path[-1])]
        return found


class Document:
    """Result of `compose`: `root`, positions of keys and values, faults, and the paths whose value is unknown."""

    def __init__(self) -> None:
        self.root: Any = None
        self.keys: dict[KeyPath, Mark] = {}
        self.values: dict[KeyPath, Mark] = {}
        self.placed: list[tuple[Mark, Fault]] = []
        self.unknown: set[KeyPath] = set()
        self.complete = True

    def mark(self, fault: Fault) -> Mark:
        """Return the position of a fault: of its key or value, or of the parent of a missing key."""
        path = fault.path
        if fault.at_key and path in self.keys:
            return self.keys[path]
        if path in self.values:
            return self.values[path]
        while path and path not in self.keys and path not in self.values:
            path = path[:-1]
        return self.keys.get(path) or self.values.get(path) or Mark(1, 1)
