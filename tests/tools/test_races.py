"""Twenty real processes on one file, which none of them has made before: one effect."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

SCRIPT = Path(__file__).with_name("racers.py")


def race(path: Path, keys: str) -> list[dict[str, Any]]:
    done = subprocess.run([sys.executable, str(SCRIPT), str(path), keys], capture_output=True, timeout=120, check=True)
    return [msgspec.json.decode(line) for line in done.stdout.splitlines()]


def appointments(path: Path) -> int:
    connection = apsw.Connection(str(path))
    rows: list[Any] = connection.execute("select count(*) from appointments").fetchall()
    connection.close()
    return int(rows[0][0])


@pytest.mark.parametrize("again", range(3))
def test_one_key_is_one_appointment_and_one_answer(tmp_path: Path, again: int) -> None:
    answers = race(tmp_path / "calendar.db", "same")
    assert len(answers) == 20
    assert {answer["appointment_id"] for answer in answers} == {1}
    assert sorted(answer.get("repeated", False) for answer in answers) == [False] + [True] * 19
    assert appointments(tmp_path / "calendar.db") == 1


def test_twenty_keys_for_one_time_are_one_appointment(tmp_path: Path) -> None:
    answers = race(tmp_path / "calendar.db", "own")
    assert sorted(answer["code"] for answer in answers) == ["booked"] + ["taken"] * 19
    assert appointments(tmp_path / "calendar.db") == 1
