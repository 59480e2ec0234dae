"""docs/configuration-reference.md has every key of spaces.yaml; `pytest --rewrite-transcripts` writes it anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from mew_gateway.config import models, parse
from mew_gateway.config.reference_page import markdown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "configuration-reference.md"
_KEYS = re.compile(r"(?<=<!-- keys -->\n).*(?=<!-- end of keys -->)", re.DOTALL)


def test_the_page_is_what_the_models_say(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(_KEYS.findall(page)) == 1
    if request.config.getoption("--rewrite-transcripts"):
        PAGE.write_text(_KEYS.sub(lambda _: markdown(), page), encoding="utf-8")
    else:
        assert _KEYS.findall(page) == [markdown()]


def test_it_has_every_key_of_every_mapping() -> None:
    page = markdown()
    sections = dict(re.findall(r"### (.+?)\n\n(.*?)(?=\n### |\Z)", page, re.DOTALL))
    found: dict[str, type[BaseModel]] = {
        "The file": models.SpacesFile,
        "`gateway`": models.Gateway,
        "`gateway.limits`": models.Limits,
        "`spaces.SPACE`": models.Space,
        "`spaces.SPACE.interrupts`": models.Interrupts,
        "`spaces.SPACE.participants.PARTICIPANT`": models.Participant,
        "`spaces.SPACE.participants.PARTICIPANT.restart`": models.Restart,
        "A capability": models.Capability,
    }
    for title, model in found.items():
        assert re.findall(r"^\| `(\w+)` \|", sections[title], re.MULTILINE) == list(model.model_fields), title


def test_its_example_loads_without_a_warning(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    configuration = parse(example.encode(), file=tmp_path / "spaces.yaml")
    assert (configuration.gateway.port, list(configuration.spaces)) == (8080, ["sales", "support"])
    assert configuration.warnings == ()
