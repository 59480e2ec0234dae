"""`mew flows` as a group: every command's help."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from mew_gateway.cli import main

from .flows_command import MEW

GROUP = MEW.get_command(None, "flows")
COMMANDS = GROUP.list_commands(None)


def test_all_of_them_are_here() -> None:
    assert set(COMMANDS) == {"chat", "check", "diagram", "run", "list", "show", "replay", "cancel", "resume"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_an_example_of_its_command(name: str) -> None:
    result = CliRunner().invoke(main.app, ["flows", name, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    _, _, examples = result.output.partition("Examples:")
    assert f"mew flows {name}" in examples


def test_a_mistyped_command_is_told_what_is_like_it() -> None:
    result = CliRunner().invoke(main.app, ["flows", "lst"], env={"TERM": "dumb"})
    assert result.exit_code == 2 and "'list'" in result.output
