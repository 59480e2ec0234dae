"""Shares of a bounded memory from which nothing can be evicted: each holder leaves the others as much as it has.

What a participant was given is in force until it is taken back, so a full memory has to refuse. Whoever may not take
more than is left has half of it at most; the next holder has half of the rest, and so on. The memory is never full, and
nobody needs a quota that would be small for one or large for a thousand (docs/decisions/0065).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode


def given_size(sources: Iterable[dict[str, Any]]) -> int:
    """Return what capabilities count towards `given_bytes`: their JSON, each with a comma."""
    return sum(len(_encode(source)) + 1 for source in sources)


class Shares:
    """Bytes by the participant they are for (`key`), and by the holder to whom they are charged."""

    def __init__(self) -> None:
        self.total = 0
        self._of: dict[str, dict[str, int]] = {}  # by key: the bytes of each holder
        self._held: dict[str, int] = {}  # by holder

    def add(self, key: str, holder: str, size: int) -> None:
        """Charge a holder for so many bytes more of a key; a negative `size` takes them back."""
        self.total += size
        _add(self._held, holder, size)
        _add(self._of.setdefault(key, {}), holder, size)
        if not self._of[key]:
            del self._of[key]

    def drop(self, key: str) -> None:
        """Take back all bytes of a key."""
        for holder, size in list(self._of.get(key, {}).items()):
            self.add(key, holder, -size)

    def of(self, key: str) -> int:
        """Return the bytes of a key."""
        return sum(self._of.get(key, {}).values())

    def held_by(self, holder: str) -> int:
        """Return the bytes that are charged to a holder."""
        return self._held.get(holder, 0)

    def with_more(self, holder: str, size: int, *, instead_of: str | None = None) -> tuple[int, int]:
        """Return what the holder and what all together would have with more, without the bytes of a key."""
        replaced = {} if instead_of is None else self._of.get(instead_of, {})
        own = self._held.get(holder, 0) + size - replaced.get(holder, 0)
        return own, self.total + size - sum(replaced.values())


def _add(sizes: dict[str, int], name: str, size: int) -> None:
    sizes[name] = sizes.get(name, 0) + size
    if not sizes[name]:
        del sizes[name]
