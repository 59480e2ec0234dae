"""Acceptance cases of flows as dialogues (docs/flows.md), each on SQLite and on PostgreSQL.

In `dialogues/`, `>` is what a person says (`bob>`: another one; `>&`: while it is answered, the dialogue goes on;
`{id=m1 answers=q1 arrived=-5s}` says more about it), `*` what time, operators and the world do, `=` how things are from
then on. What comes of it: `<` is a reply, as `kind/reason`, with the name of the question it asks, and `|` another line
of it; `?` what was understood; `-` what was turned away; `!` what happened to a dialogue or a Work; `.` how it ended.

`pytest --rewrite-transcripts` writes what comes of it now; the diff is to be read.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .dialogue_player import FlowDialoguePlayer

FOLDER = Path(__file__).parent / "dialogues"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


@pytest.mark.parametrize("name", NAMES)
async def test_dialogue(name: str, database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    file = FOLDER / f"{name}.txt"
    written = file.read_text(encoding="utf-8")
    played = "\n".join([line async for line in FlowDialoguePlayer(database_url, tmp_path).play(written)]) + "\n"
    if request.config.getoption("--rewrite-transcripts") and database_url.startswith("sqlite"):
        file.write_text(played, encoding="utf-8")
    else:
        assert played == written
