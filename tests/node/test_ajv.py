"""The generated schemas and the AsyncAPI document, judged by validators that nobody here wrote, in another language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mew_gateway import schemas
from mew_gateway.schemas import asyncapi, shapes

FOLDER = Path(__file__).resolve().parents[1] / "golden"


def examples() -> list[tuple[str, Any, bool, str]]:
    """Every golden example: its schema, itself, whether it is valid, and what it is about."""
    found: list[tuple[str, Any, bool, str]] = []
    for path in sorted(FOLDER.glob("*.json")):
        example = json.loads(path.read_text(encoding="utf-8"))
        name = shapes.file_of(example["kind"]) if "kind" in example else "join.schema.json"
        found += [(name, one, True, "valid") for one in example["valid"]]
        found += [(name, one.get("envelope", one.get("frame")), False, one["why"]) for one in example["invalid"]]
    return found


def test_ajv_says_of_every_golden_example_what_the_others_say(node: Any) -> None:
    documents = {name: one for name, one in schemas.generate().items() if name.endswith(".schema.json")}
    expected = examples()
    verdicts = node.run("validate.js", {"schemas": documents, "checks": [[name, one] for name, one, _, _ in expected]})
    wrong = [(name, why) for (name, _, is_valid, why), said in zip(expected, verdicts, strict=True) if said != is_valid]
    assert not wrong
    assert len({name for name, _, _, _ in expected}) == len(shapes.EVERY_KIND) + 1


def test_the_asyncapi_document_is_one(node: Any) -> None:
    assert node.run("asyncapi.js", asyncapi.document()) == []


def test_a_document_that_is_none_is_seen(node: Any) -> None:
    document = asyncapi.document()
    del document["info"]["version"]
    document["operations"]["tell"]["action"] = "shout"
    faults = node.run("asyncapi.js", document)
    assert any(fault.startswith("/info") for fault in faults)
    assert any(fault.startswith("/operations/tell") for fault in faults)
