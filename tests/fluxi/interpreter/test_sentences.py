"""Sentences in three languages, each with what rules propose for it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from ruamel.yaml import YAML

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions import Definition, shipped
from mew_agents.fluxi.interpreter.base import ProposedWork, Understanding
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import LANGUAGES, Language

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 24, 10, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
DEFINITIONS: list[Definition] = list(shipped())
SENTENCES: list[tuple[Language, dict[str, Any]]] = [
    (language, row)
    for language in LANGUAGES
    for row in YAML(typ="safe").load((HERE / f"sentences_{language}.yaml").read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(
    ("language", "row"), SENTENCES, ids=[f"{language}: {row['text']}" for language, row in SENTENCES]
)
def test_a_sentence(language: Language, row: dict[str, Any]) -> None:
    understanding = Understanding(language=language, now=NOW)
    proposal = Rules().propose(row["text"], DEFINITIONS, understanding)
    if row["type"] is None:
        assert proposal is None
        return
    assert proposal is not None
    assert (proposal.type_id, list(proposal.rivals)) == (row["type"], row.get("rivals", []))
    assert list(proposal.later) == row.get("later", [])
    if not proposal.rivals:
        assert {slot.path: slot.value for slot in proposal.slots} == row["slots"]
        assert [slot.path for slot in proposal.slots if slot.doubts] == row.get("doubtful", [])
    _is_borne_out(proposal, row["text"], understanding)


def _is_borne_out(proposal: ProposedWork, text: str, understanding: Understanding) -> None:
    """Each value is what the typed extractor reads from its evidence alone, and the definition takes it."""
    definition = next(one for one in DEFINITIONS if one.type_id == proposal.type_id)
    for candidate in proposal.slots:
        slot = definition.slot(candidate.path)
        assert values.checked(slot, candidate, text, understanding) == candidate
        assert values.refusal(slot, candidate.value, understanding) is None


def test_there_are_enough_sentences() -> None:
    assert all(sum(language == spoken for language, _ in SENTENCES) >= 25 for spoken in LANGUAGES)
