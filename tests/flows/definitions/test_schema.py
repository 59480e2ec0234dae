"""The JSON Schema: of one mind with the loader."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mew_agents.flows.definitions import check, shipped
from mew_agents.flows.definitions.schema import schema
from mew_gateway.documents.composer import compose

SHOP = compose((Path(__file__).parent / "shop.yaml").read_text(encoding="utf-8")).root
VALIDATOR = jsonschema.Draft202012Validator(schema())
ORDER: tuple[str | int, ...] = ("flows", "order")


def test_flow_files_fit_it() -> None:
    VALIDATOR.validate(SHOP)
    for flow in shipped():
        plain = json.loads(flow.document)
        VALIDATOR.validate({"flows": {plain.pop("name"): plain}})


WRONG: list[tuple[tuple[str | int, ...], Any]] = [
    (("flows",), {}),
    (("flow",), {}),
    (("flows", "A b"), SHOP["flows"]["survey"]),
    ((*ORDER, "slots", "A b"), {"type": "bool"}),
    ((*ORDER, "steps", 2, "set", "A b"), "1"),
    ((*ORDER, "title"), {}),
    ((*ORDER, "triggers", "fr"), ["x"]),
    ((*ORDER, "digression"), "maybe"),
    ((*ORDER, "steps"), []),
    ((*ORDER, "slots", "item", "type"), "enumm"),
    ((*ORDER, "slots", "item", "options"), {}),
    ((*ORDER, "slots", "count", "validators", "pattern"), "x"),
    ((*ORDER, "slots", "count", "min"), 1),
    ((*ORDER, "slots", "tries", "validators"), {"check": "value > 1"}),
    ((*ORDER, "slots", "tries", "validators"), {"message": {"es": "x"}}),
    ((*ORDER, "slots", "street", "type"), "ref"),
    ((*ORDER, "slots", "count", "ask", "es"), {"formal": "x"}),
    ((*ORDER, "steps", 0), {"id": "what"}),
    ((*ORDER, "steps", 0), {"collect": "item"}),
    ((*ORDER, "steps", 0), {"id": "what", "collect": "item", "end": "failed"}),
    ((*ORDER, "steps", 2, "set"), {}),
    ((*ORDER, "steps", 2, "set", "tries"), [1]),
    ((*ORDER, "steps", 3, "max"), 0),
    ((*ORDER, "steps", 3, "steps"), []),
    ((*ORDER, "steps", 4, "branch"), []),
    ((*ORDER, "steps", 4, "branch", 0), {"when": "true"}),
    ((*ORDER, "steps", 4, "branch", 0), {"else": [], "when": "true"}),
    ((*ORDER, "steps", 6, "ttl"), "60"),
    ((*ORDER, "steps", 6, "confirm"), {}),
    ((*ORDER, "steps", 7, "action"), "shop"),
    ((*ORDER, "steps", 7, "effect"), "yes"),
    ((*ORDER, "steps", 7, "retry", "attempts"), 0),
    ((*ORDER, "steps", 7, "args", "x"), {"slt": "item"}),
    ((*ORDER, "steps", 7, "args", "x"), {"key": "buy"}),
    ((*ORDER, "steps", 7, "compensate"), {"args": {}}),
    ((*ORDER, "steps", 7, "on_error"), "A b"),
    ((*ORDER, "steps", 10, "end"), "stopped"),
]


@pytest.mark.parametrize(("path", "value"), WRONG, ids=range(len(WRONG)))
def test_what_it_refuses_the_loader_refuses(path: tuple[str | int, ...], value: Any) -> None:
    document = copy.deepcopy(SHOP)
    inner = document
    for step in path[:-1]:
        inner = inner.setdefault(step, {}) if isinstance(inner, dict) else inner[step]
    inner[path[-1]] = value
    assert not VALIDATOR.is_valid(document)
    found = check(json.dumps(document).encode())
    assert found.flows is None
    assert all(problem.key_path for problem in found.errors)
