"""`mew init`: a valid example, and no overwritten file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mew_gateway.config import load


async def test_it_writes_an_example_that_can_be_used(mew: Any, tmp_path: Path) -> None:
    done = await mew("init")
    assert done.status == 0
    assert "Wrote spaces.yaml." in done.out and "check" in done.out and "serve" in done.out
    assert {"demo", "deadline"} <= set(load(tmp_path / "spaces.yaml").spaces)


async def test_it_overwrites_only_when_told_to(mew: Any, tmp_path: Path) -> None:
    file = tmp_path / "team.yaml"
    file.write_text("mine")
    done = await mew("init", "--path", "team.yaml")
    assert (done.status, done.out, file.read_text()) == (1, "", "mine")
    assert done.err == "team.yaml is there already; nothing was written (--force overwrites it).\n"
    assert (await mew("init", "--path", "team.yaml", "--force")).status == 0
    assert load(file).spaces


async def test_a_place_that_cannot_be_written_is_a_sentence(mew: Any) -> None:
    done = await mew("init", "--path", "no/such/folder/spaces.yaml")
    assert done.status == 1
    assert done.err == "no/such/folder/spaces.yaml cannot be written: No such file or directory.\n"
