"""`mew check`: ok, or every problem with its place."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

GOOD = """\
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}]}
      echo: {capabilities: [{kind: chat}], agent: "mew_agents.echo:Echo"}
"""
BAD = """\
spaces:
  demo:
    routng: visible
    participants:
      human: {capabilities: [{kind: 7}]}
"""


async def test_a_good_file(mew: Any, tmp_path: Path) -> None:
    (tmp_path / "spaces.yaml").write_text(GOOD)
    told, data = await asyncio.gather(mew("check"), mew("check", "--json"))
    assert (told.status, told.out) == (0, "ok: 1 space, 2 participants, 1 hosted agent\n")
    spaces = {"demo": {"participants": ["human", "echo"], "hosted": ["echo"]}}
    assert (data.status, data.json()) == (0, {"ok": True, "spaces": spaces, "warnings": []})


async def test_a_warning_is_a_line_with_its_place_and_no_problem(mew: Any, tmp_path: Path) -> None:
    (tmp_path / "space.yaml").write_text("space: {id: one, ui_theme: dark}\nparticipants: {human: {}}\n")
    told, data = await asyncio.gather(mew("check", "space.yaml"), mew("check", "--config", "space.yaml", "--json"))
    assert (told.status, told.out) == (0, "ok: 1 space, 1 participant, 0 hosted agents\n")
    assert told.err == "warning: space.yaml:1:18: space.ui_theme: This has no effect here.\n"
    (warning,) = data.json()["warnings"]
    assert (warning["line"], warning["column"], warning["key_path"]) == (1, 18, "space.ui_theme")


async def test_every_problem_is_a_line_with_its_place(mew: Any, tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text(BAD)
    told, data = await asyncio.gather(
        mew("check", "--config", "team.yaml"), mew("check", "--config", "team.yaml", "--json")
    )
    assert (told.status, told.out) == (2, "")
    first, second = told.err.splitlines()
    assert first.startswith("team.yaml:3:5: spaces.demo.routng: ") and "(did you mean `routing`?)" in first
    assert second.startswith("team.yaml:5:37: spaces.demo.participants.human.capabilities[0].kind: ")
    assert data.status == 2 and data.json()["ok"] is False
    problem = data.json()["problems"][0]
    assert (problem["file"], problem["line"], problem["column"]) == ("team.yaml", 3, 5)
    assert problem["key_path"] == "spaces.demo.routng" and problem["suggestion"] == "did you mean `routing`?"


async def test_a_file_that_is_not_there(mew: Any) -> None:
    done = await mew("check")
    assert (done.status, done.err) == (2, "spaces.yaml: There is no such file (`mew init` writes one)\n")
