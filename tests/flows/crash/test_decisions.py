"""SIGKILL between the passes of a message: what was decided first stands, whoever would say otherwise (case 13)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mew_agents.flows.commands import CancelFlow, StartFlow
from mew_agents.flows.events import Commanded

from ...fluxi.crash.story import Step, Story
from ...fluxi.outside import Outside
from ...kit.stores import Fresh
from ...kit.workers import Workers
from .story import FlowTelling

TEXT = "hacer un pago de 50"
STORY = Story(dialogue=(Step("say", TEXT),), interpreter="slow")


@pytest.mark.parametrize(
    ("point", "first", "second"),
    [
        ("receive.after:1", "contrary", None),
        ("interpret.after:1", "contrary", None),
        ("decide.before:1", "contrary", None),
        ("decide.after:1", "slow", "contrary"),
        ("turn.before:1", "slow", "contrary"),
        ("turn.after:1", "slow", "contrary"),
        ("interpret.after:2", "slow", "contrary"),
        ("decide.before:2", "slow", "contrary"),
        ("decide.after:2", "slow", "slow"),
        ("turn.before:2", "slow", "slow"),
        ("turn.after:2", "slow", "slow"),
    ],
)
async def test_each_pass_that_is_on_record_is_never_decided_again(
    point: str, first: str, second: str | None, workers: Workers, fresh: Fresh, tmp_path: Path
) -> None:
    telling = FlowTelling(STORY, workers, fresh(), tmp_path / "world", faults=[point], interpreters=["contrary"])
    await telling.tell()
    (record,) = telling.records
    decided = [(row.work_id == "", row.interpreter) for row in record.ledger.decisions.values()]
    assert decided == [(True, first), *([(False, second)] if second else [])]
    commands = [event.command for event in record.happened if isinstance(event, Commanded)]
    assert isinstance(commands[0], StartFlow if first == "slow" else CancelFlow)
    assert sum(isinstance(one, StartFlow) for one in commands) == (first == "slow")
    # The amount was said to the one who came first, or to nobody.
    held = [frame.values for frame in record.dialogue.stack]
    assert held == ([{"amount": 50}] if second == "slow" else [{}] if first == "slow" else [])
    assert len(Outside(tmp_path / "world").replies.lines) == 1
