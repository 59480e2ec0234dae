"""The JSON Schema: of one mind with the loader."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mew_agents.fluxi.definitions import canonical, check, shipped
from mew_agents.fluxi.definitions.schema import schema
from mew_gateway.documents.composer import compose

VISIT = compose((Path(__file__).parent / "visit.yaml").read_text(encoding="utf-8")).root
VALIDATOR = jsonschema.Draft202012Validator(schema())


def test_definitions_fit_it() -> None:
    VALIDATOR.validate(VISIT)
    for definition in shipped():
        VALIDATOR.validate(json.loads(canonical(definition)))


WRONG: list[tuple[tuple[str | int, ...], Any]] = [
    (("version",), 0),
    (("typeId",), "a b"),
    (("title",), {"fr": "visite"}),
    (("intents", "es"), []),
    (("bindingAttributes",), []),
    (("slots",), []),
    (("slots", 0, "type"), "datetme"),
    (("slots", 0, "path"), "A"),
    (("slots", 0, "currency"), "USD"),
    (("slots", 0, "prompt", "es"), {"formal": "a"}),
    (("slots", 0, "default"), {}),
    (("slots", 0, "default"), {"value": "a", "sender": True}),
    (("slots", 0, "weekdays"), ["someday"]),
    (("slots", 0, "earliest"), "8"),
    (("slots", 1, "min"), "ten"),
    (("slots", 2, "options"), {}),
    (("policies", "expiration"), "30"),
    (("policies", "expiration"), "P"),
    (("policies", "open"), "maybe"),
    (("confirmation", "execute"), "yes"),
    (("effects", 0, "tool"), "book"),
    (("effects", 0, "idempotency"), "maybe"),
    (("effects", 0, "args", "day"), {"slot": "day", "part": "hour"}),
    (("effects", 0, "args", "day"), {"slt": "day"}),
    (("effects", 0, "args", "day"), ["day"]),
    (("effects", 0, "retry"), {"attempts": 0}),
    (("cancel",), {"alowed": True}),
]


@pytest.mark.parametrize(("path", "value"), WRONG, ids=str)
def test_what_it_refuses_the_loader_refuses(path: tuple[str | int, ...], value: Any) -> None:
    document = copy.deepcopy(VISIT)
    inner = document
    for step in path[:-1]:
        inner = inner.setdefault(step, {}) if isinstance(inner, dict) else inner[step]
    inner[path[-1]] = value
    assert not VALIDATOR.is_valid(document)
    found = check(json.dumps(document).encode())
    assert found.definition is None
    assert any(problem.key_path for problem in found.errors)


def test_a_ref_has_a_list_or_a_tool() -> None:
    ref = {"path": "who", "type": "ref", "label": {"es": "quién", "en": "who"}}
    for further, fits in (({}, False), ({"list": {"a": "Ana"}}, True), ({"tool": "crm/people"}, True)):
        document = {**VISIT, "slots": [*VISIT["slots"], {**ref, **further}]}
        assert VALIDATOR.is_valid(document) == fits
        assert (check(json.dumps(document).encode()).definition is not None) == fits
    both = {**VISIT, "slots": [*VISIT["slots"], {**ref, "list": {"a": "Ana"}, "tool": "crm/people"}]}
    assert not VALIDATOR.is_valid(both)
    assert check(json.dumps(both).encode()).definition is None
