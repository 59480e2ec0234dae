"""Containment: show that one capability lets through everything that another does (docs/protocol.md §3).

A grant is allowed only if a capability of the granter contains it. Deciding that in general is not possible within a
bound, so only the provable cases count: False means *not shown*.

- A literal is contained in any pattern that matches it.
- A glob is contained in a glob with a shorter literal start, for the endings in `_glob_inside`.
- An object is contained if each key of the outer one is in the inner one, with a contained pattern.
- A list is contained if each of its options is.

Searches (key globs, `**`, JSONPath) visit a bounded number of nodes and then do not match. So a pattern is contained
only in one that never visits more nodes than itself; else the outer one could fail where the inner one matches.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

from .budget import Budget
from .capabilities import Capability
from .patterns import compile_text, has_search, is_glob, is_literal, is_search, literal_start
from .reasons import EMERGENCY, INTERRUPT

_matcher = lru_cache(maxsize=1_024)(compile_text)  # the patterns of a granter are compared repeatedly


def contains(outer: Capability, inner: Capability, budget: Budget | None = None) -> bool:
    """Return true if it can be shown that `outer` lets through everything that `inner` lets through.

    To see if they are equal takes as many comparisons as the smaller one has patterns. Lists take as many as the
    product of their lengths. They are taken from the `budget`, if there is one, before any is made; so are the steps of
    matching a text. Raises `BudgetExceeded`.
    """
    budget = budget or Budget(sys.maxsize)
    budget.compare(min(outer.size, inner.size))
    if _is_same(outer.source, inner.source):
        return True
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
    """Return true if it may let an emergency through, which no wildcard covers (docs/protocol.md §3)."""
    if capability.literal_kind != INTERRUPT:
        return False
    classes = capability.source.get("payload", {}).get("class")
    options = classes if isinstance(classes, list) else [classes]
    return not all(isinstance(one, str) and is_literal(one) and one != EMERGENCY for one in options)


def _all_inside(outer: Any, inner: Any, budget: Budget, *, kind: bool) -> bool:
    """Compare strings or lists of them (`kind`, `to`): true if each inner one is inside some outer one."""
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
    """Return true if a glob is inside `P**`, `P*` or, in `kind`, `P/*`.

    P is literal, and the glob begins with it.
    """
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
    """Compare payload patterns: true if what matches the inner one matches the outer one, and visits no more nodes."""
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
        if has_search(option):  # it is matched first, and may visit the nodes that the next option needs
            return False
    return False


def _member_inside(key: str, outer: Any, inner: Any, budget: Budget) -> bool:
    """Compare the patterns of one key. A search matches many values: then the outer pattern must not search itself."""
    if not is_search(key) or _is_same(outer, inner):
        return _value_inside(outer, inner, budget)
    if key == "**" and (_negates(outer) or _negates(inner)):
        return False  # `!p` there concerns every string, and a list of these has one search for each option
    return not has_search(outer) and _value_inside(outer, inner, budget)


def _negates(pattern: Any) -> bool:
    """Return true if `{"**": pattern}` means more than *some value matches*."""
    options = _options(pattern)
    return any(isinstance(one, list) or (isinstance(one, str) and one.startswith("!")) for one in options)


def _is_same(one: Any, other: Any) -> bool:
    """Return true if two patterns are equal, also in type and order: the order of keys decides what a search visits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, bool | None) or isinstance(other, bool | None):
        return one is other
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    return isinstance(one, int | float) and isinstance(other, int | float) and one == other
