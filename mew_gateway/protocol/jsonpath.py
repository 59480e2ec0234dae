"""JSONPath in capabilities: parsed by an RFC 9535 library, walked here, because the walk must be bounded."""

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
Spend: TypeAlias = Callable[[], bool]


def compile_path(source: str, path: str) -> Query:
    """The segments of a query without filters and with at most one `..` (docs/protocol.md §3)."""
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


def search(query: Query, value: Any, spend: Spend) -> Iterator[Any]:
    """The values a query selects, in order. `spend` is asked before each visit; its False ends the search."""
    if not spend():
        return
    if not query:
        yield value
        return
    segment, rest = query[0], query[1:]
    nodes = _descend(value, spend) if isinstance(segment, JSONPathRecursiveDescentSegment) else (value,)
    for node in nodes:
        for selector in segment.selectors:
            for child in _select(selector, node):
                yield from search(rest, child, spend)


def _descend(value: Any, spend: Spend) -> Iterator[Any]:
    pending = [value]
    while pending:
        node = pending.pop()
        if not spend():
            return
        yield node
        children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        pending.extend(reversed([child for child in children if isinstance(child, dict | list)]))


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
                yield from node[selector.slice]
        elif isinstance(selector, WildcardSelector):
            yield from node
