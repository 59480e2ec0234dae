"""SIGKILL while a model thinks: a message is decided once, and what was decided first stands (docs/fluxi.md §2.0)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...kit.stores import Fresh
from ...kit.workers import Workers
from ..bookings import KEYED, booking
from ..ledger import ledger_at
from ..outside import Outside
from .story import Step, Story, Telling

TEXT = "Quiero un turno con la Dra. Ana Pérez el viernes a las 17"
STORY = Story(dialogue=(Step("say", TEXT), Step("say", "dale")), definition=booking(KEYED), interpreter="slow")


@pytest.mark.parametrize(
    ("point", "thoughts", "recognised"),
    [
        ("receive.before", ["contrary"], False),
        ("receive.after", ["contrary"], False),
        ("interpret.before", ["contrary"], False),
        ("interpret.after", ["slow", "contrary"], False),
        ("decide.before", ["slow", "contrary"], False),
        ("decide.after", ["slow"], True),
        ("turn.before", ["slow"], True),
        ("turn.after", ["slow"], True),
    ],
)
async def test_the_first_decision_that_is_on_record_stands(
    point: str, thoughts: list[str], recognised: bool, workers: Workers, fresh: Fresh, tmp_path: Path
) -> None:
    url = fresh()
    telling = Telling(STORY, workers, url, tmp_path / "world", faults=[point], interpreters=["contrary"])
    ending = await telling.tell()
    assert [one["by"] for one in Outside(tmp_path / "world").thoughts.lines if one["text"] == TEXT] == thoughts
    assert ending.states == (["COMPLETED/None"] if recognised else [])
    assert len(ending.effects) == recognised
    decided = [row for row in (await ledger_at(url)).decisions.values() if row.message_id == "m0"]
    assert [row.interpreter for row in decided] == thoughts[-1:]
