"""The JSON Schema of spaces.yaml agrees with what is loaded."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from mew_gateway.config import schema

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def test_a_valid_file_is_valid(validator):
    validator.validate(YAML(typ="safe").load(HERE / "complete.yaml"))


def test_the_defaults_it_names_are_those_of_the_contract():
    definitions = schema()["$defs"]
    complete = YAML(typ="safe").load(HERE / "complete.yaml")
    human = complete["spaces"]["demo"]["participants"]["human"]
    sections = {
        "Gateway": complete["gateway"],
        "Journal": complete["gateway"]["journal"],
        "Tls": complete["gateway"]["tls"],
        "Limits": complete["gateway"]["limits"],
        "Space": complete["spaces"]["demo"],
        "Interrupts": complete["spaces"]["demo"]["interrupts"],
        "Watchdog": complete["spaces"]["demo"]["watchdog"],
        "Participant": human,
        "Defaults": complete["spaces"]["demo"]["defaults"],
    }
    for name, values in sections.items():
        properties = definitions[name]["properties"]
        assert list(properties) == list(values), name
        for key, described in properties.items():
            assert "$ref" in described or described["description"], f"{name}.{key}"
            if "default" in described:
                assert described["default"] == values[key], f"{name}.{key}"
            else:
                assert isinstance(values[key], dict), f"{name}.{key}"


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"spaces": {}},
        {"spaces": {"demo": {}}},
        {"spaces": {"a b": {"participants": {"human": {}}}}},
        {"spaces": {"demo": {"participants": {"human": {"roles": "x"}}}}},
        {"spaces": {"demo": {"participants": {"human": {"agent": "x"}}}}},
        {"spaces": {"demo": {"participants": {"human": {}}, "owner_grace": "30"}}},
        {"spaces": {"demo": {"participants": {"human": {}}, "interrupts": {"per_sequence": 5}}}},
        {"spaces": {"demo": {"participants": {"human": {}}, "interrupts": {"escalation": ["x"]}}}},
        {"spaces": {"demo": {"participants": {"human": {}}, "interrupts": {"escalation": [{"kick": {}}]}}}},
        {"spaces": {"demo": {"participants": {"human": {}}}}, "gateway": {"limits": {"frame_bytes": 1}}},
        {"spaces": {"demo": {"participants": {"human": {}}}}, "gatway": {}},
    ],
)
def test_wrong_documents_are_wrong(validator, document):
    assert not validator.is_valid(document)
