"""What the repository's files may contain, and that what is generated is current."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from mew_gateway import schemas
from mew_gateway.config import load
from mew_gateway.protocol.capabilities import Capabilities, compile_capability
from mew_gateway.protocol.envelope import Envelope

ROOT = Path(__file__).resolve().parents[2]


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_the_constraints_pin_versions_and_name_no_place() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert len(lines) > 30
    for line in lines:
        assert re.fullmatch(r"[a-z0-9._-]+==[^ ]+( ;.*)?", line), line
        assert "://" not in line
        assert not re.search(r"(^|\s)/|file:", line)


def test_no_file_names_the_machine_it_was_made_on() -> None:
    home = str(Path.home())
    for path in tracked():
        text = path.read_text(encoding="utf-8", errors="replace")
        for word in (str(ROOT) + "/", str(ROOT.parent) + "/", *([home + "/"] if home != "/" else [])):
            assert word not in text, f"{path.relative_to(ROOT)} contains {word}"


def test_every_runtime_dependency_is_pinned() -> None:
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines()}
    text = (ROOT / "pyproject.toml").read_text()
    named = re.findall(r'^    "([a-z0-9.-]+)>=', text, flags=re.MULTILINE)
    assert {name.replace(".", "-") for name in named} <= {name.replace(".", "-") for name in pinned}


def test_the_generated_schemas_are_current() -> None:
    files = schemas.generate()
    found = {str(path.relative_to(ROOT / "schemas")) for path in (ROOT / "schemas").rglob("*.json")}
    assert found == {*files, *schemas.ELSEWHERE}, "run `make schemas`"
    for name, schema in files.items():
        assert (ROOT / "schemas" / name).read_text(encoding="utf-8") == schemas.render(schema), f"{name} is stale"


@pytest.mark.parametrize("path", sorted((ROOT / "schemas").rglob("*.schema.json")), ids=lambda path: path.name)
def test_every_schema_is_one(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))


def test_a_complete_envelope_is_valid_and_an_incomplete_is_not() -> None:
    schema = json.loads((ROOT / "schemas/kinds/reasoning.interrupt.schema.json").read_text())
    good = {
        "protocol": "mew/v0.4",
        "id": "i",
        "ts": "2026-01-01T00:00:00Z",
        "from": "human",
        "kind": "reasoning/interrupt",
        "to": ["agent"],
        "correlation_id": ["run"],
        "payload": {"reason": "timeout", "message": "too long", "extra": 1},
        "further": True,
    }
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(good)
    assert not validator.is_valid({**good, "to": ["agent", "second"]})
    assert not validator.is_valid({**good, "payload": {"reason": "bored"}})
    assert not validator.is_valid({key: value for key, value in good.items() if key != "id"})


def test_the_example_spaces_load() -> None:
    configuration = load(ROOT / "spaces.yaml")
    assert list(configuration.spaces) == ["demo", "deadline", "office"]
    assert list(configuration.spaces["demo"].hosted) == ["solver", "speaker", "calculator", "echo"]
    assert list(configuration.spaces["deadline"].hosted) == ["mute"]
    assert list(configuration.spaces["office"].hosted) == ["calendar", "ledger", "fluxi", "flows"]
    assert configuration.spaces["deadline"].settings.interrupts.ack_deadline == 3_000
    schema = json.loads((ROOT / "schemas/spaces.schema.json").read_text())
    text = (ROOT / "spaces.yaml").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(schema).validate(YAML(typ="safe", pure=True).load(text))


def test_the_examples_reasoner_may_answer_whatever_its_supervisor_may_ask() -> None:
    solver = load(ROOT / "spaces.yaml").spaces["demo"].settings.participants["solver"]
    allowed = Capabilities(compile_capability(source) for source in solver.capabilities)
    for kind in ("chat/acknowledge", "participant/status", "participant/compact-done", "reasoning/interrupt-ack"):
        assert allowed.allow(kind, {}, ("human",)), kind


def test_the_changelog_knows_the_version() -> None:
    text = (ROOT / "mew_gateway/__init__.py").read_text()
    version = re.search(r'__version__ = "(.+)"', text)
    assert version is not None
    assert f"## {version[1]}" in (ROOT / "CHANGELOG.md").read_text()
    assert f'version = "{version[1]}"' in (ROOT / "pyproject.toml").read_text()


def test_the_envelope_is_the_one_the_schemas_speak_of() -> None:
    schema = json.loads((ROOT / "schemas/envelope.schema.json").read_text())
    assert set(schema["properties"]) == {"from" if name == "sender" else name for name in Envelope.__struct_fields__}


def test_the_tests_that_the_wheel_runs_exist() -> None:
    named = re.findall(
        r"\b(\w[\w/]*\.py)\b", (ROOT / "tests/repository/wheel.sh").read_text().partition("-m pytest")[2]
    )
    assert len(named) > 5
    assert [name for name in named if not (ROOT / "tests" / name).is_file()] == []
