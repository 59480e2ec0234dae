"""Compile and match the patterns of capabilities (docs/protocol.md §3): fail-closed, in bounded time.

String patterns: a literal; a glob (`*` within a segment, `**` across segments, `?` one character); `/re/`, an RE2
expression; `!p`, its negation. Value patterns: a string pattern; a scalar; a list (one option matches); an object
(every key matches). A key may choose values by a search: a glob over keys, `**` (any depth), or a JSONPath.

Every pattern becomes a closure over its compiled parts, called with the value and the `Budget`. Bounded are: the length
and depth of a pattern, the memory of a compiled expression (`_OPTIONS`), the steps of matching, and the nodes of a
search. Where a bound is passed there is no match. Negation turns that around, so a pattern after `!` must match in
doubt (`forbids`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

import re2

from mew_gateway.errors import Rejected

from .budget import COMPARISON, EXPRESSION, Budget, Cost

MAX_PATTERN = 1_000  # characters of a string pattern, and of a path
MAX_DEPTH = 32  # levels of a payload pattern

# Steps of compiling, at worst: any string, an expression that repeats up to its bound, each of its Unicode classes, and
# a glob.
_COMPILED_STRING = 300
_COMPILED_EXPRESSION = 240_000
_COMPILED_CLASS = 40_000
_COMPILED_GLOB = 2_000
_COMPILED_CHARACTER = 300

Matcher: TypeAlias = Callable[[Any, Budget], bool]
StringMatcher: TypeAlias = Callable[[str], bool]
_Costed: TypeAlias = tuple[StringMatcher, Cost]
_NO_COST = Cost(0)

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.never_capture = True  # groups are not used, and capturing takes 200 times as long
_OPTIONS.max_mem = 1 << 18  # bounds compiling an expression, apart from its Unicode classes, to about 2 ms

_WILDCARD = re.compile(r"[*?]")
_CLASS = re.compile(r"\\[pP]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def invalid(path: str, why: str) -> Rejected:
    """Return the rejection of a pattern that does not compile."""
    return Rejected("invalid_capability", f"{path}: {why}", path=path)


def is_literal(pattern: str) -> bool:
    """Return true if a string pattern matches only itself."""
    return not (pattern.startswith("!") or _is_regex(pattern) or _WILDCARD.search(pattern))


def is_glob(pattern: str) -> bool:
    """Return true if a string pattern has wildcards; `*` alone counts."""
    return not pattern.startswith("!") and not _is_regex(pattern) and _WILDCARD.search(pattern) is not None


def literal_start(pattern: str) -> str:
    """Return the part of a glob before its first wildcard."""
    found = _WILDCARD.search(pattern)
    return pattern[: found.start()] if found else pattern


def is_search(key: str) -> bool:
    """Return true if the key of an object pattern searches for values instead of naming one."""
    return key.startswith("$") or _WILDCARD.search(key) is not None


def has_search(pattern: Any) -> bool:
    """Return true if matching the pattern visits nodes that its `Budget` counts."""
    if isinstance(pattern, list):
        return any(has_search(item) for item in pattern)
    return isinstance(pattern, dict) and any(is_search(key) or has_search(item) for key, item in pattern.items())


class Weight(NamedTuple):
    """What a pattern takes to compile.

    `expressions` are the regular expressions and JSONPaths in it, `globs` the patterns with wildcards, keys included;
    `steps` is the greatest number of steps that compiling all of it takes.
    """

    expressions: int
    globs: int
    steps: int


def weigh(pattern: Any) -> Weight:
    """Return what a pattern, or a list of capabilities, takes to compile."""
    expressions = globs = steps = 0
    for text, is_key in _strings(pattern):
        steps += _COMPILED_STRING
        if text.isidentifier():
            continue
        if _is_expression(text, is_key):
            expressions += 1
            steps += _COMPILED_EXPRESSION + _COMPILED_CLASS * len(_CLASS.findall(text))
        elif is_glob(text.lstrip("!")):
            globs += 1
            steps += _COMPILED_GLOB + _COMPILED_CHARACTER * len(text)
    return Weight(expressions, globs, steps)


def _is_expression(text: str, is_key: bool) -> bool:
    return (is_key and text.startswith("$")) or _is_regex(text.lstrip("!"))


def _strings(pattern: Any, *, is_key: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield every string in a pattern, with True for a key."""
    if isinstance(pattern, str):
        yield pattern, is_key
    elif isinstance(pattern, list):
        for item in pattern:
            yield from _strings(item)
    elif isinstance(pattern, dict):
        for key, item in pattern.items():
            yield from _strings(key, is_key=True)
            yield from _strings(item)


def count_patterns(pattern: Any) -> int:
    """Return the number of patterns in a pattern: the most comparisons that it takes, except in its searches."""
    inside = pattern.values() if isinstance(pattern, dict) else pattern if isinstance(pattern, list) else ()
    return 1 + sum(map(count_patterns, inside))


def compile_string(pattern: str, path: str, *, kind: bool = False) -> StringMatcher:
    """Compile a string pattern: literal, glob, `!p` or `/re/`. `kind`: a trailing `/*` means everything below."""
    return _compile_costed(pattern, path, kind=kind)[0]


def _compile_costed(pattern: str, path: str, *, kind: bool = False, forbids: bool = False) -> _Costed:
    """Compile a string pattern, and return its cost too.

    `forbids`: a match refuses (the pattern is after a `!`), so that in doubt it must match.
    """
    if len(pattern) > MAX_PATTERN:
        raise invalid(path, f"a pattern has at most {MAX_PATTERN} characters")
    if _SURROGATE.search(pattern):
        raise invalid(path, "half of a surrogate pair is no character")
    if pattern.startswith("!"):
        if len(pattern) == 1:
            raise invalid(path, "`!` needs a pattern behind it")
        unwanted, cost = _compile_costed(pattern[1:], path, kind=kind, forbids=not forbids)
        return lambda value: not unwanted(value), Cost(cost.steps)
    if _is_regex(pattern):
        return _compile_regex(pattern[1:-1], path)
    if not _WILDCARD.search(pattern):
        return lambda value: value == pattern, _NO_COST
    if pattern == "*":
        return lambda _: True, _NO_COST
    return _compile_glob(pattern, kind=kind, forbids=forbids)


def _is_regex(pattern: str) -> bool:
    return len(pattern) > 2 and pattern[0] == pattern[-1] == "/"


def _compile_regex(source: str, path: str) -> _Costed:
    try:
        expression = re2.compile(source, _OPTIONS)
    except re2.error as error:
        why = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise invalid(path, f"/{source}/ is not an RE2 expression: {why}") from None
    return lambda value: expression.search(value) is not None, Cost(expression.programsize)


def _compile_glob(pattern: str, *, kind: bool, forbids: bool) -> _Costed:
    body, below = (pattern[:-1], True) if kind and pattern.endswith("/*") else (pattern, False)
    parts = re.split(r"(\*\*+|\*|\?)", body)
    translate = {"*": "[^/]*", "?": "(?s:.)"}
    source = "".join(
        "(?s:.*)" if part.startswith("**") else translate.get(part) or re2.escape(part) for part in parts if part
    )
    expression = re2.compile(source + ("(?s:.+)" if below else ""), _OPTIONS)
    start = literal_start(pattern)
    literal = len(start.rpartition("/")[0])

    def matches(value: str) -> bool:
        if not value.startswith(start):
            return False
        # A wildcard never permits a `.` or `..` segment: only the literal start may hold one.
        if not forbids and "." in value and _has_dot_segment(value[literal:]):
            return False
        return expression.fullmatch(value) is not None

    return matches, Cost(expression.programsize, start)


def _has_dot_segment(value: str) -> bool:
    return any(segment in (".", "..") for segment in value.split("/"))


def compile_strings(pattern: Any, path: str, *, kind: bool = False) -> tuple[Matcher, tuple[Cost, ...]]:
    """Compile a string pattern or a list of them (`kind`, `to`).

    Return the matcher and the costs of the expressions.
    """
    if isinstance(pattern, str):
        matcher, cost = _compile_text(pattern, path, kind=kind)
        return matcher, (cost,) if cost.steps else ()
    if not isinstance(pattern, list) or not pattern:
        raise invalid(path, "expected a string or a non-empty list of strings")
    options, costs = [], []
    literals = set()
    for i, item in enumerate(pattern):
        if not isinstance(item, str):
            raise invalid(f"{path}[{i}]", "expected a string")
        matcher, cost = _compile_text(item, f"{path}[{i}]", kind=kind)
        if is_literal(item):
            literals.add(item)  # one lookup, however many they are
            continue
        options.append(matcher)
        costs.append(cost)
    work = COMPARISON * (1 + len(options))
    return (
        lambda value, budget: (
            budget.take(work) and (value in literals or any(matches(value, budget) for matches in options))
        ),
        tuple(cost for cost in costs if cost.steps),
    )


def compile_text(pattern: str, path: str, *, kind: bool = False) -> Matcher:
    """Compile a string pattern for any JSON value. Matching takes steps of the budget."""
    return _compile_text(pattern, path, kind=kind)[0]


def _compile_text(pattern: str, path: str, *, kind: bool) -> tuple[Matcher, Cost]:
    matches, cost = _compile_costed(pattern, path, kind=kind)
    if is_literal(pattern):
        return lambda value, _: bool(value == pattern), cost
    if cost == _NO_COST:
        return lambda value, _: isinstance(value, str) and matches(value), cost
    steps, start = cost
    return (
        lambda value, budget: (
            isinstance(value, str)
            and value.startswith(start)
            and budget.take(EXPRESSION + steps * len(value))
            and matches(value)
        ),
        cost,
    )


def compile_value(pattern: Any, path: str, depth: int = 0) -> Matcher:
    """Compile a pattern for any JSON value. Raises `Rejected` `invalid_capability` with the pattern's path."""
    if depth > MAX_DEPTH:
        raise invalid(path, f"a pattern has at most {MAX_DEPTH} levels")
    if isinstance(pattern, str):
        return compile_text(pattern, path)
    if isinstance(pattern, list):
        if not pattern:
            raise invalid(path, "an empty list matches nothing")
        options = [compile_value(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(pattern)]
        return lambda value, budget: any(option(value, budget) for option in options)
    if isinstance(pattern, dict):
        return _compile_object(pattern, path, depth)
    if pattern is None or isinstance(pattern, bool | int | float):
        return _compile_scalar(pattern)
    raise invalid(path, f"a {type(pattern).__name__} is not a pattern")


def _compile_scalar(pattern: bool | int | float | None) -> Matcher:
    if pattern is None or isinstance(pattern, bool):
        return lambda value, _: value is pattern
    return lambda value, _: isinstance(value, int | float) and not isinstance(value, bool) and value == pattern


def _compile_object(pattern: dict[Any, Any], path: str, depth: int) -> Matcher:
    tests = []
    for key, wanted in pattern.items():
        if not isinstance(key, str):
            raise invalid(path, f"the key {key!r} is not a string")
        tests.append(_compile_member(key, wanted, f"{path}.{key}", depth + 1))
    if len(tests) == 1:  # the usual case
        (only,) = tests
        return lambda value, budget: isinstance(value, dict) and only(value, budget)

    def matches(value: Any, budget: Budget) -> bool:
        if not isinstance(value, dict):
            return False
        for test in tests:  # a generator would cost as much as the tests
            if not test(value, budget):
                return False
        return True

    return matches


def _compile_member(key: str, wanted: Any, path: str, depth: int) -> Matcher:
    """Compile one member of an object pattern: how its key chooses values, and what one of them must match."""
    if key == "**":
        return _compile_anywhere(wanted, path, depth)
    matches, comparisons = compile_value(wanted, path, depth), count_patterns(wanted)
    if key.startswith("$"):
        if len(key) > MAX_PATTERN:
            raise invalid(path, f"a path has at most {MAX_PATTERN} characters")
        jsonpath = import_module("mew_gateway.protocol.jsonpath")  # imported when used: its library takes 70 ms
        query, search = jsonpath.compile_path(key, path), jsonpath.search
        return lambda value, budget: any(
            matches(found, budget) for found in search(query, value, budget.visit, comparisons)
        )
    if is_search(key):
        chosen = compile_text(key, path)
        return lambda value, budget: any(
            budget.visit(comparisons) and chosen(name, budget) and matches(item, budget) for name, item in value.items()
        )
    return lambda value, budget: key in value and matches(value[key], budget)


def _compile_anywhere(wanted: Any, path: str, depth: int) -> Matcher:
    """Compile `{"**": p}`: some value at any depth matches. `!p` has another meaning, in a list too."""
    if _is_negation(wanted):
        return _compile_nowhere(wanted, path)
    if isinstance(wanted, list) and any(isinstance(item, list) or _is_negation(item) for item in wanted):
        if depth > MAX_DEPTH:
            raise invalid(path, f"a pattern has at most {MAX_DEPTH} levels")
        options = [_compile_anywhere(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(wanted)]
        return lambda value, budget: any(option(value, budget) for option in options)
    matches, comparisons = compile_value(wanted, path, depth), count_patterns(wanted)
    return lambda value, budget: any(matches(found, budget) for found in _below(value, budget, comparisons))


def _is_negation(pattern: Any) -> bool:
    return isinstance(pattern, str) and pattern.startswith("!")


def _compile_nowhere(wanted: str, path: str) -> Matcher:
    """Compile `{"**": "!p"}`: some string exists, and none at any depth matches p."""
    allowed = compile_text(wanted, path)

    def matches(value: Any, budget: Budget) -> bool:
        strings = [found for found in _below(value, budget, 1) if isinstance(found, str)]
        # A search that was cut short proves nothing: no permission.
        return bool(strings) and budget.left >= 0 and all(allowed(text, budget) for text in strings)

    return matches


def _below(value: Any, budget: Budget, comparisons: int) -> Iterator[Any]:
    """Yield every value inside a container, at any depth, in order, until the budget is spent."""
    pending = [iter(_inside(value))]
    while pending:
        for child in pending[-1]:
            if not budget.visit(comparisons):
                return
            yield child
            if isinstance(child, dict | list):
                pending.append(iter(_inside(child)))
                break
        else:
            pending.pop()


def _inside(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value
