"""docs/fluxi.md: its table is the one that decides, and its Python books an appointment."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mew_agents.fluxi import fsm
from mew_agents.fluxi.definitions.diagram import table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fluxi.md"
_TABLE = re.compile(r"(?<=<!-- table: fsm -->\n).*?(?=<!-- end of table -->)", re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_table_is_the_one_that_decides(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(_TABLE.findall(page)) == 1
    if request.config.getoption("--rewrite-transcripts"):
        PAGE.write_text(_TABLE.sub(lambda _: table(), page), encoding="utf-8")
    else:
        assert _TABLE.findall(page) == [table()]


def test_it_has_a_line_for_every_transition() -> None:
    rows = [line.strip("| ").split(" | ") for line in table().splitlines()[2:]]
    assert [(row[0], row[1].strip("`"), row[2]) for row in rows] == [
        (str(one.source or "∅"), str(one.event), str(one.target)) for one in fsm.TABLE
    ]


def test_its_python_books_an_appointment_and_remembers_it(tmp_path: Path) -> None:
    (program,) = _PYTHON.findall(PAGE.read_text(encoding="utf-8"))
    (tmp_path / "book.py").write_text(program, encoding="utf-8")

    def run() -> list[str]:
        done = subprocess.run(
            [sys.executable, "book.py"], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60
        )
        return done.stdout.splitlines()

    first = run()
    assert [line.partition(" ")[0] for line in first] == ["request_confirmation", "completed"]
    assert "Dr. João Souza" in first[1]
    assert run() == first  # the same messages again: the same results, and no second appointment
