"""The AsyncAPI document beside the schemas it refers to. (`tests/node` holds it against AsyncAPI's own schema.)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mew_gateway import schemas
from mew_gateway.protocol.codes import CLOSES, ERRORS
from mew_gateway.protocol.kinds import KINDS, is_reserved
from mew_gateway.schemas import asyncapi, shapes

DOCUMENT = asyncapi.document()


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for one in value.values():
            yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)


def found(reference: str) -> Any:
    value: Any = DOCUMENT
    for key in reference.removeprefix("#/").split("/"):
        value = value[key]
    return value


def test_every_reference_leads_somewhere() -> None:
    files = set(schemas.generate())
    all_of_them = list(references(DOCUMENT))
    assert len(all_of_them) > 200
    for reference in all_of_them:
        if reference.startswith("#/"):
            assert found(reference)
        else:
            assert reference in files


def test_every_kind_travels_the_ways_that_it_may() -> None:
    def kinds(operation: str) -> set[str]:
        messages = [found(reference["$ref"]) for reference in DOCUMENT["operations"][operation]["messages"]]
        return {found(message["$ref"])["name"] for message in messages}

    assert kinds("join") == {"join"}
    assert kinds("hear") == {*KINDS, "system/heartbeat", "frame"}
    assert kinds("tell") == {*KINDS, *(kind for kind in shapes.EVERY_KIND if is_reserved(kind)), "frame"}


def test_every_code_is_described() -> None:
    description = DOCUMENT["info"]["description"]
    for code, row in [*ERRORS.items(), *((str(code), row) for code, row in CLOSES.items())]:
        assert f"| `{code}` | {row.meaning} | {row.remedy} |" in description
