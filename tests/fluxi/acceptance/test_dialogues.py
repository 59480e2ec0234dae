"""Acceptance cases of the library as dialogues (docs/fluxi.md), each on SQLite and on PostgreSQL.

In `dialogues/`, `>` is what a person says (`bob>`: another one; `>&`: while it is answered, the dialogue goes on;
`{id=m1 answers=q1 arrived=-5s}` says more about it), `*` what time, operators and the world do, `=` how things are from
then on. What comes of it: `<` is a reply, as `kind/reason`, with the name of the question it asks, and `|` another line
of it; `?` what the interpreter decided; `-` what was turned away; `!` what happened to a Work; `.` how it ended.

`pytest --rewrite-transcripts` writes what comes of it now; the diff is to be read.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mew_agents.fluxi.fsm import TABLE, Event, State

from .dialogue_player import DialoguePlayer

FOLDER = Path(__file__).parent / "dialogues"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


@pytest.mark.parametrize("name", NAMES)
async def test_dialogue(name: str, database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    file = FOLDER / f"{name}.txt"
    written = file.read_text(encoding="utf-8")
    played = "\n".join([line async for line in DialoguePlayer(database_url, tmp_path).play(written)]) + "\n"
    if request.config.getoption("--rewrite-transcripts") and database_url.startswith("sqlite"):
        file.write_text(played, encoding="utf-8")
    else:
        assert played == written


# A turn is one transaction, so that nobody ever meets a Work in these states (test_table.py has these rows).
PASSING = (State.CREATED, State.ACTIVE)
FROM_OUTSIDE = (Event.WORK_CANCELLED, Event.WORK_SUSPENDED, Event.WORK_RESUMED, Event.EXPIRED)
# What holds a claim waits for no yes any more: only a fault of the program could bring this about.
FAULT = (State.WAITING_CONFIRMATION, Event.EFFECT_CLAIM_FAILED)


def test_every_transition_is_shown_by_a_dialogue() -> None:
    shown = set()
    for name in NAMES:
        for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("! "):
                source, *steps = re.split(r" –|→ ", line.split(" ", 2)[2])
                for event, target in zip(steps[::2], steps[1::2], strict=True):
                    shown.add((source, event, target))
                    source = target
    missing = [row for row in TABLE if (row.source or "∅", row.event, row.target) not in shown]
    never = [row for row in TABLE if (row.source in PASSING and row.event in FROM_OUTSIDE) or row[:2] == FAULT]
    assert missing == never
