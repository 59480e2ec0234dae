"""The hash of a definition is the hash of its meaning."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mew_agents.fluxi.definitions import canonical, content_hash, parse, restore, shipped, version_id

VISIT = (Path(__file__).parent / "visit.yaml").read_text(encoding="utf-8")


def test_layout_is_no_meaning() -> None:
    plain = canonical(parse(VISIT.encode()))
    reformatted = json.dumps(json.loads(plain), indent=4, ensure_ascii=True)
    backwards = json.dumps(dict(reversed(json.loads(plain).items())))
    commented = "# a comment\n" + VISIT.replace("version: 1", "version:    1  # one")
    explicit = VISIT.replace("policies: {grants: [acme]}", "policies: {grants: [acme], expiration: PT30M, open: auto}")
    texts = (VISIT, plain, reformatted, backwards, commented, explicit)
    assert {content_hash(parse(text.encode())) for text in texts} == {content_hash(parse(VISIT.encode()))}


def test_what_is_stored_comes_back() -> None:
    for definition in (parse(VISIT.encode()), *shipped()):
        assert restore(canonical(definition)) == definition
        assert canonical(restore(canonical(definition))) == canonical(definition)


def test_a_version_names_type_version_and_hash() -> None:
    visit = parse(VISIT.encode())
    assert version_id(visit) == f"visit@1#{content_hash(visit)[:12]}"


def test_stored_versions_stay_what_they_are() -> None:
    """A changed default or canonical form would give every stored definition another identity."""
    assert version_id(parse(VISIT.encode())) == "visit@1#35f5188b31ea"


# Values that are one of a few.
NAMES = ("idempotency", "currency", "part")


def changes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every leaf with another value in its place."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from changes(child, (*path, key))
    elif isinstance(value, list):
        for at, child in enumerate(value):
            yield from changes(child, (*path, at))
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, int):
        yield path, value + 1
    else:
        yield path, f"{value}x"


def test_every_change_of_meaning_changes_the_hash() -> None:
    visit = parse(VISIT.encode())
    root = json.loads(canonical(visit))
    hashes = [content_hash(visit)]
    for path, value in changes(root):
        changed = copy.deepcopy(root)
        inner = changed
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value
        try:
            hashes.append(content_hash(restore(json.dumps(changed))))
        except ValueError:
            assert path[-1] in NAMES or path[-1] == "type"  # no definition any more
    assert len(hashes) > 40
    assert len(set(hashes)) == len(hashes)
