"""Count of all objects that a running gateway holds: those left after all peers have gone are leaks."""

from __future__ import annotations

import asyncio
import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any

_OURS = ("mew_gateway.", "uvicorn.", "websockets.")


def census(gateway: Any) -> Counter[str]:
    """The lengths of all containers that can be reached from a gateway, by the path of attributes to them, and the
    process's descriptors, tasks and timers. What is equal in kind (all spaces, all seats) is counted together."""
    counts: Counter[str] = Counter()
    seen: set[int] = set()
    waiting: deque[tuple[str, Any]] = deque([("", gateway)])
    while waiting:
        path, one = waiting.popleft()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Mapping | list | tuple | set | frozenset | deque):
            if not isinstance(one, tuple | frozenset):
                counts[path] += len(one)
            parts = one.values() if isinstance(one, Mapping) else one
            waiting.extend((f"{path}[]", part) for part in list(parts))
        elif type(one).__module__.startswith(_OURS) and not isinstance(one, type):
            waiting.extend((f"{path}.{name}", part) for name, part in _attributes(one))
    counts["descriptors"] = len(os.listdir("/dev/fd"))
    counts["tasks"] = len(asyncio.all_tasks())
    return +counts


def _attributes(one: Any) -> Iterator[tuple[str, Any]]:
    names = dict.fromkeys(getattr(one, "__dict__", ()))
    for kind in type(one).__mro__:
        slots = vars(kind).get("__slots__", ())
        names |= dict.fromkeys(slots if isinstance(slots, tuple | list) else ())
    names |= dict.fromkeys(getattr(type(one), "__struct_fields__", ()))
    for name in names:
        if name.startswith("__") and not name.endswith("__"):
            continue
        try:
            yield name, getattr(one, name)
        except AttributeError:
            continue
