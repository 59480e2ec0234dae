"""A chat goes on while others do their worst, and so does the gateway (`bench.siege`)."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import Any

import pytest

from bench.siege import experiment
from bench.siege.attacks import NAMES
from bench.siege.experiment import Siege, Unanswered


@pytest.mark.parametrize("words", ["wrong tokens", "chunks of a byte, a stranger", "20 KB of {} 190", "three: {}"])
def test_a_participant_is_answered_under_attack(words: str) -> None:
    """Everything that was said in the meantime has arrived, and the gateway is ready behind it."""
    command = [sys.executable, "-m", "bench.siege", "--seconds", "0.5", "--only", words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout


def test_an_unanswered_attack_is_a_missed_row(monkeypatch: Any) -> None:
    measured: list[str] = []

    async def besieged(_: object, name: str, __: float) -> Siege:
        measured.append(name)
        if name == NAMES[0]:
            raise TimeoutError
        return Siege(name, (1.0, 1.0), 1.0, 1.0, 1.0, 1.0, 0.0)

    monkeypatch.setattr(experiment, "_besieged", besieged)
    monkeypatch.setattr(experiment, "serving", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(experiment, "pin", lambda *_: None)
    found = experiment.run(NAMES[:2], seconds=0.5, progress=lambda _: None)
    assert measured == list(NAMES[:2])
    assert [one.is_met for one in found] == [False, True]
    assert found[0] == Unanswered(NAMES[0], "time is up")
