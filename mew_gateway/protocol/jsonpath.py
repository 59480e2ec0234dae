"""JSONPath in capabilities: parsed by an RFC 9535 library, evaluated here, because evaluation must be bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import jsonpath_rfc9535
from jsonpath_rfc9535.segments import JSONPathRecursiveDescentSegment, JSONPathSegment
from jsonpath_rfc9535.selectors import (
    FilterSelector,
    IndexSelector,
    JSONPathSelector,
    NameSelector,
    SliceSelector,
    WildcardSelector,
)

from mew_gateway.errors import Rejected

Query: TypeAlias = tuple[JSONPathSegment, ...]
Visit: TypeAlias = Callable[[int], bool]

_SELECTION = 4  # comparisons that asking one selector is worth


def compile_path(source: str, path: str) -> Query:
    """Return the segments of a query without filters and with at most one `..` (docs/protocol.md §3)."""
    try:
        segments = tuple(jsonpath_rfc9535.compile(source).segments)
    except (jsonpath_rfc9535.JSONPathError, RecursionError, ValueError) as error:
        raise _invalid(path, f"{source!r} is not an RFC 9535 JSONPath: {error}") from None
    if any(isinstance(selector, FilterSelector) for segment in segments for selector in segment.selectors):
        raise _invalid(path, "filters are not allowed in a capability")
    if sum(isinstance(segment, JSONPathRecursiveDescentSegment) for segment in segments) > 1:
        raise _invalid(path, "at most one `..` is allowed in a capability")
    return segments


def _invalid(path: str, why: str) -> Rejected:
    return Rejected("invalid_capability", f"{path}: {why}", path=path)


def search(query: Query, value: Any, visit: Visit, comparisons: int, at: int = 0) -> Iterator[Any]:
    """Yield the values that a query selects, from its segment `at` on, in order.

    `visit` is called before each visit with the number of comparisons it takes; if it returns False, the search ends.
    Each selected value takes `comparisons`.
    """
    is_end = at == len(query)
    if not visit(comparisons if is_end else _SELECTION * len(query[at].selectors)):
        return
    if is_end:
        yield value
        return
    segment = query[at]
    nodes = _descend(value, segment, visit) if isinstance(segment, JSONPathRecursiveDescentSegment) else (value,)
    for node in nodes:
        for selector in segment.selectors:
            for child in _select(selector, node):
                yield from search(query, child, visit, comparisons, at + 1)


def _descend(value: Any, segment: JSONPathSegment, visit: Visit) -> Iterator[Any]:
    """Yield a value and, at any depth, the containers inside it. Each is visited."""
    if not visit(_comparisons(value, segment)):
        return
    yield value
    pending = [iter(_inside(value))]
    while pending:
        for child in pending[-1]:
            if isinstance(child, dict | list):
                if not visit(_comparisons(child, segment)):
                    return
                yield child
                pending.append(iter(_inside(child)))
                break
        else:
            pending.pop()


def _comparisons(value: Any, segment: JSONPathSegment) -> int:
    """Return the comparisons that it takes to scan a value and to select from it."""
    return _SELECTION * len(segment.selectors) + (len(value) if isinstance(value, dict | list) else 0)


def _inside(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _select(selector: JSONPathSelector, node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        if isinstance(selector, NameSelector):
            if selector.name in node:
                yield node[selector.name]
        elif isinstance(selector, WildcardSelector):
            yield from node.values()
    elif isinstance(node, list):
        if isinstance(selector, IndexSelector):
            if -len(node) <= selector.index < len(node):
                yield node[selector.index]
        elif isinstance(selector, SliceSelector):
            if selector.slice.step != 0:
                # One by one: a copy of the slice would be made before any of it is counted.
                yield from (node[index] for index in range(*selector.slice.indices(len(node))))
        elif isinstance(selector, WildcardSelector):
            yield from node
