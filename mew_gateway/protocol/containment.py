"""Containment of capabilities: whether whatever one lets through, another lets through too (docs/protocol.md §3).

Only what can be shown is said: a `False` means *not shown*. Searches (key globs, `**`, JSONPath) visit a bounded number
of nodes, so that a pattern may only be contained in one that never visits more than itself.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

from .budget import Budget
from .capabilities import Capability
from .patterns import compile_text, is_glob, is_literal, is_search, literal_start, searches
from .reasons import EMERGENCY, INTERRUPT

_matcher = lru_cache(maxsize=1_024)(compile_text)  # a granter's own patterns are asked again and again


def covers(outer: Capability, inner: Capability, budget: Budget | None = None) -> bool:
    """Whether it can be shown that everything `inner` lets through, `outer` lets through. In doubt: no.

    Where lists meet lists it takes as many comparisons as both have members, multiplied. They are paid for from the
    `budget`, if there is one, before any is made, and so is matching a text. Raises `Spent`.
    """
    if _is_same(outer.source, inner.source):
        return True
    budget = budget or Budget(sys.maxsize)
    budget.compare(outer.size * inner.size)
    if _may_be_emergency(inner) and outer.literal_kind != INTERRUPT:
        return False
    theirs, ours = outer.source, inner.source
    if not _all_inside(theirs["kind"], ours["kind"], budget, kind=True):
        return False
    if "to" in theirs and not ("to" in ours and _all_inside(theirs["to"], ours["to"], budget, kind=False)):
        return False
    return "payload" not in theirs or _value_inside(theirs["payload"], ours.get("payload", {}), budget)


def _may_be_emergency(capability: Capability) -> bool:
    """Whether it may let an emergency through, which no wildcard covers (docs/protocol.md §3)."""
    if capability.literal_kind != INTERRUPT:
        return False
    classes = capability.source.get("payload", {}).get("class")
    options = classes if isinstance(classes, list) else [classes]
    return not all(isinstance(one, str) and is_literal(one) and one != EMERGENCY for one in options)


def _all_inside(outer: Any, inner: Any, budget: Budget, *, kind: bool) -> bool:
    """Strings or lists of them, as `kind` and `to` take: each of the inner ones is inside some outer one."""
    wider, narrower = _options(outer), _options(inner)
    return all(any(_string_inside(one, other, budget, kind=kind) for one in wider) for other in narrower)


def _options(pattern: Any) -> list[Any]:
    return pattern if isinstance(pattern, list) else [pattern]


def _string_inside(outer: str, inner: str, budget: Budget, *, kind: bool = False) -> bool:
    if outer in ("*", inner):
        return True
    if is_literal(inner):
        return not is_literal(outer) and _matcher(outer, "", kind=kind)(inner, budget)
    # `*` alone matches any string, a `.` or `..` segment too: no glob contains it.
    return is_glob(outer) and is_glob(inner) and inner != "*" and _glob_inside(outer, inner, kind=kind)


def _glob_inside(outer: str, inner: str, *, kind: bool) -> bool:
    """A glob inside `P**`, `P*` or, in `kind`, `P/*`, where P has no wildcard and the glob begins with it."""
    prefix = literal_start(outer)
    if not literal_start(inner).startswith(prefix) or any(part.startswith(".") for part in inner.split("/")):
        return False
    tail, rest = outer[len(prefix) :], inner[len(prefix) :]
    if tail == "**":
        return True
    if tail != "*":
        return False
    if kind and prefix.endswith("/"):
        # Everything below, but not `P/` itself: something must follow.
        return rest.strip("*") != ""
    return "/" not in rest and "**" not in rest and "?" not in rest  # `?` is a `/` too


def _value_inside(outer: Any, inner: Any, budget: Budget) -> bool:
    """Payload patterns. Whatever matches the inner one matches the outer one, and visits no more nodes there."""
    if _is_same(outer, inner):
        return True
    if isinstance(inner, list):
        return all(_value_inside(outer, option, budget) for option in inner)
    if isinstance(outer, list):
        return _option_inside(outer, inner, budget)
    if isinstance(outer, dict):
        return isinstance(inner, dict) and all(
            key in inner and _member_inside(key, wanted, inner[key], budget) for key, wanted in outer.items()
        )
    return isinstance(outer, str) and isinstance(inner, str) and _string_inside(outer, inner, budget)


def _option_inside(outer: list[Any], inner: Any, budget: Budget) -> bool:
    for option in outer:
        if _value_inside(option, inner, budget):
            return True
        if searches(option):  # it is asked first, and may spend what the next would need
            return False
    return False


def _member_inside(key: str, outer: Any, inner: Any, budget: Budget) -> bool:
    """The patterns of one key. A search asks many values: then the outer pattern must not search in its turn."""
    if not is_search(key) or _is_same(outer, inner):
        return _value_inside(outer, inner, budget)
    if key == "**" and (_negates(outer) or _negates(inner)):
        return False  # `!p` there is about every string, and a list of such is asked one by one
    return not searches(outer) and _value_inside(outer, inner, budget)


def _negates(pattern: Any) -> bool:
    """Whether `{"**": pattern}` is more than *some value matches*."""
    options = _options(pattern)
    return any(isinstance(one, list) or (isinstance(one, str) and one.startswith("!")) for one in options)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two patterns are equal, in type and in order too: in a search, the order of keys decides the visits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, bool | None) or isinstance(other, bool | None):
        return one is other
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    return isinstance(one, int | float) and isinstance(other, int | float) and one == other
